"""Tasks in, records out: in this process or in several."""

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
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from rulezero._core import Game, GameError, Played, RulezeroError, State
from rulezero.data.record import Record, Thoughts, pack
from rulezero.play.seats import Seat, seat
from rulezero.play.session import Session
from rulezero.play.task import Beginning, Task, begin, check_task

_MOST_WORKERS = 1024
_LOOK = 1.0  # seconds between two looks at who is stuck
_GRACE = 2.0  # seconds: a worker with a game that takes twice its time and this more is stuck


class Patience(NamedTuple):
    """How long a game may take, and who is told of those that took longer or failed.

    They are left out, and all others are played.
    """

    seconds: float
    tell: Callable[[int, int, str], None]  # the task's number, the game's, and why


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a task: its record, and what the judge noted."""

    record: Record
    note: Thoughts | None = None


def run(
    task: Task,
    *,
    workers: int = 1,
    width: int = 64,
    cache: int = 1 << 16,
    seats: tuple[Seat, Seat] | None = None,
) -> Generator[Finished, None, None]:
    """The games of a task as they finish.

    `workers` processes share them (0: one for each core); `width` games each are played in step;
    `cache` positions of a net are remembered. None of these changes a record. `seats` are the
    task's own players where they hold evaluators that no text can name: those play in this
    process.
    """
    if seats is not None and any(each.evaluator is not None for each in seats):
        if workers > 1:
            raise GameError("a player with an evaluator of its own plays in one process: workers=1")
        workers = 1
    playing = run_all([task], workers=workers, width=width, cache=cache, seats=seats)
    with contextlib.closing(playing):
        for _, finished in playing:
            yield finished


def run_all(
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    width: int = 64,
    cache: int = 1 << 16,
    seats: tuple[Seat, Seat] | None = None,
    nets: Path | None = None,
    done: Sequence[Collection[int]] = (),
    patience: Patience | None = None,
) -> Generator[tuple[int, Finished], None, None]:
    """The games of tasks as they finish, each with the number of its task.

    A worker that finds nothing left of a task goes on with the next. Nets are looked for in the
    folder `nets` first. Games whose numbers are `done`, task by task, are not played. An error ends
    everything, unless there is patience: that always needs other processes, which can be killed.
    """
    check_workers(workers)
    if width < 1 or cache < 0:
        raise GameError("a width is at least 1, a cache at least 0")
    loaded = [check_task(task) for task in tasks]
    left = [
        [index for index in range(task.games) if not done or index not in done[number]]
        for number, task in enumerate(tasks)
    ]
    games = sum(map(len, left))
    workers = min(workers or cores(), games)
    if games == 0:
        return
    if workers <= 1 and patience is None:
        for number, (task, game) in enumerate(zip(tasks, loaded, strict=True)):
            table = _Table(task, game, seats, width, cache, nets)
            for finished in table.play(iter(left[number])):
                assert isinstance(finished, Finished)
                yield number, finished
        return
    share = -(-games // workers)  # nobody takes more at a time, or the others would idle
    jobs = [_Job(task, indices) for task, indices in zip(tasks, left, strict=True)]
    crew = _Crew(jobs, games, min(width, share), cache, nets, patience)
    yield from crew.play(workers)


def check_workers(workers: int) -> None:
    """GameError where there cannot be so many."""
    if not 0 <= workers <= _MOST_WORKERS:
        raise GameError(f"workers are 0 (one for each core) to {_MOST_WORKERS}, not {workers}")


class _Job(NamedTuple):
    """A task, and which of its games are to be played."""

    task: Task
    indices: list[int]


class _Table:
    """Where the games of a task are played."""

    def __init__(
        self,
        task: Task,
        game: Game,
        seats: tuple[Seat, Seat] | None,
        width: int,
        cache: int,
        nets: Path | None,
    ) -> None:
        self.task = task
        self.game = game
        self.seats = seats or (seat(task.a), seat(task.b))
        self.width = min(width, task.games)
        a, b = self.seats
        self._players = [a] if a == b else [a, b]
        self._numbers = (0, len(self._players) - 1)
        if task.judge is not None:
            self._players.append(seat(task.judge))
        self._judge = len(self._players) - 1 if task.judge is not None else -1
        self._cache = cache
        self._nets = nets
        self._session = self._open()

    def _open(self) -> Session:
        return Session(
            self.game,
            self._players,
            seed=self.task.word,
            width=self.width,
            cache=self._cache,
            nets=self._nets,
        )

    def play(
        self, indices: Iterator[int], seconds: float = math.inf, alone: Sequence[int] = ()
    ) -> Iterator["Finished | _Failure | _Begun"]:
        """The games with these numbers, as they finish; first those that are to be played alone.

        Where they may take only so many seconds, it is told which games are begun, and which took
        longer or failed. Games in step share their time and their errors: so if one takes too long
        or fails, all of them are played again, each alone. Without that limit an error ends
        everything.
        """
        for lone in alone:
            yield from self._play_alone(lone, seconds)
        beginnings: dict[int, Beginning] = {}
        until: dict[int, float] = {}
        is_patient = seconds < math.inf
        while True:
            # As many games as are played in step wait in the pool, so that no worker hoards them.
            while len(beginnings) < self.width and (index := next(indices, None)) is not None:
                beginnings[index] = self._begin(index)
                until[index] = time.monotonic() + seconds
                if is_patient:
                    yield _Begun(index)
            if not beginnings:
                return
            is_late = any(time.monotonic() > until[index] for index in beginnings)
            try:
                finished = [] if is_late else self._session.step()
            except Exception:
                if not is_patient:
                    raise
                is_late = True
            if is_late:
                for index in beginnings:
                    yield from self._play_alone(index, seconds)
                self._session = self._open()
                beginnings.clear()
                continue
            for played in finished:
                yield self._finished(beginnings.pop(played.index), played)

    def _play_alone(self, index: int, seconds: float) -> Iterator["Finished | _Failure | _Begun"]:
        """One game, with all the time to itself."""
        yield _Begun(index, is_alone=True)
        until = time.monotonic() + seconds
        self._session = self._open()
        try:
            beginning = self._begin(index)
            while time.monotonic() < until:
                for played in self._session.step():
                    yield self._finished(beginning, played)
                    return
        except Exception as error:  # of rules or an evaluator in Python
            yield _Failure(index, f"{type(error).__name__}: {error}")
        else:
            yield _Failure(index, f"it took more than {seconds:g} s")

    def _begin(self, index: int) -> Beginning:
        beginning = begin(self.task, self.game, index)
        by_seat = (self._numbers[beginning.a_sits], self._numbers[1 - beginning.a_sits])
        self._session.add(
            index,
            beginning.start,
            by_seat,
            judge=self._judge,
            script=beginning.script,
            resign=beginning.resign,
        )
        return beginning

    def _finished(self, beginning: Beginning, played: Played) -> Finished:
        task = self.task
        first, second = (0, 1) if beginning.a_sits == 0 else (1, 0)
        identities = [self._session.identities[number] for number in self._numbers]
        record = record_of(
            self.game,
            beginning.start,
            played,
            seats=(self.seats[first].text, self.seats[second].text),
            nets=(identities[first], identities[second]),
            seed=task.seed,
            task=task.name,
            purpose=task.purpose,
            source=task.source,
        )
        return Finished(record=record, note=None if task.judge is None else notes_of(played))


def cores() -> int:
    """How many this process may use: as many workers keep them busy."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def record_of(game: Game, start: State, played: Played, **about: Any) -> Record:
    """The record of a game that the core has played from a start without a past."""
    actions, thoughts = _packed(played.last.actions, played.thoughts())
    return Record(
        game=game.text,
        version=game.facts.version,
        encoding=game.facts.encoding,
        start=start.text,
        actions=actions,
        outcome=played.outcome,
        end_reason=played.reason,
        index=played.index,
        opening=played.opening,
        thoughts=thoughts,
        **about,
    )


