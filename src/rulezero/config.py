"""Experiments from recipes, presets and changes: reading YAML, and saying what is wrong with it."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from rulezero.errors import RunError, among, nearest
from rulezero.games import games
from rulezero.settings import Settings
from rulezero.train.experiment import Experiment
from rulezero.train.regimes import REGIMES
from rulezero.yaml_values import line_of

PRESETS = ("tiny", "small", "medium", "full")

# Keys as they were called before; recipes and runs that have them can still be read.
_OLD_GROUPS: dict[str, tuple[str, ...]] = {
    "student": ("regime", "student"),
    "opponent": ("regime", "opponent"),
    **dict.fromkeys(REGIMES, ("regime",)),  # a distillation had its keys in such a group
}
_WITH_PLAYERS = ("gate", "anchor", "curriculum")  # groups whose `player` was a `seat`


def recipes() -> list[str]:
    """The recipes that come with rulezero."""
    files = resources.files("rulezero.recipes").iterdir()
    return sorted(file.name[:-5] for file in files if file.name.endswith(".yaml"))


def catalogue() -> list[tuple[str, str, list[str]]]:
    """Every recipe with its game and its presets."""
    found = [(name, _read_recipe(name)) for name in recipes()]
    return [(name, whole["game"], list(whole["presets"])) for name, whole in found]


def presets_of(recipe: str) -> list[str]:
    """The presets of a recipe's name, or of a YAML file, in its order."""
    return list(_take_presets(recipe, _read_recipe(recipe)))


def load(recipe: str, preset: str = "small", changes: Sequence[str] = ()) -> Experiment:
    """The experiment of a recipe's name, or of a YAML file, with changes such as fit.batch=64."""
    whole = _read_recipe(recipe)
    presets = _take_presets(recipe, whole)
    if preset not in presets:
        known = ", ".join(presets) or "none"
        raise RunError(
            f"the recipe '{recipe}' has no preset '{preset}'{nearest(preset, presets)};"
            f" known: {known}"
        )
    merged = _merged(whole, _preset(presets, preset))
    for change in changes:
        merged = _merged(merged, _read_change(change))
    return _checked({"recipe": Path(recipe).stem, "preset": preset} | merged, recipe)


def load_or_game(
    name: str, preset: str = "small", changes: Sequence[str] = (), *, has_net: bool = False
) -> Experiment:
    """The experiment of a recipe, or plain games of a game that has none.

    With a net they are searched by its policy, else by the heuristic.
    """
    if name in recipes() or name.endswith((".yaml", ".yml")):
        return load(name, preset, changes)
    known = sorted({*recipes(), *games(), "python"})
    if name.partition(":")[0] not in known:
        raise RunError(f"there is no recipe or game '{name}'{among(name, known)}")
    player = "puct:net=best,sims=200,noise=0.25" if has_net else "ucb1:sims=800"
    found: dict[str, Any] = {
        "recipe": name.partition(":")[0],
        "preset": preset,
        "game": name,
        "selfplay": {"a": f"{player},temperature=1,temperature_turns=15"},
    }
    for change in changes:
        found = _merged(found, _read_change(change))
    return _checked(found)


def altered(experiment: Experiment, keys: Mapping[str, Any]) -> Experiment:
    """The experiment with other values for these keys."""
    whole = experiment.model_dump(mode="json")
    if whole["iterations"] == experiment.regime.last_iteration:
        del whole["iterations"]  # they follow from the regime's own settings
    return _checked(_merged(whole, keys))


def read(text: str) -> Experiment:
    """The experiment that a run wrote down."""
    found = _parsed(text, "config.yaml")
    if isinstance(kind := found.get("regime"), str):  # it once named the keys of all regimes
        own = set(REGIMES[kind].model_fields) if kind in REGIMES else set()
        for group, path in _OLD_GROUPS.items():
            if not own & ({path[1]} if len(path) > 1 else set(found.get(group, {}))):
                found.pop(group, None)
    return _checked(found)


