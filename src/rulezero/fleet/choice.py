"""Opens the fleet that a text names, such as `local` or `ray:address=auto`."""

import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, cast

from rulezero._core import GameError
from rulezero.errors import RunError, among
from rulezero.fleet.fleet import Fleet
from rulezero.games import grammar
from rulezero.machine import check_workers
from rulezero.play.nets import NetStore


class Orders(NamedTuple):
    """What every fleet is given."""

    nets: NetStore  # finds the nets that tasks name
    folder: Path  # of the run: a fleet may keep files of its own in folder/fleet
    workers: int = 0  # worker processes; 0: one for each core
    width: int = 64  # games that a worker plays at the same time


class FleetKind(NamedTuple):
    """A kind of fleet. The module of its name offers one as `KIND`."""

    open: Callable[[Orders, Mapping[str, str]], AbstractContextManager[Fleet]]
    keys: Mapping[str, str] = {}  # the keys of its text, each with a help text


# The modules are imported only when their fleet is opened: they need packages of their own.
_MODULES = {
    "http": "rulezero.fleet.http",
    "local": "rulezero.fleet.local",
    "ray": "rulezero.fleet.ray",
}


def open_fleet(text: str, orders: Orders) -> AbstractContextManager[Fleet]:
    """The fleet of a text; RunError says what is wrong with the text.

    No fleet changes a record: a task's games depend on the task alone.
    """
    check_workers(orders.workers)
    try:
        spec = grammar.read(text)
    except GameError as error:
        raise RunError(f"fleet: {error}") from error
    if spec.name not in _MODULES:
        raise RunError(f"there is no fleet '{spec.name}'{among(spec.name, _MODULES)}")
    kind = cast(FleetKind, importlib.import_module(_MODULES[spec.name]).KIND)
    for key in spec.options:
        if key not in kind.keys:
            raise RunError(
                f"the fleet '{spec.name}' has no key '{key}'{among(key, kind.keys)}"
                if kind.keys
                else f"the fleet '{spec.name}' has no keys: leave {key}= out"
            )
    return kind.open(orders, spec.options)
