"""Worker processes of this machine, and what happens to games that never end."""

import contextlib
import logging
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import NamedTuple

import msgspec

from rulezero._core import GameError, RulezeroError
from rulezero.games.load import packed, unpack
from rulezero.play.nets import NetStore
from rulezero.play.table import Begun, Failure, Finished, Table
from rulezero.play.task import Task, check_task, decode

_LOG = logging.getLogger("rulezero")
_MOST_DEATHS = 3  # of workers in a row
_CHECK_SECONDS = 1.0  # between two checks for stuck workers
_GRACE = 2.0  # seconds: a worker whose game takes twice its time and this much more is stuck


class Timeout(NamedTuple):
    """How long a game may take; one that fails or takes longer is left out and reported."""

    seconds: float
    on_failure: Callable[[int, int, str], None]  # the task's number, the game's index, the reason


GameKey = tuple[int, int]  # the number of its task, and its index there


@dataclass(frozen=True)
class Workload:
    """What every worker process gets."""

    tasks: list[bytes]  # encoded
    games: bytes  # those that only this process knows, packed
    nets: NetStore
    width: int
    cache: int
    seconds: float  # that a game may take


@dataclass
class _Worker:
    """A process, and since when it plays which games."""

    process: BaseProcess
    games: dict[GameKey, float] = field(default_factory=dict)  # inf: not begun, or not now
    is_alone: bool = False  # it plays one at a time

    def begin(self, game: GameKey, is_alone: bool) -> None:
        self.is_alone = is_alone
        if is_alone:
            self.games = dict.fromkeys(self.games, math.inf)
        self.games[game] = time.monotonic()


class WorkerPool:
    """Processes that play the games they are sent; each gets the next one when it has room.

    Since this process knows which games a worker has, another one plays them if it dies. Each has a
    pipe of its own, so that one killed in the middle of a message blocks no other.
    """

    def __init__(
        self, workload: Workload, games: Iterable[GameKey], timeout: Timeout | None
    ) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._workload = workload
        self._queue = deque(games)
        self._left = len(self._queue)
        self._timeout = timeout
        self._workers: dict[Connection, _Worker] = {}
        self._deaths = 0  # since the last game that was finished

    def play(self, workers: int) -> Iterator[tuple[int, Finished]]:
        """All games as they finish."""
        try:
            for _ in range(workers):
                self._assign(self._start())
            while self._left > 0:
                for ready in wait(self._workers, timeout=_CHECK_SECONDS):
                    assert isinstance(ready, Connection)
                    try:
                        number, message = ready.recv()
                    except (EOFError, OSError):
                        self._replace_dead_worker(ready)
                        continue
                    if number < 0:
                        raise RulezeroError(message)
                    worker = self._workers[ready]
                    if isinstance(message, Begun):
                        worker.begin((number, message.index), message.is_alone)
                    elif isinstance(message, Failure):
                        self._fail(worker, number, message)
                        self._assign(ready)
                    else:
                        finished = decode(message, Finished)
                        self._left -= 1
                        self._deaths = 0
                        del worker.games[number, finished.record.index]
                        self._assign(ready)
                        yield number, finished
                self._replace_stuck_workers()
        finally:
            for worker in self._workers.values():
                worker.process.terminate()
            for connection, worker in self._workers.items():
                worker.process.join()
                connection.close()

    def _start(self) -> Connection:
        """Starts a worker, which waits for games."""
        ours, theirs = self._context.Pipe()
        with _ignored_interrupts(), _without_main():
            process = self._context.Process(
                target=_work, args=(self._workload, theirs), daemon=True
            )
            process.start()
        theirs.close()  # or else the end of the worker would not be the end of the pipe
        self._workers[ours] = _Worker(process)
        return ours

    def _assign(self, connection: Connection) -> None:
        """Sends a worker as many games as it has room for."""
        while self._queue and len(self._workers[connection].games) < self._workload.width:
            self._send(connection, self._queue.popleft(), is_alone=False)

    def _send(self, connection: Connection, game: GameKey, *, is_alone: bool) -> None:
        self._workers[connection].games[game] = math.inf
        with contextlib.suppress(OSError):  # a worker that has died is noticed when it is read
            connection.send((*game, is_alone))

    def _fail(self, worker: _Worker, number: int, failure: Failure) -> None:
        assert self._timeout is not None
        self._left -= 1
        worker.games.pop((number, failure.index), None)
        self._timeout.on_failure(number, failure.index, failure.why)

    def _remove(self, connection: Connection) -> _Worker:
        worker = self._workers.pop(connection)
        worker.process.join()
        connection.close()
        return worker

    def _replace_dead_worker(self, connection: Connection) -> None:
        """Another worker plays the games again. GameError if workers do nothing but die."""
        worker = self._remove(connection)
        code = worker.process.exitcode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise GameError(
                f"{self._deaths} worker processes in a row died before they finished a game, the"
                f" last one {how}; the games that were finished are kept"
            )
        _LOG.warning("a worker process %s; another one plays its games again", how)
        self._queue.extendleft(reversed(worker.games))
        self._assign(self._start())

    def _replace_stuck_workers(self) -> None:
        """Kills workers that do not return from a game; their other games begin again, alone."""
        if self._timeout is None:
            return
        longest = 2 * self._timeout.seconds + _GRACE
        for connection, worker in list(self._workers.items()):
            oldest = min(worker.games, key=worker.games.__getitem__, default=None)
            if oldest is None or time.monotonic() - worker.games[oldest] < longest:
                continue
            worker.process.kill()
            self._remove(connection)
            if worker.is_alone:  # in step, any of its games may be the one
                self._fail(worker, oldest[0], Failure(oldest[1], "it never came back"))
            new = self._start()
            for game in worker.games:
                self._send(new, game, is_alone=True)
            self._assign(new)


