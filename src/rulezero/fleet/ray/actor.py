"""The actor that plays games on a node of a Ray cluster."""

import os
import shutil
import socket
import threading
import time
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
import ray

from rulezero._core import RulezeroError
from rulezero.fleet.nets import PackedNet, unpack_net
from rulezero.fleet.playing import Playing
from rulezero.fleet.protocol import pack
from rulezero.fleet.ray.folder import NodeFolder
from rulezero.fleet.ray.messages import Frame, GameKey
from rulezero.games import library, sources
from rulezero.games.load import unpack
from rulezero.play.nets import NetStore
from rulezero.play.task import Task, decode
from rulezero.version import __version__

_GATHER_SECONDS = 0.05  # games that finish within this time travel together


class Workload(NamedTuple):
    """What actors need to play the games of an order. It is put into the object store once."""

    tasks: list[bytes]  # encoded
    nets: dict[str, "ray.ObjectRef[bytes]"]  # by the names in the tasks' players, packed
    registered: bytes  # as in messages.Order
    files: dict[str, dict[str, bytes]]


class Hello(NamedTuple):
    """An actor introduces itself."""

    version: str  # of rulezero
    node: str  # the name of its machine


class Taken(NamedTuple):
    """Finished games, and why the actor has failed, if it has."""

    games: list[tuple[GameKey, Frame]]
    failure: str | None


class GameActor:
    """Plays games of orders in one thread while calls add games and take finished ones."""

    def __init__(self, width: int, cache: int, key: str) -> None:
        """`key` identifies the fleet."""
        self._playing = Playing(width=width, cache=cache)
        self._folder = NodeFolder(key)
        # Games are loaded from this folder only, so that a node's own rules do not matter.
        os.environ["RULEZERO_RULES"] = str(self._folder.path / f"rules_{os.getpid()}")
        self._adding = threading.Lock()
        self._order = -1
        self._tasks: list[Task] = []
        self._nets = NetStore()
        self._has_games = threading.Event()
        self._changed = threading.Condition()
        self._finished: list[tuple[GameKey, Frame]] = []
        self._failure: str | None = None
        threading.Thread(target=self._play, daemon=True).start()

    def hello(self) -> Hello:
        """Answers when the actor is there."""
        return Hello(__version__, socket.gethostname())

    def add(
        self, order: int, workload: "Sequence[ray.ObjectRef[Workload]]", games: list[GameKey]
    ) -> None:
        """Adds games of an order, which is fetched only once."""
        try:
            with self._adding:
                if order != self._order:
                    self._begin(ray.get(workload[0]))
                    self._order = order
                for number, keys in groupby(games, key=lambda game: game[0]):
                    indices = [index for _, index in keys]
                    self._playing.add(f"{order}/{number}", self._tasks[number], self._nets, indices)
            self._has_games.set()
        except Exception as error:
            self._fail(error)

    def take(self) -> Taken:
        """Waits for finished games."""
        with self._changed:
            self._changed.wait_for(lambda: self._finished or self._failure)
        if self._failure is None:
            time.sleep(_GATHER_SECONDS)
        with self._changed:
            games, self._finished = self._finished, []
            return Taken(games, self._failure)

    def close(self) -> None:
        """Removes the files of the last order."""
        self._folder.close()

    def _begin(self, workload: Workload) -> None:
        """Fetches nets and games. No actor plays any game of the order before this one."""
        unpack(workload.registered)
        for sha, files in workload.files.items():
            sources.write(files, library.library() / sha)
        packed = {
            name: msgspec.msgpack.decode(ray.get(net), type=PackedNet)
            for name, net in workload.nets.items()
        }
        nets = self._folder.path / "nets"
        nets.mkdir(exist_ok=True)
        wanted = {net.digest for net in packed.values()}
        for old in nets.iterdir():
            if old.name not in wanted:
                shutil.rmtree(old, ignore_errors=True)  # another actor may do the same
        copies = {name: unpack_net(net, nets) for name, net in packed.items()}
        self._nets = NetStore(copies=copies)
        self._tasks = [decode(task, Task) for task in workload.tasks]

    def _play(self) -> None:
        try:
            while True:
                self._has_games.wait()
                self._has_games.clear()
                for key, finished in self._playing.finished():
                    number = int(key.partition("/")[2])
                    with self._changed:
                        game = (number, finished.record.index), Frame(pack(finished))
                        self._finished.append(game)
                        self._changed.notify()
        except BaseException as error:  # raised by rules or an evaluator in Python
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._failure = (
                str(error)
                if isinstance(error, RulezeroError)
                else f"an actor failed: {type(error).__name__}: {error}"
            )
            self._changed.notify()
