"""Worker processes on this machine, and the time limit of their games."""

import contextlib
import logging
import math
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import msgspec

from rulezero._core import GameError, RulezeroError
from rulezero.fleet.pulse import Pulse, Watch
from rulezero.games.load import packed, unpack
from rulezero.play.evaluators import Evaluation
from rulezero.play.nets import NetStore
from rulezero.play.session import Request, compute_here
from rulezero.play.table import Begun, Failure, Finished, Table
from rulezero.play.task import Task, check_task, decode
from rulezero.processes import end_with_parent, unattended

_LOG = logging.getLogger("rulezero")
_MOST_DEATHS = 3  # of workers in a row
_CHECK_SECONDS = 1.0  # between two checks for stuck workers
_IDLE_SECONDS = 300.0  # after which a worker that has games but does nothing is replaced
_GRACE = 2.0  # seconds; a worker is stuck if a game takes twice its time limit and this in addition


class Timeout(NamedTuple):
    """The time limit of games; a game that fails or takes longer is left out and reported."""

    seconds: float
    on_failure: Callable[[int, int, str], None]  # the task's number, the game's index, the reason


GameKey = tuple[int, int]  # the number of its task, and its index there


@dataclass(frozen=True)
class Workload:
    """The data that every worker process gets."""

    tasks: list[bytes]  # encoded
    games: bytes  # rules that are registered only in this process, packed
    nets: NetStore
    width: int
    cache: int
    seconds: float  # time limit of a game


@dataclass
class _Worker:
    """A worker process, and the time at which it began each of its games."""

    process: BaseProcess
    watch: Watch
    games: dict[GameKey, float] = field(default_factory=dict)  # inf: not played at the moment
    is_alone: bool = False  # it plays one game at a time

    def begin(self, game: GameKey, is_alone: bool) -> None:
        self.is_alone = is_alone
        if is_alone:
            self.games = dict.fromkeys(self.games, math.inf)
        self.games[game] = time.monotonic()


