"""Plays tasks on a Ray cluster. Only the modules of this folder import ray."""

import contextlib
import importlib.util
import logging
import math
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from rulezero._core import Game, RulezeroError
from rulezero.errors import RunError
from rulezero.fleet.choice import FleetKind, Orders, check_devices
from rulezero.fleet.nets import nets_of, pack_net
from rulezero.fleet.protocol import unpack
from rulezero.fleet.ray.messages import (
    LOCAL,
    Answer,
    Failed,
    Games,
    Notice,
    Order,
    Ready,
    Settings,
    receive,
    send,
)
from rulezero.games import grammar
from rulezero.games.load import files_of, packed
from rulezero.play.nets import NetStore
from rulezero.play.table import Finished
from rulezero.play.task import Task, check_task

_LOG = logging.getLogger("rulezero")
_CLOSE_SECONDS = 5.0  # for a driver to end by itself
_ENVIRONMENT = {  # unless the user has set these
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # Ray's default, 15, would let any other program stop the games
}
_MODE = "RAY_AUTH_MODE"
_MODES = ("token", "disabled", "k8s")  # Ray takes any other word for disabled
_START = "from rulezero.fleet.ray.driver import main; main()"


class RayFleet:
    """Plays tasks on a Ray cluster, through a driver process.

    The driver's output goes to the file `log`; `again` says how to resume when the cluster is lost.
    """

    def __init__(self, nets: NetStore, settings: Settings, log: Path, again: str) -> None:
        self._nets = nets
        self._settings = settings
        self._log = log
        self._again = again
        self._driver: subprocess.Popen[bytes] | None = None
        self._pipe: Connection[Any, Any] | None = None
        self._sent: set[str] = set()  # digests of the nets that the driver has

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """Yields the games of tasks as they finish, each with the number of its task.

        `done` has, for each task, the indices of games that are not played. An actor that dies is
        replaced, and its games are played again. RunError says that the cluster is lost.
        """
        order = self._order(tasks, done)
        left = len(order.games)
        if not left:
            return
        is_done = False
        try:
            pipe = self._connected()
            self._send(pipe, order)
            self._sent = set(order.nets.values())
            while left:
                answer = self._receive(pipe)
                assert isinstance(answer, Games)
                for number, frame in answer.games:
                    left -= 1
                    yield number, unpack(frame)
            is_done = True
        finally:
            if not is_done:  # the driver plays games that are no longer wanted
                self.kill()

    def start(self) -> None:
        """Starts the driver; RunError if the cluster cannot be used."""
        self._connected()

    def close(self) -> None:
        """Ends the driver, and a cluster that it has started."""
        if self._pipe is not None:
            self._pipe.close()
        if self._driver is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._driver.wait(_CLOSE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Ends the driver at once. Ray ends the driver's actors then."""
        if self._pipe is not None:
            self._pipe.close()
        if self._driver is not None:
            self._driver.kill()
            self._driver.wait()
        self._driver = self._pipe = None
        self._sent = set()

    def _order(self, tasks: Sequence[Task], done: Sequence[Collection[int]]) -> Order:
        games = [check_task(task) for task in tasks]
        packs = {
            name: pack_net(name, suffixes, self._nets) for name, suffixes in nets_of(tasks).items()
        }
        digests = {name: net.digest for name, net in packs.items()}
        return Order(
            tasks=[
                msgspec.msgpack.encode(_portable(task, game))
                for task, game in zip(tasks, games, strict=True)
            ],
            games=[
                (number, index)
                for number, task in enumerate(tasks)
                for index in range(task.games)
                if not done or index not in done[number]
            ],
            nets=digests,
            packed={
                digests[name]: msgspec.msgpack.encode(net)
                for name, net in packs.items()
                if digests[name] not in self._sent
            },
            registered=packed(task.game for task in tasks),
            files={
                grammar.read(game.text).options["sha"]: files
                for game in games
                if (files := files_of(game))
            },
        )

    def _connected(self) -> "Connection[Any, Any]":
        """The pipe to the driver, which is started if it does not run."""
        if self._pipe is not None:
            return self._pipe
        self._log.parent.mkdir(parents=True, exist_ok=True)
        ours, theirs = multiprocessing.Pipe()
        with theirs, self._log.open("wb") as log:
            self._driver = subprocess.Popen(
                # -P: modules of the current folder must not hide Ray's
                [sys.executable, "-P", "-c", _START, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_ENVIRONMENT | os.environ,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # this process handles Ctrl-C and ends the driver
            )
        self._pipe = ours
        self._send(ours, self._settings)
        assert isinstance(self._receive(ours), Ready)
        return ours

    def _send(self, pipe: "Connection[Any, Any]", message: msgspec.Struct) -> None:
        try:
            send(pipe, message)
        except OSError as error:
            raise self._lost() from error

    def _receive(self, pipe: "Connection[Any, Any]") -> Answer:
        """The next answer that is not a notice."""
        while True:
            try:
                answer: Answer = receive(pipe, Answer)
            except (EOFError, OSError) as error:
                raise self._lost() from error
            if isinstance(answer, Failed):
                raise RunError(answer.words) if answer.is_cluster else RulezeroError(answer.words)
            if not isinstance(answer, Notice):
                return answer
            _LOG.warning(answer.words)

    def _lost(self) -> RunError:
        address = self._settings.address
        place = "on this machine" if address == LOCAL else f"at {address}"
        return RunError(
            f"the Ray cluster {place} is lost, because its head or this machine's node has died;"
            f" finished games are kept. {self._again} (details: {self._log})"
        )


def _portable(task: Task, game: Game) -> Task:
    """The task, with a game in a Python file named by its hash instead of its path."""
    return msgspec.structs.replace(task, game=game.text) if files_of(game) else task


def _reserved(keys: Mapping[str, str], key: str, default: float, least: float) -> float:
    """The value of `cpus` or `gpus`, which is a share of one or a whole number, as Ray demands."""
    text = keys.get(key, f"{default:g}")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= 1024 or (number > 1 and not number.is_integer()):
        raise RunError(
            f"{key}={text}: give a whole number, or a share of one such as {key}=0.5"
            + ("; at least 0.01" if least else "")
        )
    return number


def _open(orders: Orders, keys: Mapping[str, str]) -> AbstractContextManager[RayFleet]:
    if importlib.util.find_spec("ray") is None:
        raise RunError("the fleet 'ray' needs Ray: pip install -c constraints.txt '.[ray]'")
    address = keys.get("address") or os.environ.get("RAY_ADDRESS") or LOCAL
    if "://" in address:
        raise RunError(
            f"address={address}: the trainer must run on a node of the cluster; give its head as"
            " HOST:PORT, or auto"
        )
    if address not in (LOCAL, "auto") and not re.fullmatch(".+:[0-9]{1,5}", address):
        raise RunError(f"address={address}: give the cluster's head as HOST:PORT, auto, or local")
    mode = os.environ.get(_MODE, "token")
    if mode.lower() not in _MODES:
        raise RunError(f"the environment variable {_MODE} is '{mode}': set it to token or disabled")
    settings = Settings(
        address=address,
        actors=orders.workers,
        cpus=_reserved(keys, "cpus", 1, 0.01),
        gpus=_reserved(keys, "gpus", 0, 0),
        width=orders.width,
    )
    fleet_text = grammar.Spec("ray", keys).text
    again = f"Resume with: rulezero train --resume {orders.folder} --fleet {fleet_text}"
    if address == LOCAL:  # otherwise other machines play, which may have other devices
        check_devices(orders.tasks)
    fleet = RayFleet(orders.nets, settings, orders.folder / "fleet" / "ray.log", again)
    return _started(fleet)


@contextlib.contextmanager
def _started(fleet: RayFleet) -> Iterator[RayFleet]:
    try:
        fleet.start()
        yield fleet
        fleet.close()
    finally:
        fleet.kill()


KIND = FleetKind(
    open=_open,
    keys={
        "address": "Head of the cluster, HOST:PORT; auto for a cluster of which this machine is a"
        " node; local for a new cluster on this machine (default: $RAY_ADDRESS, otherwise local).",
        "cpus": "CPUs that each actor reserves (default: 1).",
        "gpus": "GPUs that each actor reserves, such as 0.5 for two actors per GPU (default: 0).",
    },
)
