"""Helper processes of a fit: each computes the gradients of its part of every batch.

A helper knows neither the window nor the plan. For each batch it receives the games of its part,
makes the part from them, and takes part in the sums of `sharing`.
"""

import contextlib
import os
import queue
import tempfile
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import msgspec
import numpy as np
import safetensors.torch
import torch

from rulezero._core import Game, RulezeroError
from rulezero.errors import RunError
from rulezero.games.load import load, packed, unpack
from rulezero.learn.batch import Batch, Batches, made
from rulezero.learn.fit import FitSettings
from rulezero.learn.gradients import Gradients
from rulezero.learn.sharing import Disconnected, Group, Part, parts_of
from rulezero.learn.terms import Term, chosen
from rulezero.learn.window import Indices
from rulezero.nets.config import NetConfig
from rulezero.nets.device import device_of, threads
from rulezero.nets.tower import Tower, tower_for
from rulezero.processes import end_with_parent, start

_CAUSE_SECONDS = 10.0  # time for the cause of a lost connection to become known


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What every helper of a fit is given at its start."""

    games: bytes  # rules that are registered only in the main process, packed
    game: str
    net: NetConfig
    weights: bytes  # all tensors of the net, in the format of safetensors
    settings: FitSettings
    hooks: str | None  # the file of the loss terms
    terms: tuple[str, ...]
    heads: tuple[str, ...]  # loss terms with a head in the net
    seed: int | None  # of torch's random numbers; none: the fit needs none


class Lesson(NamedTuple):
    """A batch, or this process's part of one."""

    batch: Batch
    part: Part | None = None  # none: the whole batch

    @property
    def positions(self) -> int:
        """The number of positions in the whole batch."""
        return len(self.batch.value) if self.part is None else self.part.whole


class _Helper(NamedTuple):
    process: Any  # a multiprocessing process
    pipe: "Connection[Any, Any]"


class Helpers:
    """The helpers of a fit, as the main process sees them. It is process 0 of the group."""

    def __init__(self, order: Order, device: torch.device) -> None:
        self._order = order
        self._size = order.settings.processes
        self._device = device
        self._helpers: list[_Helper] = []
        self._lost: list[_Helper] = []  # the first that ended
        self._over = threading.Event()
        self.group: Group

    def __enter__(self) -> "Helpers":
        """Starts settings.processes - 1 helpers, which takes some seconds."""
        try:
            with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
                self._start(Path(folder))
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        """Kills the helpers, which have nothing to save. RunError says why one was lost."""
        try:
            if isinstance(error, Disconnected):
                raise self._cause(error) from error
        finally:
            self._over.set()
            for helper in self._helpers:
                helper.process.kill()
            for helper in self._helpers:
                helper.process.join()
                helper.pipe.close()

    def _start(self, folder: Path) -> None:
        for rank in range(1, self._size):
            ours, theirs = Pipe()
            self._helpers.append(_Helper(start(_help, theirs, rank, folder), ours))
            theirs.close()  # otherwise the pipe would stay open after the helper has ended
        threading.Thread(target=self._watch, daemon=True).start()
        for helper in self._helpers:
            with _connected():
                helper.pipe.send(self._order)
        self._wait()
        self.group = Group(folder, 0, self._size, self._device)
        self._wait()  # only then they need the folder no longer

    def _wait(self) -> None:
        """Waits until all helpers are ready."""
        with _connected():
            for helper in self._helpers:
                if (words := helper.pipe.recv()) is not None:
                    raise RunError(words)

    def _watch(self) -> None:
        """Waits until a helper ends, and then kills the others.

        They would wait for it, and this process for them: it only notices that a connection is lost
        when it needs that connection.
        """
        first = wait([helper.process.sentinel for helper in self._helpers])
        self._lost = [helper for helper in self._helpers if helper.process.sentinel in first]
        self._over.set()
        for helper in self._helpers:
            helper.process.kill()

    def share(
        self, batches: Batches, positions: Indices, dice: np.random.Generator, done: float
    ) -> Lesson:
        """Sends the helpers their parts of a batch; returns the part of the main process.

        A batch with fewer positions than processes is not shared.
        """
        if len(positions) < self._size:
            return Lesson(batches.make(positions, dice, done=done))
        parts = parts_of(len(positions), self._size)
        bounds = [part.first for part in parts[1:]]
        own, *others = batches.excerpts(positions, dice, done=done, bounds=bounds)
        for helper, excerpt, part in zip(self._helpers, others, parts[1:], strict=True):
            with _connected():
                helper.pipe.send((excerpt, part))
        return Lesson(made(batches.game, own), parts[0])

    def _cause(self, error: BaseException) -> RunError:
        """Why a helper has left the group."""
        self._over.wait(_CAUSE_SECONDS)
        for helper in self._lost:
            with contextlib.suppress(EOFError, OSError):
                while helper.pipe.poll():
                    if (words := helper.pipe.recv()) is not None:
                        return RunError(words)
            helper.process.join()
            code = helper.process.exitcode
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            return RunError(
                f"a helper process of the fit {how}: begin the fit again (a run: with --resume), or"
                " use fewer processes (fit.processes)"
            )
        return RunError(f"the connection to a helper process of the fit is lost: {error}")


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:  # of a pipe, when a helper has ended
        raise Disconnected(str(error)) from error