class WorkerPool:
    """Worker processes; each one gets the next game when it has room.

    This process knows which games each worker has, so that another worker can play them if it dies.
    Each worker has its own pipe, so that one killed in the middle of a message does not block the
    others.
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
        self._checked = time.monotonic()  # when idle workers were last looked for

    def play(self, workers: int) -> Iterator[tuple[int, Finished]]:
        """Yields all games as they finish."""
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
                self._replace_idle_workers()
        finally:
            for worker in self._workers.values():
                worker.process.kill()  # a stopped process would not react to a gentler signal
            for connection, worker in self._workers.items():
                worker.process.join()
                connection.close()

    def _start(self) -> Connection:
        """Starts a worker, which waits for games."""
        ours, theirs = self._context.Pipe()
        pulse = Pulse(self._context)
        with unattended():
            process = self._context.Process(
                target=_work, args=(self._workload, theirs, pulse), daemon=True
            )
            process.start()
            self._workers[ours] = _Worker(process, Watch(pulse))
        theirs.close()  # otherwise the pipe would stay open after the worker has ended
        return ours

    def _assign(self, connection: Connection) -> None:
        """Sends a worker as many games as it has room for."""
        while self._queue and len(self._workers[connection].games) < self._workload.width:
            self._send(connection, self._queue.popleft(), is_alone=False)

    def _send(self, connection: Connection, game: GameKey, *, is_alone: bool) -> None:
        self._workers[connection].games[game] = math.inf
        with contextlib.suppress(OSError):  # a dead worker is noticed when its pipe is read
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
        worker = self._remove(connection)
        code = worker.process.exitcode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        self._play_again(worker, how)

    def _replace_idle_workers(self) -> None:
        """Kills workers that hang: they have games but have done nothing for long."""
        now = time.monotonic()
        if (passed := now - self._checked) < _CHECK_SECONDS:
            return
        self._checked = now
        for connection, worker in list(self._workers.items()):
            if not worker.games:
                worker.watch.idle_seconds = 0.0
                continue
            # While this process was stopped, too, or waited for its caller, time did not count.
            worker.watch.look(min(passed, 2 * _CHECK_SECONDS))
            if worker.watch.idle_seconds >= _IDLE_SECONDS:
                worker.process.kill()
                how = f"did nothing for {worker.watch.idle_seconds:.0f} s"
                self._play_again(self._remove(connection), how)

    def _play_again(self, worker: _Worker, how: str) -> None:
        """Lets a new worker play the games again. GameError if too many workers die in a row."""
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise GameError(
                f"{self._deaths} worker processes in a row died without finishing a game: the last"
                f" one {how}; finished games are kept"
            )
        _LOG.warning("a worker process %s; another one plays its games again", how)
        self._queue.extendleft(reversed(worker.games))
        self._assign(self._start())

    def _replace_stuck_workers(self) -> None:
        """Kills workers that are stuck in a game; their other games start again, one by one."""
        if self._timeout is None:
            return
        longest = 2 * self._timeout.seconds + _GRACE
        for connection, worker in list(self._workers.items()):
            oldest = min(worker.games, key=worker.games.__getitem__, default=None)
            if oldest is None or time.monotonic() - worker.games[oldest] < longest:
                continue
            worker.process.kill()
            self._remove(connection)
            if worker.is_alone:  # otherwise, any of its games may be the one that is stuck
                self._fail(worker, oldest[0], Failure(oldest[1], "it never returned"))
            new = self._start()
            for game in worker.games:
                self._send(new, game, is_alone=True)
            self._assign(new)


def fresh_processes(count: int, games: Iterable[str]) -> ProcessPoolExecutor:
    """Processes that start like workers, for other functions of the package.

    They can load the games of these texts, even those that are registered only in this process.
    """
    pool = ProcessPoolExecutor(
        count,
        multiprocessing.get_context("spawn"),
        initializer=_begin_fresh,
        initargs=(packed(games),),
    )
    with unattended():
        for _ in range(count):  # while none is idle, each call starts one
            pool.submit(os.getpid)
    return pool


def _begin_fresh(games: bytes) -> None:
    """Registers games in a fresh process, which ends when the main process does."""
    end_with_parent()
    unpack(games)


class _Assignments:
    """The games that a worker receives, in order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._next: tuple[int, int, bool] | None = None  # received, not yet taken

    def wait(self) -> tuple[int, int, bool]:
        """Waits for the next game but does not take it: its task's number, its index, is_alone."""
        if self._next is None:
            self._next = self._connection.recv()
        return self._next

    def take(self) -> int:
        """Takes the next game; returns its index."""
        _, index, _ = self.wait()
        self._next = None
        return index

    def in_step(self, number: int) -> Iterator[int]:
        """The indices of this task's games that have arrived; can be continued when more arrive."""
        return _Arrived(self, number)

    def has_arrived(self, number: int) -> bool:
        """Whether the next game has arrived, is one of this task, and need not be played alone."""
        if self._next is None and not self._connection.poll():
            return False
        task, _, is_alone = self.wait()
        return task == number and not is_alone


class _Arrived(Iterator[int]):
    """An iterator that can continue after it was exhausted, unlike a generator."""

    def __init__(self, assignments: _Assignments, number: int) -> None:
        self._assignments = assignments
        self._number = number

    def __next__(self) -> int:
        if not self._assignments.has_arrived(self._number):
            raise StopIteration
        return self._assignments.take()


def _work(workload: Workload, connection: Connection, pulse: Pulse) -> None:
    """Runs a worker process: plays the games that it receives, and sends the results."""
    assignments, table, current = _Assignments(connection), None, -1

    def compute(requests: list[Request]) -> list[Evaluation]:
        pulse.step()
        return compute_here(requests)

    try:
        end_with_parent()
        pulse.begin()
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
                    compute=compute,
                )
            alone = [assignments.take()] if is_alone else []
            for made in table.play(assignments.in_step(number), workload.seconds, alone):
                is_record = isinstance(made, Finished)
                connection.send((number, msgspec.msgpack.encode(made) if is_record else made))
    except RulezeroError as error:
        connection.send((-1, str(error)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)  # the main process was killed: no one needs the games
    except BaseException as error:  # raised by rules or an evaluator in Python
        connection.send((-1, f"a worker process failed: {type(error).__name__}: {error}"))
