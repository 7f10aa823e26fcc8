"""Several processes that share games, and what becomes of games that fail or never end."""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from rulezero._core import GameError, RulezeroError
from rulezero.play.table import Begun, Failure, Finished, Table
from rulezero.play.task import Task, check_task

_LOOK = 1.0  # seconds between two looks at who is stuck
_GRACE = 2.0  # seconds: a worker with a game that takes twice its time and this more is stuck


class Timeout(NamedTuple):
    """How long a game may take, and who is told of those that took longer or failed.

    They are left out, and all others are played.
    """

    seconds: float
    tell: Callable[[int, int, str], None]  # the task's number, the game's, and why


class Job(NamedTuple):
    """A task, and which of its games are to be played."""

    task: Task
    indices: list[int]


class WorkerPool:
    """Several processes that share games; each takes the next number when it has room.

    Each has a pipe of its own: one that is killed in the middle of a message holds up nobody.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        left: int,
        width: int,
        cache: int,
        nets: Path | None,
        timeout: Timeout | None,
    ) -> None:
        self._context = multiprocessing.get_context("spawn")
        # Games of each job that somebody plays or has played.
        self._taken = self._context.Array("q", len(jobs))
        seconds = math.inf if timeout is None else timeout.seconds
        self._given = (msgspec.msgpack.encode(jobs), width, cache, nets, seconds)
        self._left = left
        self._timeout = timeout
        self._workers: dict[Connection, _Worker] = {}

    def play(self, workers: int) -> Iterator[tuple[int, Finished]]:
        """All games as they finish."""
        decoder = msgspec.msgpack.Decoder(Finished)
        try:
            for _ in range(workers):
                self._start([])
            while self._left > 0:
                for ready in wait(self._workers, timeout=_LOOK):
                    assert isinstance(ready, Connection)
                    worker = self._workers[ready]
                    try:
                        number, told = ready.recv()
                    except (EOFError, OSError):
                        del self._workers[ready]
                        _reap(worker.process)
                        continue
                    if number < 0:
                        raise RulezeroError(told)
                    if isinstance(told, Begun):
                        worker.begin((number, told.index), told.is_alone)
                    elif isinstance(told, Failure):
                        self._fail(worker, number, told)
                    else:
                        self._left -= 1
                        finished = decoder.decode(told)
                        worker.games.pop((number, finished.record.index), None)
                        yield number, finished
                self._replace_the_stuck()
        finally:
            for worker in self._workers.values():
                worker.process.terminate()
            for reader, worker in self._workers.items():
                worker.process.join()
                reader.close()

    def _start(self, games: list[tuple[int, int]]) -> None:
        """Starts a worker, which first plays these games, each alone."""
        reader, writer = self._context.Pipe(duplex=False)
        with _deaf_to_interrupts(), _without_main():
            process = self._context.Process(
                target=_work, args=(*self._given, self._taken, games, writer), daemon=True
            )
            process.start()
        writer.close()  # or else the end of the worker would not be the end of the pipe
        self._workers[reader] = _Worker(process, dict.fromkeys(games, math.inf))

    def _fail(self, worker: "_Worker", number: int, failure: Failure) -> None:
        assert self._timeout is not None
        self._left -= 1
        worker.games.pop((number, failure.index), None)
        self._timeout.tell(number, failure.index, failure.why)

    def _replace_the_stuck(self) -> None:
        """Kills workers that do not come back from a game; their other games are begun anew."""
        if self._timeout is None:
            return
        longest = 2 * self._timeout.seconds + _GRACE
        for reader, worker in list(self._workers.items()):
            oldest = min(worker.games, key=worker.games.__getitem__, default=None)
            if oldest is None or time.monotonic() - worker.games[oldest] < longest:
                continue
            worker.process.kill()
            worker.process.join()
            reader.close()
            del self._workers[reader]
            if worker.is_alone:  # else nobody knows which of them it was
                self._fail(worker, oldest[0], Failure(oldest[1], "it never came back"))
            self._start(list(worker.games))


@dataclass
class _Worker:
    """A process, and since when it plays which games, by task and number."""

    process: BaseProcess
    games: dict[tuple[int, int], float] = field(default_factory=dict)  # inf: not now
    is_alone: bool = False  # it plays one at a time

    def begin(self, game: tuple[int, int], is_alone: bool) -> None:
        self.is_alone = is_alone
        if is_alone:
            self.games = dict.fromkeys(self.games, math.inf)
        self.games[game] = time.monotonic()


def _reap(process: BaseProcess) -> None:
    """A worker has ended; GameError if it was not at its end."""
    process.join()
    if process.exitcode != 0:
        raise GameError(
            f"a worker process ended with code {process.exitcode};"
            " the games that were finished are kept"
        )


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started here never hear of Ctrl-C: it is for the one who waits for them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Processes started here do not run the user's script again, as spawned ones do."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _work(
    message: bytes,
    width: int,
    cache: int,
    nets: Path | None,
    seconds: float,
    taken: Any,
    games: Sequence[tuple[int, int]],
    results: Connection,
) -> None:
    """One worker: plays the games given, then takes numbers of games; sends what it finishes."""
    jobs = msgspec.msgpack.decode(message, type=list[Job])

    def take(number: int) -> Iterator[int]:
        while True:
            with taken.get_lock():
                at = taken[number]
                taken[number] += 1
            if at >= len(jobs[number].indices):
                return
            yield jobs[number].indices[at]

    try:
        for number, (task, indices) in enumerate(jobs):
            alone = [index for given, index in games if given == number]
            if taken[number] >= len(indices) and not alone:
                continue
            table = Table(task, check_task(task), None, width, cache, nets)
            for made in table.play(take(number), seconds, alone):
                is_record = isinstance(made, Finished)
                results.send((number, msgspec.msgpack.encode(made) if is_record else made))
    except RulezeroError as error:
        results.send((-1, str(error)))
    except BrokenPipeError:
        os._exit(1)  # the one who asked was killed: nobody is left to play for
    except BaseException as error:  # of rules or an evaluator in Python
        results.send((-1, f"a worker process failed: {type(error).__name__}: {error}"))