def renewed(found: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an experiment by the names they have now."""
    new = dict(found)
    if isinstance(new.get("regime"), str):
        new["regime"] = {"kind": new["regime"]}
    for group, path in _OLD_GROUPS.items():
        if group in new:
            keys = new.pop(group)
            for part in reversed(path):
                keys = {part: keys}
            new = _merged(new, keys)
    regime = new.get("regime")
    if isinstance(regime, dict):
        regime.setdefault("kind", Experiment.model_fields["regime"].default.kind)
        new["regime"] = {key: _with_player(keys) for key, keys in regime.items()}
    return new | {group: _with_player(new[group]) for group in _WITH_PLAYERS if group in new}


def _with_player(keys: Any) -> Any:
    if not isinstance(keys, dict) or "seat" not in keys:
        return keys
    return {"player" if key == "seat" else key: value for key, value in keys.items()}


def _take_presets(recipe: str, whole: dict[str, Any]) -> dict[str, Any]:
    """The presets of a recipe, taken out of its keys."""
    presets = whole.pop("presets", {})
    if not isinstance(presets, dict) or not all(
        isinstance(name, str) and isinstance(keys or {}, dict) for name, keys in presets.items()
    ):
        raise RunError(f"the presets of '{recipe}' are names, each with keys of its own")
    return presets


def _preset(presets: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The keys of a preset; what it is like has them too, unless it says otherwise."""
    keys = dict(presets[name] or {})
    base = keys.pop("like", None)
    if base is None:
        return keys
    others = {other: each for other, each in presets.items() if other != name}
    if base not in others:
        raise RunError(f"the preset '{name}' is like '{base}', which is no other preset")
    return _merged(_preset(others, base), keys)


def _read_recipe(recipe: str) -> dict[str, Any]:
    """The keys of a recipe; what it is like has them too, unless it says otherwise."""
    whole = _read_file(recipe)
    base = whole.pop("like", None)
    if base is None:
        return whole
    if base not in recipes():
        raise RunError(f"'{recipe}' is like '{base}', which is no recipe of rulezero")
    return _merged(_read_recipe(base), whole)


def _read_file(recipe: str) -> dict[str, Any]:
    if recipe.endswith((".yaml", ".yml")):
        path = Path(recipe)
        if not path.is_file():
            raise RunError(f"there is no recipe '{recipe}'")
        return _parsed(_decoded(path.read_bytes(), recipe), recipe)
    if recipe not in recipes():
        raise RunError(
            f"there is no recipe '{recipe}'{nearest(recipe, recipes())};"
            f" known: {', '.join(recipes())}, or a .yaml file"
        )
    file = resources.files("rulezero.recipes") / f"{recipe}.yaml"
    return _parsed(file.read_text(encoding="utf-8"), recipe)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RunError(
            f"'{name}' is no text in UTF-8: {error.reason} at byte {error.start}"
        ) from None


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RunError(f"'{name}' is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict):
        raise RunError(f"'{name}' is no recipe: a recipe is keys with their values")
    return found


def _read_change(change: str) -> dict[str, Any]:
    """fit.batch=64 as nested keys."""
    path, equals, text = change.partition("=")
    if not equals or not all(path.split(".")):
        raise RunError(f"'{change}' is no change; the form is key.key=value, such as fit.batch=64")
    # A seat's text has colons, and is none of YAML's business.
    is_yaml = ":" not in text or text.lstrip().startswith(("{", "["))
    value: Any = _parsed(f"value: {text}", change)["value"] if is_yaml else text
    for key in reversed(path.split(".")):
        value = {key: value}
    changed: dict[str, Any] = value
    return changed


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of both; what is above wins, group by group."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            merged[key] = _merged(old, value)
        else:
            merged[key] = value
    return merged


def _checked(found: dict[str, Any], recipe: str = "") -> Experiment:
    try:
        return Experiment.model_validate(renewed(found))
    except ValidationError as error:
        place = functools.partial(_line, recipe, str(found.get("preset")))
        raise RunError("; ".join(_words(error, place))) from None


def _line(recipe: str, preset: str, keys: Sequence[int | str]) -> str:
    """Where a recipe's own file has these keys, "mine.yaml:3: "; "" where it has not."""
    if not recipe.endswith((".yaml", ".yml")):
        return ""
    text = Path(recipe).read_text(encoding="utf-8")
    lines = (line_of(text, path) for path in (("presets", preset, *keys), keys))
    return next((f"{recipe}:{line}: " for line in lines if line is not None), "")


def _words(error: ValidationError, place: Callable[[Sequence[int | str]], str]) -> Iterator[str]:
    for problem in error.errors(include_url=False)[:3]:
        # Of a key behind `regime`, the second part is the kind and no key.
        group, *parts = problem["loc"] or ("",)
        parts = parts[1:] if group == "regime" and parts[:1] and parts[0] in REGIMES else parts
        path = ".".join(map(str, (group, *parts)))
        yield place((group, *parts)) + _say(problem, path)


def _say(problem: ErrorDetails, path: str) -> str:
    """What is wrong with the value at a path of keys."""
    if problem["type"] == "extra_forbidden":
        return f"there is no key '{path}'" + among(
            str(problem["loc"][-1]), _keys_beside(problem["loc"])
        )
    if problem["type"].startswith("union_tag"):
        kind = str(problem.get("ctx", {}).get("tag", problem["input"]))
        return f"there is no regime '{kind}'{among(kind, REGIMES)}"
    if problem["type"] == "missing":
        return f"the key '{path}' is missing"
    if problem["type"] in ("model_type", "tuple_type"):
        kind = "keys with values" if problem["type"] == "model_type" else "a list"
        return f"{path}: this is {kind}, not {problem['input']!r}"
    words = problem["msg"].removeprefix("Value error, ")
    return (f"{path}: " if path else "") + f"{words[:1].lower()}{words[1:]}"


def _keys_beside(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the group in which a key is."""
    model: type[Settings] = Experiment
    for part in location[:-1]:
        groups = (
            _groups_in(model.model_fields[part].annotation) if part in model.model_fields else ()
        )
        model = REGIMES.get(str(part), groups[0] if len(groups) == 1 else model)
    return list(model.model_fields)


def _groups_in(annotation: Any) -> list[type[Settings]]:
    """The groups of keys that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return [annotation]
    return [group for each in get_args(annotation) for group in _groups_in(each)]
