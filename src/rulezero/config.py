"""Reads experiments from recipes, presets and changes, and explains what is wrong in them."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rulezero.errors import RunError, among, nearest
from rulezero.games import game_names
from rulezero.games.load import names_a_path
from rulezero.learn import terms
from rulezero.plain import plain
from rulezero.settings import Place, dotted, explain
from rulezero.settings import found as within
from rulezero.training import unread
from rulezero.training.experiment import Experiment
from rulezero.training.regimes import REGIMES
from rulezero.yaml_files import Document, merged, read_file

# New values for keys: "fit.batch=64", {"fit.batch": 64}, {"fit": {"batch": 64}}, or a list.
Changes = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]
PRESETS = ("tiny", "small", "medium", "full")
_SHIPPED = Path(__file__).parent / "recipes"

# Former names of keys, and where they are now. Old recipes and runs can still be read.
_OLD_GROUPS: dict[str, tuple[str, ...]] = {
    "student": ("regime", "student"),
    "opponent": ("regime", "opponent"),
    **dict.fromkeys(REGIMES, ("regime",)),  # distillations had a group of this name
}
_WITH_PLAYERS = ("gate", "anchor", "curriculum")  # groups whose key `player` was named `seat`


def recipes() -> list[str]:
    """The recipes that come with rulezero."""
    return sorted(file.stem for file in _SHIPPED.glob("*.yaml"))


def catalogue() -> list[tuple[str, str, list[str]]]:
    """Name, game and presets of every recipe."""
    found = [(name, _read_recipe(name)) for name in recipes()]
    return [(name, whole["game"], list(whole["presets"])) for name, whole in found]


def about(recipe: str) -> str:
    """What a shipped recipe does, in a sentence: the first comment of its file."""
    lines = (_SHIPPED / f"{recipe}.yaml").read_text(encoding="utf-8").splitlines()
    comment = itertools.takewhile(lambda line: line.startswith("#"), lines)
    words = " ".join(line.lstrip("# ") for line in comment)
    return words.partition(". ")[0].rstrip(".") + "."


def presets_of(recipe: str) -> list[str]:
    """The presets of a recipe (a name or a YAML file), in the file's order."""
    return list(_take_presets(recipe, _read_recipe(recipe)))


def load(recipe: str, preset: str = "small", changes: Changes = ()) -> Experiment:
    """The experiment of a recipe (a name or a YAML file), with changes.

    Changes are a text, "fit.batch=64", a map, {"fit.batch": 64}, or a list of these.
    """
    whole = _read_recipe(recipe)
    presets = _take_presets(recipe, whole)
    if preset not in presets:
        known = ", ".join(presets) or "none"
        raise RunError(
            f"the recipe '{recipe}' has no preset '{preset}'{nearest(preset, presets)};"
            f" known: {known}"
        )
    keys = merged(whole, _preset(presets, preset))
    given = _read_changes(changes)
    keys = merged(keys, given)
    made = _checked({"recipe": Path(recipe).stem, "preset": preset} | keys, recipe, given)
    refuse_idle(made, given)
    return made


def load_or_game(
    name: str, preset: str = "small", changes: Changes = (), *, has_net: bool = False
) -> Experiment:
    """The experiment of a recipe, or one of plain self-play if `name` is a game.

    Plain self-play searches with PUCT and the best net if there is a net, else with UCB1 and the
    heuristic.
    """
    kinds = {*game_names(), "python"}
    # For example random_chess:pieces=mine.yaml, which ends like a recipe's file.
    is_game = name.partition(":")[0] in kinds or name.endswith(".py")
    if name in recipes() or (_is_file(name) and not is_game):
        return load(name, preset, changes)
    if not is_game:
        known = sorted({*recipes(), *kinds})
        raise RunError(f"there is no recipe or game '{name}'{among(name, known)}")
    player = "puct:net=best,sims=200,noise=0.25" if has_net else "ucb1:sims=800"
    found: dict[str, Any] = {
        "recipe": Path(name).stem if name.endswith(".py") else name.partition(":")[0],
        "preset": preset,
        "game": name,
        "selfplay": {"a": f"{player},temperature=1,temperature_turns=15"},
    }
    given = _read_changes(changes)
    made = _checked(merged(found, given))
    refuse_idle(made, given)
    return made


