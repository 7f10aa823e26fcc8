"""Tasks in, records out: in this process or in several."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

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

    `workers` processes share them; `width` games each are played in step; `cache` positions of a
    net are remembered. None of these changes a record. `seats` are the task's own players where
    they hold evaluators that no text can name: those play in this process.
    """
    game = check_task(task)
    if not 1 <= workers <= _MOST_WORKERS or width < 1 or cache < 0:
        raise GameError(f"workers are 1 to {_MOST_WORKERS}, width at least 1, cache at least 0")
    if workers == 1 or task.games == 1:
        yield from _play(task, game, seats, iter(range(task.games)), width, cache)
        return
    if seats is not None and any(each.evaluator is not None for each in seats):
        raise GameError("a player with an evaluator of its own plays in one process: workers=1")
    workers = min(workers, task.games)
    share = -(-task.games // workers)  # nobody takes more at a time, or the others would idle
    yield from _run_workers(task, workers, min(width, share), cache)


def _play(
    task: Task,
    game: Game,
    seats: tuple[Seat, Seat] | None,
    indices: Iterator[int],
    width: int,
    cache: int,
) -> Iterator[Finished]:
    """The games with these numbers, as they finish."""
    a, b = seats or (seat(task.a), seat(task.b))
    players = [a] if a == b else [a, b]
    numbers = (0, len(players) - 1)
    if task.judge is not None:
        players.append(seat(task.judge))
    judge = len(players) - 1 if task.judge is not None else -1
    session = Session(game, players, seed=task.word, width=min(width, task.games), cache=cache)
    beginnings: dict[int, Beginning] = {}
    while True:
        # As many games as are played in step wait in the pool, so that no worker hoards them.
        while len(beginnings) < width and (index := next(indices, None)) is not None:
            beginning = begin(task, game, index)
            beginnings[index] = beginning
            by_seat = (numbers[beginning.a_sits], numbers[1 - beginning.a_sits])
            session.add(index, beginning.start, by_seat, judge=judge, script=beginning.script)
        if not beginnings:
            return
        for played in session.step():
            beginning = beginnings.pop(played.index)
            identities = [session.identities[number] for number in numbers]
            yield _finished(task, game, beginning, played, (a, b), identities)


def _finished(
    task: Task,
    game: Game,
    beginning: Beginning,
    played: Played,
    seats: tuple[Seat, Seat],
    identities: list[str | None],
) -> Finished:
    first, second = (0, 1) if beginning.a_sits == 0 else (1, 0)
    record = record_of(
        game,
        beginning.start,
        played,
        seats=(seats[first].text, seats[second].text),
        nets=(identities[first], identities[second]),
        seed=task.seed,
        task=task.name,
        purpose=task.purpose,
        source=task.source,
    )
    return Finished(record=record, note=None if task.judge is None else notes_of(played))


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


def _run_workers(task: Task, workers: int, width: int, cache: int) -> Iterator[Finished]:
    """The task's games by several processes; each takes the next number when it has room.

    Each has a pipe of its own: one that is killed in the middle of a message holds up nobody.
    """
    context = multiprocessing.get_context("spawn")
    numbers = context.Value("q", 0)
    message = msgspec.msgpack.encode(task)
    processes: dict[Connection, BaseProcess] = {}
    decoder = msgspec.msgpack.Decoder(Finished)
    try:
        with _deaf_to_interrupts():
            for _ in range(workers):
                reader, writer = context.Pipe(duplex=False)
                given = (message, width, cache, numbers, writer)
                processes[reader] = context.Process(target=_work, args=given, daemon=True)
                processes[reader].start()
                writer.close()  # or else the end of the worker would not be the end of the pipe
        talking = set(processes)
        left = task.games
        while left > 0:
            for ready in wait(talking):
                assert isinstance(ready, Connection)
                try:
                    kind, told = ready.recv()
                except (EOFError, OSError):
                    talking.remove(ready)
                    _bury(processes[ready])
                    continue
                if kind == "error":
                    raise RulezeroError(told)
                left -= 1
                yield decoder.decode(told)
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


def _work(message: bytes, width: int, cache: int, numbers: Any, results: Connection) -> None:
    """One worker: takes numbers of games, sends what it has finished."""
    task = msgspec.msgpack.decode(message, type=Task)

    def take() -> Iterator[int]:
        while True:
            with numbers.get_lock():
                number = numbers.value
                numbers.value += 1
            if number >= task.games:
                return
            yield number

    try:
        for finished in _play(task, check_task(task), None, take(), width, cache):
            results.send(("game", msgspec.msgpack.encode(finished)))
    except RulezeroError as error:
        results.send(("error", str(error)))
    except BrokenPipeError:
        os._exit(1)  # the one who asked was killed: nobody is left to play for
    except BaseException as error:  # of rules or an evaluator in Python
        results.send(("error", f"a worker process failed: {type(error).__name__}: {error}"))
