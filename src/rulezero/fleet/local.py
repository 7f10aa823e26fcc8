"""Tasks played by worker processes of this machine, and what happens to games that never end."""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from rulezero._core import GameError, RulezeroError
from rulezero.machine import check_workers, cores
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player
from rulezero.play.table import Begun, Failure, Finished, Table
from rulezero.play.task import Task, check_task, decode

_CHECK_SECONDS = 1.0  # between two checks for stuck workers
_GRACE = 2.0  # seconds: a worker whose game takes twice its time and this much more is stuck


class Timeout(NamedTuple):
    """How long a game may take; one that fails or takes longer is left out and reported."""

    seconds: float
    on_failure: Callable[[int, int, str], None]  # the task's number, the game's index, the reason


class LocalFleet:
    """Plays tasks in `workers` processes of this machine (0: one for each core).

    Each plays `width` games in step and caches `cache` positions of each net. None of these changes
    a record. `players` are the tasks' own where they hold evaluators that no text can name, which
    play in this process. An error ends everything unless there is a timeout, which needs worker
    processes, because those can be killed.
    """

    def __init__(
        self,
        nets: NetStore = PATHS,
        *,
        workers: int = 0,
        width: int = 64,
        cache: int = 1 << 16,
        players: tuple[Player, Player] | None = None,
        timeout: Timeout | None = None,
    ) -> None:
        check_workers(workers)
        if width < 1 or cache < 0:
            raise GameError("a width is at least 1, a cache at least 0")
        if players is not None and any(each.evaluator is not None for each in players):
            if workers > 1:
                raise GameError(
                    "a player with an evaluator of its own plays in one process: workers=1"
                )
            workers = 1
        self._nets = nets
        self._workers = workers
        self._width = width
        self._cache = cache
        self._players = players
        self._timeout = timeout

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """The games of tasks as they finish, each with the number of its task.

        Games whose indices are in `done`, task by task, are not played. A worker that finds nothing
        left of a task goes on with the next.
        """
        games = [check_task(task) for task in tasks]
        left = [
            [index for index in range(task.games) if not done or index not in done[number]]
            for number, task in enumerate(tasks)
        ]
        total = sum(map(len, left))
        workers = min(self._workers or cores(), total)
        if workers > 1 or (workers == 1 and self._timeout is not None):
            share = -(-total // workers)  # a worker with more in step would leave others idle
            workload = _Workload(
                tasks=[(msgspec.msgpack.encode(task), left[at]) for at, task in enumerate(tasks)],
                nets=self._nets,
                width=min(self._width, share),
                cache=self._cache,
                seconds=math.inf if self._timeout is None else self._timeout.seconds,
            )
            yield from _WorkerPool(workload, self._timeout).play(workers)
            return
        for number, task in enumerate(tasks):
            if left[number]:
                table = Table(
                    task,
                    games[number],
                    nets=self._nets,
                    width=self._width,
                    cache=self._cache,
                    players=self._players,
                )
                for finished in table.play(iter(left[number])):
                    assert isinstance(finished, Finished)
                    yield number, finished


def run(
    task: Task,
    *,
    workers: int = 1,
    width: int = 64,
    cache: int = 1 << 16,
    players: tuple[Player, Player] | None = None,
) -> Iterator[Finished]:
    """The games of one task as they finish, played in this process unless there are workers."""
    fleet = LocalFleet(workers=workers, width=width, cache=cache, players=players)
    with contextlib.closing(fleet.run([task])) as playing:
        for _, finished in playing:
            yield finished


@dataclass(frozen=True)
class _Workload:
    """What every worker process gets."""

    tasks: list[tuple[bytes, list[int]]]  # encoded tasks, and which of their games to play
    nets: NetStore
    width: int
    cache: int
    seconds: float  # that a game may take


@dataclass
class _Worker:
    """A process, and since when it plays which games, by task number and index."""

    process: BaseProcess
    games: dict[tuple[int, int], float] = field(default_factory=dict)  # inf: not now
    is_alone: bool = False  # it plays one at a time

    def begin(self, game: tuple[int, int], is_alone: bool) -> None:
        self.is_alone = is_alone
        if is_alone:
            self.games = dict.fromkeys(self.games, math.inf)
        self.games[game] = time.monotonic()


class _WorkerPool:
    """Processes that share games; each takes the next index when it has room.

    Each has a pipe of its own, so that one killed in the middle of a message blocks no other.
    """

    def __init__(self, workload: _Workload, timeout: Timeout | None) -> None:
        self._context = multiprocessing.get_context("spawn")
        # Of each workload, how many games some worker has taken.
        self._taken = self._context.Array("q", len(workload.tasks))
        self._workload = workload
        self._left = sum(len(indices) for _, indices in workload.tasks)
        self._timeout = timeout
        self._workers: dict[Connection, _Worker] = {}

    def play(self, workers: int) -> Iterator[tuple[int, Finished]]:
        """All games as they finish."""
        try:
            for _ in range(workers):
                self._start([])
            while self._left > 0:
                for ready in wait(self._workers, timeout=_CHECK_SECONDS):
                    assert isinstance(ready, Connection)
                    worker = self._workers[ready]
                    try:
                        number, message = ready.recv()
                    except (EOFError, OSError):
                        del self._workers[ready]
                        _reap(worker.process)
                        continue
                    if number < 0:
                        raise RulezeroError(message)
                    if isinstance(message, Begun):
                        worker.begin((number, message.index), message.is_alone)
                    elif isinstance(message, Failure):
                        self._fail(worker, number, message)
                    else:
                        self._left -= 1
                        finished = decode(message, Finished)
                        worker.games.pop((number, finished.record.index), None)
                        yield number, finished
                self._replace_stuck_workers()
        finally:
            for worker in self._workers.values():
                worker.process.terminate()
            for reader, worker in self._workers.items():
                worker.process.join()
                reader.close()

    def _start(self, games: list[tuple[int, int]]) -> None:
        """Starts a worker, which first plays these games, each alone."""
        reader, writer = self._context.Pipe(duplex=False)
        with _ignored_interrupts(), _without_main():
            process = self._context.Process(
                target=_work, args=(self._workload, self._taken, games, writer), daemon=True
            )
            process.start()
        writer.close()  # or else the end of the worker would not be the end of the pipe
        self._workers[reader] = _Worker(process, dict.fromkeys(games, math.inf))

    def _fail(self, worker: _Worker, number: int, failure: Failure) -> None:
        assert self._timeout is not None
        self._left -= 1
        worker.games.pop((number, failure.index), None)
        self._timeout.on_failure(number, failure.index, failure.why)

    def _replace_stuck_workers(self) -> None:
        """Kills workers that do not return from a game; their other games begin anew."""
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
            if worker.is_alone:  # in step, any of its games may be the one
                self._fail(worker, oldest[0], Failure(oldest[1], "it never came back"))
            self._start(list(worker.games))


def _reap(process: BaseProcess) -> None:
    """Joins a worker that has ended. GameError if it ended before its work was done."""
    process.join()
    if process.exitcode != 0:
        raise GameError(
            f"a worker process ended with code {process.exitcode};"
            " the games that were finished are kept"
        )


@contextlib.contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Processes started here ignore Ctrl-C, which is for the process that waits for them."""
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
    workload: _Workload, taken: Any, games: Sequence[tuple[int, int]], results: Connection
) -> None:
    """One worker process: plays the games given, then takes indices; sends what it finishes."""

    def take(number: int) -> Iterator[int]:
        indices = workload.tasks[number][1]
        while True:
            with taken.get_lock():
                at = taken[number]
                taken[number] += 1
            if at >= len(indices):
                return
            yield indices[at]

    try:
        for number, (message, indices) in enumerate(workload.tasks):
            alone = [index for given, index in games if given == number]
            if taken[number] >= len(indices) and not alone:
                continue
            task = decode(message, Task)
            table = Table(
                task,
                check_task(task),
                nets=workload.nets,
                width=workload.width,
                cache=workload.cache,
            )
            for made in table.play(take(number), workload.seconds, alone):
                is_record = isinstance(made, Finished)
                results.send((number, msgspec.msgpack.encode(made) if is_record else made))
    except RulezeroError as error:
        results.send((-1, str(error)))
    except BrokenPipeError:
        os._exit(1)  # the process that asked was killed: nothing is left to play for
    except BaseException as error:  # of rules or an evaluator in Python
        results.send((-1, f"a worker process failed: {type(error).__name__}: {error}"))
