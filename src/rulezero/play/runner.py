"""Tasks in, records out: in this process or in several."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Collection, Generator, Iterator, Sequence
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
) -> Generator[tuple[int, Finished], None, None]:
    """The games of tasks as they finish, each with the number of its task.

    A worker that finds nothing left of a task goes on with the next. Nets are looked for in the
    folder `nets` first. Games whose numbers are `done`, task by task, are not played.
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
    if workers <= 1:
        for number, (task, game) in enumerate(zip(tasks, loaded, strict=True)):
            table = _Table(task, game, seats, width, cache, nets)
            for finished in table.play(iter(left[number])):
                yield number, finished
        return
    share = -(-games // workers)  # nobody takes more at a time, or the others would idle
    jobs = [_Job(task, indices) for task, indices in zip(tasks, left, strict=True)]
    yield from _run_workers(jobs, games, workers, min(width, share), cache, nets)


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
        players = [a] if a == b else [a, b]
        self._numbers = (0, len(players) - 1)
        if task.judge is not None:
            players.append(seat(task.judge))
        self._judge = len(players) - 1 if task.judge is not None else -1
        self._session = Session(
            game, players, seed=task.word, width=self.width, cache=cache, nets=nets
        )

    def play(self, indices: Iterator[int]) -> Iterator[Finished]:
        """The games with these numbers, as they finish."""
        beginnings: dict[int, Beginning] = {}
        while True:
            # As many games as are played in step wait in the pool, so that no worker hoards them.
            while len(beginnings) < self.width and (index := next(indices, None)) is not None:
                beginnings[index] = self._begin(index)
            if not beginnings:
                return
            for played in self._session.step():
                yield self._finished(beginnings.pop(played.index), played)

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


def _run_workers(
    jobs: Sequence[_Job], left: int, workers: int, width: int, cache: int, nets: Path | None
) -> Iterator[tuple[int, Finished]]:
    """The games by several processes; each takes the next number when it has room.

    Each has a pipe of its own: one that is killed in the middle of a message holds up nobody.
    """
    context = multiprocessing.get_context("spawn")
    taken = context.Array("q", len(jobs))  # games of each job that somebody plays or has played
    message = msgspec.msgpack.encode(jobs)
    processes: dict[Connection, BaseProcess] = {}
    decoder = msgspec.msgpack.Decoder(Finished)
    try:
        with _deaf_to_interrupts(), _without_main():
            for _ in range(workers):
                reader, writer = context.Pipe(duplex=False)
                given = (message, width, cache, nets, taken, writer)
                processes[reader] = context.Process(target=_work, args=given, daemon=True)
                processes[reader].start()
                writer.close()  # or else the end of the worker would not be the end of the pipe
        talking = set(processes)
        while left > 0:
            for ready in wait(talking):
                assert isinstance(ready, Connection)
                try:
                    number, told = ready.recv()
                except (EOFError, OSError):
                    talking.remove(ready)
                    _bury(processes[ready])
                    continue
                if number < 0:
                    raise RulezeroError(told)
                left -= 1
                yield number, decoder.decode(told)
    finally:
        for process in processes.values():
            process.terminate()
        for reader, process in processes.items():
            process.join()
            reader.close()


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
    message: bytes, width: int, cache: int, nets: Path | None, taken: Any, results: Connection
) -> None:
    """One worker: takes numbers of games, sends what it has finished."""
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
            if taken[number] >= len(indices):
                continue
            table = _Table(task, check_task(task), None, width, cache, nets)
            for finished in table.play(take(number)):
                results.send((number, msgspec.msgpack.encode(finished)))
    except RulezeroError as error:
        results.send((-1, str(error)))
    except BrokenPipeError:
        os._exit(1)  # the one who asked was killed: nobody is left to play for
    except BaseException as error:  # of rules or an evaluator in Python
        results.send((-1, f"a worker process failed: {type(error).__name__}: {error}"))