def _help(pipe: "Connection[Any, Any]", rank: int, folder: Path) -> None:
    """Runs a helper process."""
    end_with_parent()
    try:
        order: Order = pipe.recv()
        unpack(order.games)
        with threads(order.settings.threads):
            _compute(order, pipe, rank, folder)
    except Disconnected:
        while True:  # the main process looks for the cause and then ends this process
            threading.Event().wait()
    except RulezeroError as error:
        pipe.send(str(error))
    except EOFError:
        os._exit(1)  # the main process has ended
    except BaseException as error:  # raised by rules or loss terms in Python, or by torch
        pipe.send(f"a helper process of the fit failed: {type(error).__name__}: {error}")


def _compute(order: Order, pipe: "Connection[Any, Any]", rank: int, folder: Path) -> None:
    """Computes the gradients of a part of every batch, until the main process ends this one."""
    settings, game = order.settings, load(order.game)
    device = device_of(settings.device, "fit.device", number=rank)
    terms = chosen(order.hooks, order.terms)
    tower = tower_for(game.facts, order.net)
    heads = {term.name: term.head for term in terms if term.head is not None}
    tower.add_heads(game.facts, {name: heads[name] for name in order.heads}, 0)
    tower.load_state_dict(safetensors.torch.load(order.weights))
    tower.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    pipe.send(None)
    group = Group(folder, rank, settings.processes, device)
    pipe.send(None)
    gradients = Gradients(tower, settings, terms, device, group)
    if order.seed is not None:
        torch.manual_seed(order.seed)
    for lesson in _lessons(game, pipe):
        scale = group.spread(tower, torch.ones(1, device=device))
        group.collect(tower, gradients.compute(lesson.batch, scale, lesson.part))


def _lessons(game: Game, pipe: "Connection[Any, Any]") -> Iterator[Lesson]:
    """The parts that arrive; the next one is made while this process computes."""
    ready: queue.Queue[Lesson | BaseException] = queue.Queue()

    def make() -> None:
        try:
            while True:
                excerpt, part = pipe.recv()
                ready.put(Lesson(made(game, excerpt), part))
        except BaseException as error:  # raised in the other thread
            ready.put(error)

    threading.Thread(target=make, daemon=True).start()
    while True:
        lesson = ready.get()
        if isinstance(lesson, BaseException):
            raise lesson
        yield lesson


def order_for(
    tower: Tower,
    game: Game,
    settings: FitSettings,
    terms: Sequence[Term],
    hooks: str | None,
    seed: int | None,
) -> Order:
    """The order for helpers that fit this net."""
    state = {name: tensor.cpu().contiguous() for name, tensor in tower.state_dict().items()}
    return Order(
        games=packed([game.text]),
        game=game.text,
        net=tower.config,
        weights=safetensors.torch.save(state),
        settings=settings,
        hooks=hooks,
        terms=tuple(term.name for term in terms),
        heads=tower.heads,
        seed=seed,
    )
