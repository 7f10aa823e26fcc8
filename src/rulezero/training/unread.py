"""Finds keys that an experiment sets but does not read, which are errors."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rulezero.settings import Settings
from rulezero.training.experiment import Experiment


class Unread(NamedTuple):
    """A key whose value differs from its default and is not read."""

    key: str  # with its groups, such as fit.rate.end
    words: str  # what is wrong, and what to do


def ignored(experiment: Experiment) -> Iterator[Unread]:
    """Keys that the experiment's regime does not read."""
    regime = experiment.regime
    for path, todo in regime.unread.items():
        group, groups, name = _owner(experiment, path)
        for key in _changed(group, name):
            whole = f"{groups}{key}"
            yield Unread(whole, f"the regime {regime.kind} does not read {whole}: {todo}")


def idle(group: Settings, path: str = "") -> Iterator[Unread]:
    """Keys of a group and of its subgroups that have no effect, given the values of other keys."""
    for key, use in group.idle().items():
        owner, _, name = _owner(group, key)
        if any(_changed(owner, name)):
            said, needed = f"{path}{key}={getattr(owner, name)}", f"{path}{use}"
            todo = f"add --set {needed}, or leave it out"
            yield Unread(f"{path}{key}", f"{said} has no effect: it is for {needed}; {todo}")
    for name in type(group).model_fields:
        value = getattr(group, name)
        if isinstance(value, Settings):
            yield from idle(value, f"{path}{name}.")


def paths(keys: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of nested keys: fit.batch for {"fit": {"batch": 64}}."""
    for key, value in keys.items():
        if isinstance(value, Mapping):
            yield from paths(value, f"{path}{key}.")
        else:
            yield f"{path}{key}"


def _owner(group: Settings, path: str) -> tuple[Settings, str, str]:
    """The group that a path leads to, the path of that group, and the name of the key in it."""
    groups, _, name = path.rpartition(".")
    for part in filter(None, groups.split(".")):
        group = getattr(group, part)
    return group, f"{groups}." if groups else "", name


def _changed(group: Settings, name: str) -> Iterator[str]:
    """The key, or the keys in a group of this name, if their values are not the defaults."""
    value = getattr(group, name)
    if isinstance(value, Settings):
        for key in type(value).model_fields:
            yield from (f"{name}.{each}" for each in _changed(value, key))
    elif value != type(group).model_fields[name].get_default(call_default_factory=True):
        yield name
