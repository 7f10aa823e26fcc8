"""An experiment: the settings of all rooms, put together from a recipe, a preset and changes."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from rulezero.errors import RunError
from rulezero.games import games
from rulezero.games.grammar import nearest
from rulezero.learn.fit import FitSettings
from rulezero.learn.targets import TargetSettings
from rulezero.learn.window import WindowSettings
from rulezero.nets.config import NetConfig, sized
from rulezero.settings import AS_KEYS, Settings, read_as
from rulezero.train.distillation import DistillSettings
from rulezero.train.tasks import (
    CurriculumSettings,
    GateSettings,
    OpponentSettings,
    PlayerText,
    PlaySettings,
    TrialSettings,
)

PRESETS = ("tiny", "small", "medium", "full")


class Experiment(Settings):
    """Everything that a run depends on, but for the machine."""

    recipe: str
    preset: str
    game: str
    regime: Literal["gated", "teacher_student", "frozen_opponent", "distill"] = "gated"
    seed: int = Field(0, ge=0, lt=1 << 64)
    iterations: int = Field(10, ge=0)  # of self-play; the bootstrap is iteration 0
    begin: str | None = None  # a net whose weights the first one has; none: random ones
    net: Annotated[NetConfig, read_as(NetConfig, sized), AS_KEYS] = NetConfig()
    bootstrap: tuple[PlaySettings, ...] = ()
    selfplay: PlaySettings
    student: PlayerText = "oneply:net=latest"  # teacher_student: whom selfplay.a teaches
    opponent: OpponentSettings = OpponentSettings()  # frozen_opponent: who stands still
    curriculum: CurriculumSettings | None = None  # lessons beside the other games; none: without
    distill: DistillSettings = DistillSettings()  # distill: what is taught in which stages
    stores: tuple[str, ...] = ()  # folders of games to learn from besides, people's for instance
    targets: TargetSettings = TargetSettings()
    window: WindowSettings = WindowSettings()
    fit: FitSettings = FitSettings()
    gate: GateSettings = GateSettings()
    anchor: TrialSettings | None = None
    width: int = Field(32, ge=1)  # games that a worker plays in step

    @model_validator(mode="after")
    def _ends_with_its_stages(self) -> "Experiment":
        if self.regime != "distill":
            return self
        if self.stores:
            raise ValueError("a distillation learns from games that it judges: leave stores out")
        if self.begin is not None:
            raise ValueError("a distillation begins with distill.load: leave begin out")
        last = self.distill.stages[-1].last
        if "iterations" not in self.model_fields_set:
            return self.model_copy(update={"iterations": last})
        if self.iterations > last:
            raise ValueError(
                f"the stages have {last} iterations in all, not {self.iterations}: change"
                " distill.material_iterations or distill.search_iterations"
            )
        return self

    @property
    def text(self) -> str:
        """The experiment as YAML: `read` gives it back."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)


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
    return _checked({"recipe": Path(recipe).stem, "preset": preset} | merged)


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
        near = nearest(name, known)
        raise RunError(f"there is no recipe or game '{name}'{near}; known: {', '.join(known)}")
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
    if experiment.regime == "distill" and whole["iterations"] == experiment.distill.stages[-1].last:
        del whole["iterations"]  # they follow from the stages
    return _checked(_merged(whole, keys))


def read(text: str) -> Experiment:
    """The experiment that a run wrote down."""
    return _checked(_parsed(text, "config.yaml"))


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


def _checked(found: dict[str, Any]) -> Experiment:
    try:
        return Experiment.model_validate(found)
    except ValidationError as error:
        raise RunError("; ".join(_words(error, found))) from None


def _words(error: ValidationError, found: dict[str, Any]) -> Iterator[str]:
    for problem in error.errors(include_url=False)[:3]:
        path = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            known = _keys_beside(problem["loc"])
            key = str(problem["loc"][-1])
            yield f"there is no key '{path}'{nearest(key, known)}; known: {', '.join(known)}"
        elif problem["type"] == "missing":
            yield f"the key '{path}' is missing"
        elif problem["type"] in ("model_type", "tuple_type"):
            kind = "keys with values" if problem["type"] == "model_type" else "a list"
            yield f"{path}: this is {kind}, not {problem['input']!r}"
        else:
            words = problem["msg"].removeprefix("Value error, ")
            yield (f"{path}: " if path else "") + f"{words[:1].lower()}{words[1:]}"


def _keys_beside(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the group in which a key is."""
    model: Any = Experiment
    for part in location[:-1]:
        if isinstance(part, str) and part in model.model_fields:
            annotation = model.model_fields[part].annotation
            inner = [annotation, *getattr(annotation, "__args__", ())]
            groups = [
                each for each in inner if isinstance(each, type) and issubclass(each, Settings)
            ]
            model = groups[0] if groups else model
    return list(model.model_fields)
