"""Matches: games between two players, and the result."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import msgspec

from rulezero._core import GameError, PlayerError
from rulezero.data.record import Record
from rulezero.data.store import open_store
from rulezero.fleet.fleet import Kept, play_into
from rulezero.fleet.local import LocalFleet
from rulezero.games.load import AnyGame, load
from rulezero.play.players import Player, read_player
from rulezero.play.task import Task, check_task, result_of
from rulezero.stats.rating import elo
from rulezero.stats.running import RunningTally
from rulezero.stats.sprt import SequentialTest, Sprt
from rulezero.stats.tally import Counts, GameResult, RatingError, Tally

_COPIES = 0.1  # there is a warning if at least this share of the games are copies


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a against b; all figures are a's."""

    game: str
    a: str
    b: str
    tally: Tally
    records: list[Record]  # in the order of the task
    seconds: float = 0.0  # from the first ply to the last
    sprt: Sprt | None = None  # the test that could end the match, with its counts
    results: tuple[GameResult, ...] = ()  # of the records, from a's point of view
    opening: int = 0  # number of random first plies of every game

    def __repr__(self) -> str:
        words = f"<match of {self.game}: {self.a} against {self.b}, {self.tally.games} games"
        if self.tally.games == 0:
            return f"{words}>"
        lower, upper = self.interval
        elo = f"Elo {self.elo:+.1f} ({lower:+.1f} to {upper:+.1f})"
        return f"{words}, {100 * self.score:.1f} % of the points, {elo}>"

    @property
    def score(self) -> float:
        """Points per game, in [0, 1]; a draw is half a point."""
        return self.tally.score

    @property
    def elo(self) -> float:
        """The rating difference that explains the score best, in Elo."""
        return elo(self.tally).elo

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the rating difference, in Elo."""
        estimate = elo(self.tally)
        return estimate.lower, estimate.upper

    @property
    def by_seat(self) -> tuple[Counts, Counts]:
        """Wins, draws and losses of a in seat 0 and in seat 1."""
        return self.tally.by_seat

    @property
    def different(self) -> int:
        """How many different games were played; copies of a game count once."""
        return self.tally.different

    @property
    def warning(self) -> str:
        """A warning and its remedy if many games are copies of each other, or ""."""
        return about_copies(self.different, self.tally.games, self.opening)


class MatchInterrupted(KeyboardInterrupt):
    """Ctrl-C during a match; `match` holds the games so far."""

    def __init__(self, match: Match) -> None:
        super().__init__(f"interrupted after {match.tally.games} games")
        self.match = match


def about_copies(different: int, games: int, opening: int, option: str = "opening=") -> str:
    """A warning and its remedy if many games of a match are copies of each other, or ""."""
    if games - different < max(_COPIES * games, 2):
        return ""
    more = opening + 4
    counted = f"{different} different {'game' if different == 1 else 'games'} of {games}"
    return (
        f"{counted}: players without randomness repeat their games, and copies do not narrow an"
        f" interval; add temperature=1 to a player, or {option}{more}"
    )


OnGame = Callable[[Tally], bool | None]  # gets the tally after a game; True ends the match


def match(
    game: AnyGame,
    a: str | Player,
    b: str | Player,
    games: int = 100,
    *,
    time: float | None = None,
    seed: int = 0,
    opening: int = 4,
    starts: str | Sequence[str] = (),
    swap: bool = True,
    judge: str | Player | None = None,
    workers: int = 1,
    width: int = 64,
    save: str | Path | None = None,
    sprt: Sprt | tuple[float, float] | None = None,
    on_game: OnGame | None = None,
) -> Match:
    """Plays games between two players and returns the result.

    Games come in pairs with the same opening and the seats swapped. The first `opening` plies are
    random, so that players without randomness do not repeat one game; `starts` is a position to
    begin from, or several. `time` gives both players this many seconds per move, as their key time=
    does. Copies of a game are no evidence: see `different` and `warning` of the result. `save`
    names a store that keeps every game as it finishes. `sprt` ends the match at its verdict: (0,
    10) tests whether a is 0 or 10 Elo stronger. `judge` is a player that evaluates every position;
    its notes go into the store. `on_game` gets the tally after each game, and ends the match by
    returning True. Ctrl-C raises MatchInterrupted, which holds the match so far.
    """
    one, other = read_player(a), read_player(b)
    if time is not None:
        if not (one.can_be_timed or other.can_be_timed):
            raise PlayerError(
                f"time={time}: neither '{one.text}' nor '{other.text}' searches; leave time out"
            )
        one, other = one.within(time), other.within(time)
    if judge is not None and save is None:
        raise GameError("a judge writes its notes into a store: add save=, or leave judge out")
    if sprt is not None and not isinstance(sprt, Sprt):
        sprt = _sprt_of(sprt)
    task = Task(
        game=game if isinstance(game, str) else load(game).text,
        a=one.text,
        b=other.text,
        games=games,
        seed=seed,
        opening=opening,
        starts=(starts,) if isinstance(starts, str) else tuple(starts),
        swap=swap,
        judge=None if judge is None else read_player(judge).text,
    )
    rules = check_task(task)
    standing = RunningTally()
    test = None if sprt is None else SequentialTest(sprt, pairs=swap)
    records: list[Record] = []
    began = perf_counter()

    def so_far() -> Match:
        played = sorted(records, key=lambda record: record.index)
        results = tuple(result_of(record, task) for record in played)
        return Match(
            game=rules.text,
            a=task.a,
            b=task.b,
            tally=Tally.of(results),
            records=played,
            seconds=perf_counter() - began,
            sprt=None if test is None else test.sprt,
            results=results,
            opening=task.opening,
        )

    fleet = LocalFleet(workers=workers, width=width, players=(one, other))
    with contextlib.ExitStack() as stack:
        store = None if save is None else stack.enter_context(open_store(save))
        playing = stack.enter_context(contextlib.closing(play_into(store, [task], fleet)))
        kept: Kept | None = None
        try:
            for kept in playing:
                record = kept.record
                result = result_of(record, task)
                records.append(record)
                standing.add(result)
                is_decided = test is not None and test.add(record.index, result)
                if (on_game is not None and on_game(standing.tally)) or is_decided:
                    break
        except KeyboardInterrupt:
            if kept is not None and kept.record not in records[-1:]:
                records.append(kept.record)
            raise MatchInterrupted(so_far()) from None
    return so_far()


def _sprt_of(bounds: tuple[float, float]) -> Sprt:
    try:
        elo0, elo1 = map(float, bounds)
    except (TypeError, ValueError):
        raise RatingError(f"sprt={bounds!r}: give two Elo differences, such as (0, 10)") from None
    return Sprt(elo0=elo0, elo1=elo1)