def altered(experiment: Experiment, keys: Mapping[str, Any]) -> Experiment:
    """The experiment with these keys changed."""
    whole = experiment.model_dump(mode="json")
    if whole["iterations"] == experiment.regime.last_iteration:
        del whole["iterations"]  # the regime's settings determine their number
    return _checked(merged(whole, keys))


def with_changes(experiment: Experiment, changes: Changes) -> Experiment:
    """The experiment with changes such as fit.batch=64."""
    keys = _read_changes(changes)
    if not keys:
        return experiment
    made = altered(experiment, keys)
    refuse_idle(made, keys)
    return made


def refuse_idle(experiment: Experiment, keys: Mapping[str, Any]) -> None:
    """Raises RunError if one of these keys has no effect, given the experiment's other values.

    Only `keys` are checked: a recipe may have keys that one of its presets makes ineffective.
    """
    given = set(unread.paths(keys))
    for key, words in unread.idle(experiment):
        if key in given:
            raise RunError(words)


def read(text: str) -> Experiment:
    """The experiment from the text of a run's config.yaml."""
    found = Document(text, "config.yaml", RunError).read(dict[str, Any])
    if isinstance(kind := found.get("regime"), str):  # old configs have the keys of all regimes
        own = set(REGIMES[kind].model_fields) if kind in REGIMES else set()
        for group, path in _OLD_GROUPS.items():
            keys = found.get(group)
            given = set(keys) if isinstance(keys, dict) else set()
            if not own & ({path[1]} if len(path) > 1 else given):
                found.pop(group, None)
    if isinstance(game := found.get("game"), str) and (game.endswith(".py") or names_a_path(game)):
        raise RunError(
            f"the run would run a file, '{game}': runs now name their rules by a hash, so start"
            " a new run"
        )
    if isinstance(hooks := found.get("hooks"), str) and terms.names_a_path(hooks):
        raise RunError(
            f"the run would run a file, '{hooks}': runs name their loss terms by a hash, so start"
            " a new run"
        )
    return _checked(_without_unread(renewed(found)))


def _without_unread(found: dict[str, Any]) -> dict[str, Any]:
    """A run's keys without those that its regime does not read (errors in new runs)."""
    given = found.get("regime")
    kind = given.get("kind") if isinstance(given, dict) else None
    regime = REGIMES.get(kind) if isinstance(kind, str) else None
    if regime is None:
        return found
    for path in regime.unread:
        *groups, name = path.split(".")
        group: Any = found
        for part in groups:
            group = group.get(part) if isinstance(group, dict) else None
        if isinstance(group, dict):
            group.pop(name, None)
    return found if regime.has_gate else {**found, "gate": None}


