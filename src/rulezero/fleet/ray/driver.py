"""The driver of a Ray cluster: it hands games to actors and passes finished ones on.

It is a process of its own, because Ray ends its driver when the cluster is lost.
"""

import contextlib
import logging
import os
import socket
import sys
import time
import traceback
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import ray
from ray.exceptions import ActorUnavailableError, AuthenticationError, RayError

from rulezero.errors import RunError
from rulezero.fleet.ray.actor import GameActor, Hello, Taken, Workload
from rulezero.fleet.ray.handout import Handout
from rulezero.fleet.ray.messages import (
    LOCAL,
    Failed,
    GameKey,
    Games,
    Notice,
    Order,
    Ready,
    Settings,
    receive,
    send,
)
from rulezero.machine import cores
from rulezero.version import __version__

_CHECK_SECONDS = 1.0  # between two looks at the trainer's pipe, and at the head
_MOST_FAILED_CHECKS = 3  # of the head in a row
_COUNT_SECONDS = 5.0  # between two looks at the cluster's resources
_START_SECONDS = 30.0  # an actor that starts for longer waits for a free CPU
_CONNECT_SECONDS = 5.0
_CLOSE_SECONDS = 1.0
_MOST_DEATHS = 3  # of actors in a row, after each actor has died once
_LONGEST_REASON = 300  # characters
_STORE_BYTES = 512 << 20  # of the object store of a cluster on this machine


@dataclass(eq=False)
class _Actor:
    """An actor, as the driver sees it."""

    handle: Any
    call: "ray.ObjectRef[Any] | None"  # the call of `hello` or `take` that is awaited
    held: dict[GameKey, None] = field(default_factory=dict)  # the games that it has, in order
    is_ready: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def is_starting(self) -> bool:
        """Whether it can be expected to be ready soon."""
        return not self.is_ready and time.monotonic() < self.began + _START_SECONDS


class _GameError(Exception):
    """Games cannot be played."""


class _LostError(Exception):
    """The head of the cluster is dead."""