def fresh_processes(count: int, games: Iterable[str]) -> ProcessPoolExecutor:
    """Processes that start as workers do, for other functions of the package.

    They know the games of these texts, even those that only this process does.
    """
    pool = ProcessPoolExecutor(
        count,
        multiprocessing.get_context("spawn"),
        initializer=unpack,
        initargs=(packed(games),),
    )
    with _ignored_interrupts(), _without_main():
        for _ in range(count):  # while none is idle, each call starts one
            pool.submit(os.getpid)
    return pool


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


class _Assignments:
    """The games that a worker is sent, in their order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._next: tuple[int, int, bool] | None = None  # received, not yet taken

    def wait(self) -> tuple[int, int, bool]:
        """The next game, which stays the next: its task's number, its index, whether alone."""
        if self._next is None:
            self._next = self._connection.recv()
        return self._next

    def take(self) -> int:
        """The index of the next game, which is taken."""
        _, index, _ = self.wait()
        self._next = None
        return index

    def in_step(self, number: int) -> Iterator[int]:
        """Indices of this task's games that have arrived; more may be asked for later."""
        return _Arrived(self, number)

    def has_arrived(self, number: int) -> bool:
        """Whether the next game is here, and one of this task to be played in step."""
        if self._next is None and not self._connection.poll():
            return False
        task, _, is_alone = self.wait()
        return task == number and not is_alone


class _Arrived(Iterator[int]):
    """Unlike a generator it can go on after it had nothing to give."""

    def __init__(self, assignments: _Assignments, number: int) -> None:
        self._assignments = assignments
        self._number = number

    def __next__(self) -> int:
        if not self._assignments.has_arrived(self._number):
            raise StopIteration
        return self._assignments.take()


def _work(workload: Workload, connection: Connection) -> None:
    """One worker process: plays the games it is sent, and sends what it finishes."""
    assignments, table, current = _Assignments(connection), None, -1
    try:
        unpack(workload.games)
        while True:
            number, _, is_alone = assignments.wait()
            if table is None or number != current:
                task, current = decode(workload.tasks[number], Task), number
                table = Table(
                    task,
                    check_task(task),
                    nets=workload.nets,
                    width=workload.width,
                    cache=workload.cache,
                )
            alone = [assignments.take()] if is_alone else []
            for made in table.play(assignments.in_step(number), workload.seconds, alone):
                is_record = isinstance(made, Finished)
                connection.send((number, msgspec.msgpack.encode(made) if is_record else made))
    except RulezeroError as error:
        connection.send((-1, str(error)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)  # the process that asked was killed: nothing is left to play for
    except BaseException as error:  # of rules or an evaluator in Python
        connection.send((-1, f"a worker process failed: {type(error).__name__}: {error}"))
