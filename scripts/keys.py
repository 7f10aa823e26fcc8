"""Prints every flag and every key of the recipes with the line of code that reads it.

    .venv/bin/python scripts/keys.py [RECIPE ...]

It makes tiny runs of each recipe and watches which settings they read. A key that no run has read
is listed as refused if an experiment with it is an error, and otherwise as unread; then the exit
code is 1. A star marks keys that a recipe or one of its presets gives.
"""

import contextlib
import dataclasses
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

import rulezero as rz
from rulezero import config
from rulezero.cli.training.train import watching
from rulezero.flags import FLAGS, Flag, Switch, belongs_to
from rulezero.play.resign import Resign
from rulezero.settings import Settings
from rulezero.training import unread

PACKAGE = Path(rz.__file__).parent

# Code that reads keys without using them: checks, and code that makes experiments.
_CHECKS = {"config.py", "flags.py", "settings.py", "training/unread.py"}
_CHECKING = {("runs.py", "check"), ("training/experiment.py", "_suits_its_regime")}
_OPTIONAL = {"curriculum": "{}", "targets.rewards": "{}", "begin": "x"}  # only for some recipes
_NAMES = {"net.size": "net.blocks"}  # keys that stand for others

# Changes that lead through every branch, for runs whose net is a tower. Changes that an experiment
# refuses are left out: for example for a game without lessons, or a regime without a gate.
_COMMON = ("selfplay.games=2", "anchor.games=2", "net.blocks=1", "net.channels=8", "fit.batch=16")
_TOWERS = (
    (
        *("iterations=2", "window={kind: growing, plies: 100}"),
        "gate={kind: sprt, games: 14, elo1: 400, player: 'policy:net=candidate'}",
        "fit={samples: 32, optimiser: sgd, rate: {kind: cosine, warm_up: 2}}",
        "net={head: flat, moves_left: true}",
        *("selfplay.opening=2", "targets={search_share: 0.5, search_share_end: 0.2}"),
    ),
    (
        *("iterations=1", "window={kind: generations, validation: 0.3, held_out: 0.3}"),
        "gate={kind: threshold, games: 2, player: 'policy:net=candidate'}",
        "fit={samples_per_ply: null, epochs: 2, patience: 1, init: scratch}",
        "fit.rate={kind: exponential, every: epoch}",
        *("net.value_pooled=true", "selfplay.resign={value: 0.1, choices: 1}"),
        *("curriculum.label=start", "targets.rewards={shaped_over: rest, draw_target: 0.1}"),
    ),
    (
        *("iterations=1", "window={kind: fixed, mix: 0.5}", "gate=null"),
        "fit={samples_per_ply: 0.25, micro_batch: 8, clip: 1.0, average: 0.9}",
        "fit.rate={kind: steps, steps: [1, 2]}",
        *(
            "net.head=dense",
            "bootstrap=[{a: 'ucb1:sims=4', games: 2, resign: {value: 0.1, choices: 1}}]",
        ),
    ),
)
_PERCEPTRONS = (
    (
        *("regime.material_iterations=2", "fit={samples: 32, optimiser: sgd}"),
        "fit.rate={kind: cosine, warm_up: 2}",
        *("window={kind: growing, plies: 100, mix: 0.5}", "selfplay.resign={value: 0.1}"),
    ),
    (
        *("fit={samples_per_ply: null, epochs: 2, clip: 1.0, init: scratch}", "regime.agents=2"),
        *("fit.rate={kind: exponential, every: epoch}", "window={kind: generations}"),
    ),
    ("fit.samples_per_ply=0.25", "fit.rate={kind: steps, steps: [1]}", "selfplay.opening=2"),
)