class Driver:
    """Plays orders on a cluster to which this process is connected."""

    def __init__(self, connection: "Connection[Any, Any]", settings: Settings) -> None:
        self._connection = connection
        self._settings = settings
        self._kind: Any = ray.remote(GameActor).options(
            num_cpus=settings.cpus,
            num_gpus=settings.gpus,
            max_concurrency=4,  # one of each of its methods
            scheduling_strategy="SPREAD",
        )
        self._key = uuid.uuid4().hex
        self._head = ray.get_runtime_context().gcs_address
        self._failed_checks = 0  # of the head, in a row
        self._actors: list[_Actor] = []
        self._nets: dict[str, ray.ObjectRef[bytes]] = {}  # by digest
        self._orders = 0
        self._deaths = 0  # of actors since the last game that was finished
        self._wanted = 0  # actors
        self._counted = -_COUNT_SECONDS
        self._has_warned = False

    def play(self, order: Order) -> None:
        """Plays all games of an order and sends them to the trainer."""
        while not self._is_head_alive():  # as Ray waits for a minute and ends the process then
            time.sleep(_CHECK_SECONDS)
        checked = time.monotonic()
        self._nets = {
            digest: self._nets.get(digest) or ray.put(order.packed[digest])
            for digest in order.nets.values()
        }
        nets = {name: self._nets[digest] for name, digest in order.nets.items()}
        workload = ray.put(Workload(order.tasks, nets, order.registered, order.files))
        self._orders += 1
        handout = Handout(order.games, self._settings.width)
        while handout.left:
            self._staff()
            expected = sum(actor.is_ready or actor.is_starting for actor in self._actors)
            for actor in self._actors:
                if actor.is_ready:
                    self._give(actor, handout.share(len(actor.held), expected), workload)
            finished, dead = [], []
            for actor, call in self._answered():
                try:
                    answer = ray.get(call)
                except RayError as error:
                    dead.append(error)
                    handout.give_back(actor.held)
                    self._remove(actor)
                    continue
                actor.call = None
                if isinstance(answer, Hello):
                    self._greet(actor, answer)
                    continue
                taken: Taken = answer
                if taken.failure is not None:
                    raise _GameError(taken.failure)
                for game, frame in taken.games:
                    del actor.held[game]
                    handout.finish()
                    finished.append((game[0], bytes(frame)))
                if actor.held:
                    actor.call = actor.handle.take.remote()
            if finished:
                self._deaths = 0
                self._has_warned = False
                send(self._connection, Games(finished))
            if dead:
                self._mourn(dead)
            if self._connection.poll():  # the trainer is silent while its games are played
                raise EOFError
            if time.monotonic() > checked + _CHECK_SECONDS:
                self._is_head_alive()
                checked = time.monotonic()

    def close(self) -> None:
        """Lets the actors remove their files."""
        calls = [actor.handle.close.remote() for actor in self._actors if actor.is_ready]
        if calls:
            ray.wait(calls, num_returns=len(calls), timeout=_CLOSE_SECONDS)

    def _is_head_alive(self) -> bool:
        """Whether the head answers. _LostError if it has not for several times in a row."""
        error = _unreachable(self._head)
        self._failed_checks = 0 if error is None else self._failed_checks + 1
        if self._failed_checks == _MOST_FAILED_CHECKS:
            raise _LostError(f"{self._head} does not answer") from error
        return error is None

    def _staff(self) -> None:
        """Starts the actors that are missing."""
        if time.monotonic() > self._counted + _COUNT_SECONDS:
            self._wanted = self._settings.actors or self._capacity()
            self._counted = time.monotonic()
        for actor in [actor for actor in self._actors if not actor.is_ready]:
            if len(self._actors) > self._wanted:  # the node that it waits for is dead
                self._remove(actor)
        while len(self._actors) < self._wanted:
            settings = self._settings
            handle = self._kind.remote(settings.width, settings.cache, self._key)
            self._actors.append(_Actor(handle, handle.hello.remote()))
        if not self._has_warned and not any(
            actor.is_ready or actor.is_starting for actor in self._actors
        ):
            self._has_warned = True
            self._warn(f"no actor has started for {_START_SECONDS:g} s: {self._shortage()}")

    def _capacity(self) -> int:
        """How many actors fit on the cluster; 1 if none does, as nodes may join it later."""
        found = _resources()
        fits = int(found.get("CPU", 0) / self._settings.cpus)
        if self._settings.gpus:
            fits = min(fits, int(found.get("GPU", 0) / self._settings.gpus))
        return max(1, fits)

    def _shortage(self) -> str:
        found, settings = _resources(), self._settings
        return (
            f"the Ray cluster has {found.get('CPU', 0):g} CPUs and {found.get('GPU', 0):g} GPUs,"
            f" and an actor reserves {settings.cpus:g} CPU and {settings.gpus:g} GPU"
        )

    def _give(
        self, actor: _Actor, games: list[GameKey], workload: "ray.ObjectRef[Workload]"
    ) -> None:
        if not games:
            return
        actor.held |= dict.fromkeys(games)
        actor.handle.add.remote(self._orders, [workload], games)
        if actor.call is None:
            actor.call = actor.handle.take.remote()

    def _answered(self) -> "Iterator[tuple[_Actor, ray.ObjectRef[Any]]]":
        """Waits for answers; yields the actors that have sent one, with the calls."""
        calls = {actor.call: actor for actor in self._actors if actor.call is not None}
        answered, _ = ray.wait(list(calls), timeout=_CHECK_SECONDS)
        if answered:
            answered, _ = ray.wait(list(calls), num_returns=len(calls), timeout=0)
        for call in answered:
            yield calls[call], call

    def _greet(self, actor: _Actor, hello: Hello) -> None:
        if hello.version != __version__:
            raise RunError(
                f"the node {hello.node} has rulezero {hello.version}, and the trainer has"
                f" {__version__}: install the same version on all nodes"
            )
        actor.is_ready = True

    def _remove(self, actor: _Actor) -> None:
        self._actors.remove(actor)
        with contextlib.suppress(RayError):
            ray.kill(actor.handle)

    def _mourn(self, dead: list[RayError]) -> None:
        """Reports dead actors. RunError if too many died in a row."""
        self._deaths += len(dead)
        if self._deaths > _MOST_DEATHS + self._wanted:
            raise RunError(
                f"{self._deaths} Ray actors in a row died without finishing a game"
                f"{_cause(dead[-1])}; finished games are kept"
            )
        count = "a Ray actor" if len(dead) == 1 else f"{len(dead)} Ray actors"
        self._warn(f"{count} died{_cause(dead[-1])}; others play the games again")

    def _warn(self, words: str) -> None:
        send(self._connection, Notice(words))


