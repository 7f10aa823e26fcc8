"""Opens the fleet that a text names, such as `local` or `ray:address=auto`."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, cast

from rulezero._core import GameError, NetError
from rulezero.errors import RunError, among
from rulezero.fleet.fleet import Fleet
from rulezero.games import grammar
from rulezero.machine import check_workers
from rulezero.play.evaluators import check_device
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.task import Task


class Orders(NamedTuple):
    """What every fleet is given."""

    nets: NetStore  # finds the nets that tasks name
    folder: Path  # of the run: a fleet may keep files of its own in folder/fleet
    workers: int = 0  # worker processes; 0: one for each core
    width: int = 64  # games that a worker plays at the same time
    tasks: Sequence[Task] = ()  # with games and players as in those to come, to check them


class FleetKind(NamedTuple):
    """A kind of fleet. The module of its name offers one as `KIND`.

    `open` refuses what is wrong at once. It writes no file and starts nothing; the context that it
    returns does when it is entered.
    """

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

    What is wrong is refused by this call. Files are written, and processes started, only when the
    context is entered. No fleet changes a record: a task's games depend on the task alone.
    """
    check_workers(orders.workers)
    if text.startswith(("http://", "https://")):
        raise RunError(f"there is no fleet '{text}': did you mean http:server={text}?")
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


def check_devices(tasks: Sequence[Task]) -> None:
    """NetError if this machine lacks a device that a player of these tasks names."""
    texts = [text for task in tasks for text in (task.a, task.b, task.judge) if text is not None]
    for text in dict.fromkeys(texts):
        player = read_player(text)
        if player.net is None:
            continue
        try:
            check_device(player.options)
        except NetError as error:
            raise NetError(f"'{text}': {error}") from error