class Spy:
    """A context in which it notes which code reads the keys of experiments."""

    def __init__(self) -> None:
        self.reads: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by key: file:line
        self._known: dict[int, tuple[object, str, frozenset[str]]] = {}  # with keys not to note

    def watch(self, group: object, path: str = "", hidden: frozenset[str] = frozenset()) -> None:
        """Notes reads of this group's keys from now on, except for hidden keys."""
        self._known[id(group)] = (group, path, hidden)
        for name in _fields(type(group)):
            value = object.__getattribute__(group, name)
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, Settings | Resign):
                    self.watch(each, f"{path}{name}.")

    def __enter__(self) -> "Spy":
        spy, copy = self, BaseModel.model_copy

        def read(group: Any, name: str) -> Any:
            spy.note(group, name)
            return object.__getattribute__(group, name)

        def model_copy(group: Any, *, update: Mapping[str, Any] | None = None, **how: Any) -> Any:
            made = copy(group, update=update, **how)
            if id(group) in spy._known:  # a key that is replaced in a copy was not read
                _, path, hidden = spy._known[id(group)]
                spy.watch(made, path, hidden | frozenset(update or ()))
            return made

        patches: list[tuple[Any, str, Callable[..., Any]]] = [
            (Settings, "__getattribute__", read),
            (Resign, "__getattribute__", read),
            (Settings, "model_copy", model_copy),
        ]
        for owner, name, patch in patches:
            setattr(owner, name, patch)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        del Settings.__getattribute__, Resign.__getattribute__, Settings.model_copy

    def note(self, group: object, name: str) -> None:
        """Notes that a group's attribute is read."""
        _, path, hidden = self._known.get(id(group), (None, "", frozenset()))
        if id(group) not in self._known or name in hidden or name not in _fields(type(group)):
            return
        if place := _reader(sys._getframe(2)):
            self.reads[f"{path}{name}"][place] += 1


def _fields(kind: type) -> Sequence[str]:
    if issubclass(kind, Settings):
        return tuple(type.__getattribute__(kind, "__pydantic_fields__"))
    return tuple(field.name for field in dataclasses.fields(kind)) if kind is Resign else ()


def _reader(frame: FrameType | None) -> str:
    """The package's line that reads; "" if it only checks, or if the package does not read."""
    while frame is not None:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_name
        if path.is_relative_to(PACKAGE):
            file = path.relative_to(PACKAGE).as_posix()
            return (
                "" if file in _CHECKS or (file, name) in _CHECKING else f"{file}:{frame.f_lineno}"
            )
        if path == Path(__file__):
            return ""
        frame = frame.f_back
    return ""


def experiments(recipe: str) -> list[rz.Experiment]:
    """Tiny experiments of a recipe, with changes that lead through every branch."""
    plain = config.load(recipe, "tiny")
    kinds = _TOWERS if plain.regime.has_tower else _PERCEPTRONS
    found = []
    for changes in kinds:
        made = plain
        for change in (*_COMMON, *changes):
            try:
                changed = config.with_changes(made, [change])
                rz.runs.check(changed)
            except rz.RulezeroError:
                continue
            made = changed
        found.append(made)
    return found


def spied(made: Sequence[rz.Experiment]) -> Spy:
    """A spy that has watched a run of each experiment, made in the working directory."""
    spy = Spy()
    for experiment in made:
        spy.watch(experiment)
        with watching(experiment) as watch, spy:
            rz.train(experiment, workers=1, listener=watch)
    return spy


def keys_of(kind: Any, path: str = "") -> Iterator[str]:
    """The keys of a group with those of the groups in it."""
    for name in _fields(kind):
        inner = _group(kind, name)
        if inner is None:
            yield f"{path}{name}"
        else:
            yield from keys_of(inner, f"{path}{name}.")


def _group(kind: Any, name: str) -> type | None:
    """The type of the group, or of several groups, that a key holds; None: a plain value."""
    fields: Any = kind.model_fields if issubclass(kind, Settings) else kind.__annotations__
    wanted = [fields[name].annotation if issubclass(kind, Settings) else fields[name]]
    while wanted:
        each = wanted.pop()
        if isinstance(each, type) and issubclass(each, Settings | Resign):
            return each
        wanted += get_args(each)
    return None


def keys_of_recipe(experiment: rz.Experiment) -> list[str]:
    """Every key that an experiment has, including those of its kind of regime."""
    every = [key for key in keys_of(rz.Experiment) if not key.startswith("regime.")]
    return [*every, *keys_of(type(experiment.regime), "regime.")]


def given_in(recipe: str) -> set[str]:
    """The keys that a recipe, or one of its presets, gives."""
    whole = config.renewed(config._read_recipe(recipe))
    presets = whole.pop("presets", {})
    found: set[str] = set()
    for keys in (whole, *map(config.renewed, presets.values())):
        keys = {key: value for key, value in keys.items() if key != "like"}
        bootstrap = keys.pop("bootstrap", [])
        found |= {f"bootstrap.{key}" for each in bootstrap for key in each}
        found |= {_NAMES.get(key, key) for key in unread.paths(keys)}
    return found


