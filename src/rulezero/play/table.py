"""Plays the games of a task in this process, many at the same time."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from rulezero._core import Game, Played
from rulezero.data.record import Record, Thoughts, pack, record_from
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player, are_timed, read_player
from rulezero.play.session import Compute, Session, compute_here
from rulezero.play.task import FORMAT, Beginning, Task, begin


class Finished(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finished game of a task: its record, and the judge's thoughts."""

    record: Record
    note: Thoughts | None = None
    format: int = FORMAT


@dataclass(frozen=True)
class Begun:
    """A game has begun, at the same time as others or alone."""

    index: int
    is_alone: bool = False


@dataclass(frozen=True)
class Failure:
    """A game that failed or took too long."""

    index: int
    why: str


class Table:
    """The players of a task and a session in which they play its games.

    `players` replace those of the task's texts if they have evaluators, which a text cannot name.
    Games end after `most_plies` at the latest (default: the game's limit). While it plays, `width`
    may be changed to any number up to the first one; it is 1 if a player has a time limit.
    `compute` is the session's.
    """

    def __init__(
        self,
        task: Task,
        game: Game,
        *,
        nets: NetStore = PATHS,
        width: int = 64,
        cache: int = 1 << 16,
        players: tuple[Player, Player] | None = None,
        most_plies: int | None = None,
        compute: Compute = compute_here,
    ) -> None:
        self.task = task
        self.game = game
        self.players = players or (read_player(task.a), read_player(task.b))
        is_timed = are_timed((*self.players, task.judge))
        self.width = self._most_games = 1 if is_timed else min(width, task.games)
        a, b = self.players
        self._seated = [a] if a == b else [a, b]
        self._numbers = (0, len(self._seated) - 1)
        if task.judge is not None:
            self._seated.append(read_player(task.judge))
        self._judge = len(self._seated) - 1 if task.judge is not None else -1
        self._cache = cache
        self._most_plies = most_plies
        self._nets = nets
        self._compute = compute
        self.steps = 0  # of its sessions so far
        self.session = self._open()

    def _open(self) -> Session:
        return Session(
            self.game,
            self._seated,
            seed=self.task.word,
            width=self._most_games,
            cache=self._cache,
            nets=self._nets,
            compute=self._compute,
        )

    def play(
        self, indices: Iterator[int], seconds: float = math.inf, alone: Sequence[int] = ()
    ) -> Iterator[Finished | Failure | Begun]:
        """Plays the games with these numbers and yields them as they finish; `alone` come first.

        With a limit of seconds per game, it also yields the games that begin, and those that fail
        or take too long. Games played at the same time share their time and their errors: if one
        takes too long or fails, all of them are played again, each alone. Without a limit, an
        error is raised.
        """
        for lone in alone:
            yield from self._play_alone(lone, seconds)
        until: dict[int, float] = {}  # the games that are played now
        beginnings: dict[int, Beginning] = {}
        is_limited = seconds < math.inf
        while True:
            # Take only as many games as are played at a time: other workers may be idle.
            while len(until) < self.width and (index := next(indices, None)) is not None:
                until[index] = time.monotonic() + seconds
                if is_limited:
                    yield Begun(index)
            if not until:
                return
            try:
                for index in [index for index in until if index not in beginnings]:
                    beginnings[index] = self.begin(index)
                is_late = time.monotonic() > min(until.values())
                self.steps += 1
                finished = [] if is_late else self.session.step()
            except Exception:
                if not is_limited:
                    raise
                is_late = True
            if is_late:
                for index in until:
                    yield from self._play_alone(index, seconds)
                self.session = self._open()
                until.clear()
                beginnings.clear()
                continue
            for played in finished:
                del until[played.index]
                yield self.finished(beginnings.pop(played.index), played)

    def _play_alone(self, index: int, seconds: float) -> Iterator[Finished | Failure | Begun]:
        """Plays one game alone, with the whole time limit."""
        yield Begun(index, is_alone=True)
        until = time.monotonic() + seconds
        self.session = self._open()
        try:
            beginning = self.begin(index)
            while time.monotonic() < until:
                for played in self.session.step():
                    yield self.finished(beginning, played)
                    return
        except Exception as error:  # raised by rules or an evaluator in Python
            yield Failure(index, f"{type(error).__name__}: {error}")
        else:
            yield Failure(index, f"it took more than {seconds:g} s")

    def begin(self, index: int) -> Beginning:
        """Queues a game of the task in the session."""
        beginning = begin(self.task, self.game, index)
        limit = len(beginning.script) if self.task.scripts else self._most_plies
        self._queue(index, beginning, beginning.script, most_plies=limit)
        return beginning

    def retrace(self, record: Record) -> Beginning:
        """Queues a game of the task that was played: its players think about their choices again.

        A player who has resigned then chooses once more.
        """
        beginning = begin(self.task, self.game, record.index)
        self._queue(
            record.index,
            beginning,
            record.action_numbers().tolist(),
            retrace_from=len(beginning.script),
            most_plies=record.plies + (record.end_reason == "resigned"),
        )
        return beginning

    def _queue(
        self,
        index: int,
        beginning: Beginning,
        script: Sequence[int],
        *,
        most_plies: int | None,
        retrace_from: int | None = None,
    ) -> None:
        self.session.add(
            index,
            beginning.start,
            (self._numbers[beginning.a_sits], self._numbers[1 - beginning.a_sits]),
            judge=self._judge,
            script=script,
            retrace_from=retrace_from,
            most_plies=most_plies,
            resign=beginning.resign,
        )

    def finished(self, beginning: Beginning, played: Played) -> Finished:
        """The result of a game that the session has played."""
        task = self.task
        first, second = beginning.a_sits, 1 - beginning.a_sits  # players in seats 0 and 1
        identities = [self.session.identities[number] for number in self._numbers]
        record = record_from(
            beginning.start,
            pack(played.last.actions, **played.thoughts()),
            outcome=played.outcome,
            end_reason=played.reason,
            index=played.index,
            opening=played.opening,
            players=(self.players[first].text, self.players[second].text),
            nets=(identities[first], identities[second]),
            seed=task.seed,
            task=task.name,
            purpose=task.purpose,
            source=task.source,
            iteration=task.iteration,
            forced_result=task.forced_result,
        )
        return Finished(record=record, note=None if task.judge is None else notes_of(played))


def notes_of(played: Played) -> Thoughts:
    """The judge's thoughts about every ply of a game that the core has played."""
    _, thoughts = pack(played.last.actions, **played.notes())
    return thoughts