def _resources() -> dict[str, float]:
    """What all living nodes of the cluster have together."""
    found: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return found


def _reason(error: Exception) -> str:
    """The part of an error's text that says most, on one line."""
    if isinstance(error, AuthenticationError):  # whose text is a paragraph of advice
        return " ".join(str(error.message).split()).rstrip(".")[:_LONGEST_REASON]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = lines[-1] if lines else type(error).__name__
    detail = line.rpartition("Worker exit detail: ")[2].partition(" Some common causes")[0]
    return detail.rstrip(".")[:_LONGEST_REASON]


def _cause(error: Exception) -> str:
    """Why an actor died, as the end of a clause. Ray's own words are long if it was its node."""
    if "node has died" in str(error) or "node was terminated" in str(error):
        return ", as its node is gone"
    if isinstance(error, ActorUnavailableError):  # the connection is lost; why is found out later
        return ", perhaps with its node"
    return f" ({_reason(error)})"


def _unreachable(address: str) -> Exception | None:
    """Why nothing can be reached at HOST:PORT; None if something can."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:
        return error
    return None


def connect(settings: Settings) -> None:
    """Connects this process to a cluster, or starts one; RunError if that fails."""
    address = settings.address
    if ":" in address and (error := _unreachable(address)) is not None:
        raise RunError(  # Ray would try for a minute and end the process then
            f"there is no Ray cluster at {address} ({error}): start its head, as in `ray start"
            " --head --port=6379`, or give another address="
        ) from error
    options: dict[str, Any] = {}
    if address == LOCAL:
        options = {
            "num_cpus": max(1, round((settings.actors or cores()) * settings.cpus)),
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
        }
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except Exception as error:  # Ray's exceptions share no base
        if options:
            raise RunError(f"cannot start Ray on this machine: {_reason(error)}") from error
        raise RunError(
            f"cannot use the Ray cluster at {address}: {_reason(error)}; perhaps its token is"
            " another one: copy the head's ~/.ray/auth_token to this machine, and set"
            " RAY_AUTH_MODE=token"
        ) from error
    here = int(_resources().get("GPU", 0))
    if address == LOCAL and settings.gpus > here:  # actors would wait for ever
        found = "no GPU" if not here else f"{here} GPU" + "s" * (here > 1)
        raise RunError(
            f"gpus={settings.gpus:g}, but this machine has {found}: leave gpus= out, or give the"
            " address= of a cluster"
        )


def _drive(connection: "Connection[Any, Any]") -> None:
    """Plays orders until the trainer closes its pipe."""
    try:
        settings = receive(connection, Settings)
        connect(settings)
        driver = Driver(connection, settings)
        send(connection, Ready())
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
            while True:
                driver.play(receive(connection, Order))
        driver.close()
    except _GameError as error:
        send(connection, Failed(str(error), is_cluster=False))
    except RunError as error:
        send(connection, Failed(str(error), is_cluster=True))
    ray.shutdown()


def main() -> None:
    """Runs the driver's process; its pipe is the first argument."""
    number = int(sys.argv[1])
    os.set_inheritable(number, False)  # otherwise Ray's processes would keep the pipe open
    try:
        _drive(Connection(number))
    except BaseException:  # the cluster is lost
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # at a usual exit, Ray might wait for the cluster