def refusal(key: str, made: Sequence[rz.Experiment]) -> str:
    """Why an experiment of a recipe cannot have a key; "": it can."""
    regime = made[0].regime
    for path, todo in regime.unread.items():
        if f"{key}.".startswith(f"{path}."):
            return f"regime {regime.kind}: {todo}"
    if key.startswith("gate.") and not regime.has_gate:
        return f"regime {regime.kind}: it has no gate"
    if all(key in idle for idle in map(dict, map(idle_keys, made))):
        return f"only for {dict(idle_keys(made[0]))[key]}"
    for group, value in _OPTIONAL.items():
        if f"{key}.".startswith(f"{group}."):
            try:
                rz.runs.check(config.with_changes(made[0], [f"{group}={value}"]))
            except rz.RulezeroError as error:
                return str(error)
    return ""


def idle_keys(group: Settings, path: str = "") -> Iterator[tuple[str, str]]:
    """Keys without effect in an experiment, whatever their values, and what they are for."""
    for key, use in group.idle().items():
        yield f"{path}{key}", f"{path}{use}"
    for name in type(group).model_fields:
        inner = getattr(group, name)
        if isinstance(inner, Settings):
            yield from idle_keys(inner, f"{path}{name}.")


class Row(NamedTuple):
    """A key of a recipe, or a flag."""

    recipe: str
    name: str
    said: str  # where it is read, or why it is refused
    is_unread: bool


def row_of(key: str, name: str, recipe: str, spy: Spy, made: Sequence[rz.Experiment]) -> Row:
    """The row of a key."""
    # A regime's kind is read where the regime is: it says which class that is.
    readers = spy.reads.get(key.removesuffix(".kind") if key == "regime.kind" else key, Counter())
    if readers:
        (place, _), *others = readers.most_common()
        return Row(recipe, name, f"{place}{f' and {len(others)} more' if others else ''}", False)
    why = refusal(key, made)
    return Row(recipe, name, f"refused: {why}" if why else "UNREAD", not why)


def rows_of_keys(recipe: str, spy: Spy, made: Sequence[rz.Experiment]) -> Iterator[Row]:
    """Every key of a recipe."""
    given = given_in(recipe)
    known = keys_of_recipe(made[0])
    for key in known:
        yield row_of(key, f"{key}{' *' if key in given else ''}", recipe, spy, made)
    groups = {key.rpartition(".")[0] for key in known}
    maps = tuple(f"{key}." for key in known)  # such as window.always, with any keys
    for key in sorted(key for key in given - {*known, *groups} if not key.startswith(maps)):
        yield Row(recipe, f"{key} *", "UNREAD: no group has this key", True)


def rows_of_flags(recipe: str, spy: Spy, made: Sequence[rz.Experiment]) -> Iterator[Row]:
    """The flags of a recipe, each with the keys that it changes."""
    for flag in FLAGS:
        if recipe not in belongs_to(flag):
            continue
        plain = config.load(recipe, "full")
        keys = flag.keys(plain, _example(flag, plain)) or {"nothing": None}
        for key in unread.paths(keys):
            whole = f"{key}.kind" if key == "regime" else key
            yield row_of(whole, f"--{flag.name} ({whole})", recipe, spy, made)


def _example(flag: Flag, experiment: rz.Experiment) -> Any:
    """A value for a flag; for a switch, the one that changes something."""
    if flag.kind is Switch:
        return not flag.keys(experiment, False)
    if isinstance(flag.kind, tuple):
        return flag.kind[0]
    return {int: 2, float: 0.25, bool: True}.get(flag.kind, "2" if flag.value else "some")


def main(recipes: Sequence[str]) -> int:
    """Prints the rows; returns 1 if a key is neither read nor refused."""
    rows: list[Row] = []
    for recipe in recipes or config.recipes():
        made = experiments(recipe)
        with tempfile.TemporaryDirectory(prefix="rulezero_") as folder, contextlib.chdir(folder):
            spy = spied(made)
        rows += [*rows_of_flags(recipe, spy, made), *rows_of_keys(recipe, spy, made)]
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{row.recipe:<13} {row.name:<{width}} {row.said}")
    wrong = [row for row in rows if row.is_unread]
    print(f"{len(rows)} flags and keys, {len(wrong)} unread")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