def renewed(found: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an experiment under their current names."""
    new = dict(found)
    if isinstance(new.get("regime"), str):
        new["regime"] = {"kind": new["regime"]}
    for group, path in _OLD_GROUPS.items():
        if group in new:
            keys = new.pop(group)
            for part in reversed(path):
                keys = {part: keys}
            new = merged(new, keys)
    fit = new.get("fit")
    if isinstance(fit, dict) and isinstance(fit.get("mixed"), bool):  # before there was precision
        others = {key: value for key, value in fit.items() if key != "mixed"}
        new["fit"] = {"precision": "auto" if fit["mixed"] else "float32", **others}
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
        isinstance(keys or {}, dict) for keys in presets.values()
    ):
        raise RunError(f"the presets of '{recipe}' must be a map: each preset's name with its keys")
    return presets


def _preset(presets: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The keys of a preset, on top of those of the preset that its `like` names."""
    keys = dict(presets[name] or {})
    base = keys.pop("like", None)
    if base is None:
        return keys
    others = {other: each for other, each in presets.items() if other != name}
    if not isinstance(base, str) or base not in others:
        known = ", ".join(others) or "none"
        raise RunError(f"the preset '{name}' is like '{base}', not another preset; known: {known}")
    return merged(_preset(others, base), keys)


def _read_recipe(recipe: str) -> dict[str, Any]:
    """The keys of a recipe, on top of those of the recipe that its `like` names."""
    whole = _open(recipe).read(dict[str, Any])
    base = whole.pop("like", None)
    if base is None:
        return whole
    if not isinstance(base, str) or base not in recipes():
        known = ", ".join(recipes())
        raise RunError(f"'{recipe}' is like '{base}', which is not a recipe; known: {known}")
    return merged(_read_recipe(base), whole)


def _is_file(recipe: str) -> bool:
    return recipe.endswith((".yaml", ".yml"))


def _open(recipe: str) -> Document:
    known = ", ".join(recipes())
    if not _is_file(recipe) and recipe not in recipes():
        near = nearest(recipe, recipes())
        raise RunError(f"there is no recipe '{recipe}'{near}; known: {known}, or a .yaml file")
    path = Path(recipe) if _is_file(recipe) else _SHIPPED / f"{recipe}.yaml"
    return read_file(path, f"name another .yaml file, or one of {known}", RunError)


def _read_changes(changes: Changes) -> dict[str, Any]:
    """The changes as nested keys."""
    if isinstance(changes, str | Mapping):
        changes = [changes]
    keys: dict[str, Any] = {}
    for change in changes:
        if not isinstance(change, str | Mapping):
            raise RunError(f"{change!r} is not a change: give fit.batch=64 or {{'fit.batch': 64}}")
        keys = merged(keys, _read_change(change) if isinstance(change, str) else _nested(change))
    return keys


def _nested(change: Mapping[str, Any]) -> dict[str, Any]:
    """{"fit.batch": 64} as nested keys; its values may themselves be such maps."""
    keys: dict[str, Any] = {}
    for path, given in change.items():
        if not isinstance(path, str) or not all(path.split(".")):
            raise RunError(f"{path!r} is not a key: give group.key, such as 'fit.batch'")
        value = _nested(given) if isinstance(given, Mapping) else plain(given)
        for key in reversed(path.split(".")):
            value = {key: value}
        keys = merged(keys, value)
    return keys


def _read_change(change: str) -> dict[str, Any]:
    """fit.batch=64 as nested keys."""
    path, equals, text = change.partition("=")
    if not equals or not all(path.split(".")):
        raise RunError(f"'{change}' is not a change: give key=value, such as fit.batch=64")
    # A player's text has colons and is not YAML.
    is_yaml = ":" not in text or text.lstrip().startswith(("{", "["))
    value: Any = Document(f"value: {text}", change, RunError).data["value"] if is_yaml else text
    for key in reversed(path.split(".")):
        value = {key: value}
    changed: dict[str, Any] = value
    return changed


def _checked(
    found: Mapping[str, Any], recipe: str = "", changes: Mapping[str, Any] | None = None
) -> Experiment:
    """The experiment of these keys. Mistakes are shown with the recipe's line if it has them."""
    whole = renewed(found)
    changed = renewed(changes or {})
    try:
        return Experiment.model_validate(whole)
    except ValidationError as error:
        file = _open(recipe) if _is_file(recipe) else None
        problems = [
            (
                None
                if place and within(changed, place) == place
                else _line(file, str(found.get("preset")), place),
                words + _owner(whole, place),
            )
            for place, words in explain(error, whole, dotted("the recipe"))
        ]
        said = (f"{recipe}:{line}: {words}" if line else words for line, words in problems[:3])
        raise RunError("; ".join(said)) from None


def _owner(whole: Mapping[str, Any], place: Place) -> str:
    """A hint at the regime that a misplaced key belongs to; "" if there is none."""
    if place[:1] != ("regime",) or len(place) < 2 or not isinstance(whole["regime"], dict):
        return ""
    owners = [kind for kind, each in REGIMES.items() if place[1] in each.model_fields]
    if not owners or whole["regime"].get("kind") in owners:
        return ""
    return f"; {place[1]} is for regime.kind={owners[0]}"


def _line(file: Document | None, preset: str, place: Place) -> int | None:
    """The line of a recipe's file that sets a value, in the preset or for all presets."""
    lines = [file.line(each) for each in (("presets", preset, *place), place)] if file else []
    return next(filter(None, lines), None)
