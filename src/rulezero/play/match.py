"""Two players meet: the games, and what they say about the players."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from rulezero._core import Game
from rulezero.data.record import Record
from rulezero.games.load import load
from rulezero.play.rating import elo
from rulezero.play.runner import run
from rulezero.play.seats import Seat, seat
from rulezero.play.tally import Counts, GameResult, Tally
from rulezero.play.task import Task


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a against b; all figures are a's."""

    game: str
    a: str
    b: str
    tally: Tally
    records: list[Record]  # in the order of the task

    @property
    def score(self) -> float:
        """Points per game, in [0, 1]; a draw is half a point."""
        return self.tally.score

    @property
    def elo(self) -> float:
        """The rating difference that explains the score best."""
        return elo(self.tally).elo

    @property
    def interval(self) -> tuple[float, float]:
        """Where the rating difference lies, with 95 % confidence."""
        estimate = elo(self.tally)
        return estimate.lower, estimate.upper

    @property
    def by_seat(self) -> tuple[Counts, Counts]:
        """Wins, draws and losses of a in seat 0 and in seat 1."""
        return self.tally.by_seat


def match(
    game: str | Game,
    a: str | Seat,
    b: str | Seat,
    games: int = 100,
    *,
    seed: int = 0,
    opening: int = 4,
    starts: Sequence[str] = (),
    swap: bool = True,
    judge: str | None = None,
    workers: int = 1,
    width: int = 64,
    save: str | Path | None = None,
    on_game: Callable[[Tally], bool | None] | None = None,
) -> Match:
    """Plays games between two players and returns the result.

    Games come in pairs with the same opening and the seats swapped. `opening` plies are drawn at
    random so that players who never vary do not play one game over and over; `starts` are
    positions to begin from. `save` names a store that keeps every game as it finishes. `on_game`
    is told the tally after each game, and ends the match by returning True.
    """
    one, other = seat(a), seat(b)
    task = Task(
        game=game if isinstance(game, str) else game.text,
        a=one.text,
        b=other.text,
        games=games,
        seed=seed,
        opening=opening,
        starts=tuple(starts),
        swap=swap,
        judge=judge,
    )
    return play(task, seats=(one, other), workers=workers, width=width, save=save, on_game=on_game)


def play(
    task: Task,
    *,
    seats: tuple[Seat, Seat] | None = None,
    workers: int = 1,
    width: int = 64,
    save: str | Path | None = None,
    on_game: Callable[[Tally], bool | None] | None = None,
) -> Match:
    """Plays a task to its end, or until `on_game` returns True."""
    records: list[Record] = []
    results: list[GameResult] = []
    for finished in run(task, workers=workers, width=width, seats=seats):
        records.append(finished.record)
        results.append(result_of(finished.record, task))
        if on_game is not None and on_game(Tally.of(results)):
            break
    records.sort(key=lambda record: record.index)
    return Match(
        game=load(task.game).text, a=task.a, b=task.b, tally=Tally.of(results), records=records
    )


def result_of(record: Record, task: Task) -> GameResult:
    """How a game of a task ended for its player a."""
    return GameResult(
        seat=record.index % 2 if task.swap else 0,
        outcome=record.outcome,
        cause=record.end_reason,
        plies=record.plies,
        pair=record.index // 2 if task.swap else None,
    )