def notes_of(played: Played) -> Thoughts:
    """What the judge noted about every ply of a game that the core has played."""
    _, thoughts = _packed(played.last.actions, played.notes())
    return thoughts


def _packed(actions: list[int], columns: dict[str, Any]) -> tuple[bytes, Thoughts]:
    return pack(
        actions,
        sims=columns["sims"],
        value=columns["value"],
        raw_value=columns["raw_value"],
        draw=columns["draw"],
        surprise=columns["surprise"],
        counts=columns["pairs"],
        pair_actions=columns["pair_actions"],
        pair_weights=columns["pair_weights"],
        pair_targets=columns["pair_targets"],
    )


class _Crew:
    """Several processes that share games; each takes the next number when it has room.

    Each has a pipe of its own: one that is killed in the middle of a message holds up nobody.
    """

    def __init__(
        self,
        jobs: Sequence[_Job],
        left: int,
        width: int,
        cache: int,
        nets: Path | None,
        patience: Patience | None,
    ) -> None:
        self._context = multiprocessing.get_context("spawn")
        # Games of each job that somebody plays or has played.
        self._taken = self._context.Array("q", len(jobs))
        seconds = math.inf if patience is None else patience.seconds
        self._given = (msgspec.msgpack.encode(jobs), width, cache, nets, seconds)
        self._left = left
        self._patience = patience
        self._workers: dict[Connection, _Worker] = {}

    def play(self, workers: int) -> Iterator[tuple[int, Finished]]:
        """All games as they finish."""
        decoder = msgspec.msgpack.Decoder(Finished)
        try:
            for _ in range(workers):
                self._hire([])
            while self._left > 0:
                for ready in wait(self._workers, timeout=_LOOK):
                    assert isinstance(ready, Connection)
                    worker = self._workers[ready]
                    try:
                        number, told = ready.recv()
                    except (EOFError, OSError):
                        del self._workers[ready]
                        _bury(worker.process)
                        continue
                    if number < 0:
                        raise RulezeroError(told)
                    if isinstance(told, _Begun):
                        worker.begin((number, told.index), told.is_alone)
                    elif isinstance(told, _Failure):
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

    def _hire(self, games: list[tuple[int, int]]) -> None:
        """Starts a worker, which first plays these games, each alone."""
        reader, writer = self._context.Pipe(duplex=False)
        with _deaf_to_interrupts(), _without_main():
            process = self._context.Process(
                target=_work, args=(*self._given, self._taken, games, writer), daemon=True
            )
            process.start()
        writer.close()  # or else the end of the worker would not be the end of the pipe
        self._workers[reader] = _Worker(process, dict.fromkeys(games, math.inf))

    def _fail(self, worker: "_Worker", number: int, failure: "_Failure") -> None:
        assert self._patience is not None
        self._left -= 1
        worker.games.pop((number, failure.index), None)
        self._patience.tell(number, failure.index, failure.why)

    def _replace_the_stuck(self) -> None:
        """Kills workers that do not come back from a game; their other games are begun anew."""
        if self._patience is None:
            return
        longest = 2 * self._patience.seconds + _GRACE
        for reader, worker in list(self._workers.items()):
            oldest = min(worker.games, key=worker.games.__getitem__, default=None)
            if oldest is None or time.monotonic() - worker.games[oldest] < longest:
                continue
            worker.process.kill()
            worker.process.join()
            reader.close()
            del self._workers[reader]
            if worker.is_alone:  # else nobody knows which of them it was
                self._fail(worker, oldest[0], _Failure(oldest[1], "it never came back"))
            self._hire(list(worker.games))


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


@dataclass(frozen=True)
class _Begun:
    """A game is under way, in step with others or alone."""

    index: int
    is_alone: bool = False


@dataclass(frozen=True)
class _Failure:
    """A game that came to nothing."""

    index: int
    why: str


def _bury(process: BaseProcess) -> None:
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
    jobs = msgspec.msgpack.decode(message, type=list[_Job])

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
            table = _Table(task, check_task(task), None, width, cache, nets)
            for made in table.play(take(number), seconds, alone):
                is_record = isinstance(made, Finished)
                results.send((number, msgspec.msgpack.encode(made) if is_record else made))
    except RulezeroError as error:
        results.send((-1, str(error)))
    except BrokenPipeError:
        os._exit(1)  # the one who asked was killed: nobody is left to play for
    except BaseException as error:  # of rules or an evaluator in Python
        results.send((-1, f"a worker process failed: {type(error).__name__}: {error}"))
