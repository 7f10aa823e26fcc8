"""The figures of a match, for people to read and for files."""

import msgspec

from rulezero.contest.match import Match
from rulezero.stats.rating import Estimate, elo, score_interval
from rulezero.stats.tally import Counts, Evidence, Tally


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Wins, draws and losses, and the score."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float  # in [0, 1]
    interval: tuple[float, float]  # of the score, with 95 % confidence
    different: int  # different games: copies count once, and do not narrow the interval

    @classmethod
    def of(cls, counts: Counts, evidence: Evidence | None = None) -> "Line":
        """The line of these counts; without evidence all games are different."""
        evidence = evidence or Evidence(counts.games, counts.games)
        return cls(
            games=counts.games,
            wins=counts.wins,
            draws=counts.draws,
            losses=counts.losses,
            score=counts.score,
            interval=score_interval(counts, share=evidence.share(counts.games)),
            different=evidence.different,
        )


class Lengths(msgspec.Struct, frozen=True, kw_only=True):
    """The lengths of games in plies, including dice; all 0 if there are no games."""

    mean: float = 0.0
    shortest: int = 0
    longest: int = 0

    @classmethod
    def of(cls, tally: Tally) -> "Lengths":
        """The lengths of these games."""
        if not tally.plies:
            return cls()
        return cls(mean=tally.mean_plies, shortest=min(tally.plies), longest=max(tally.plies))


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a sequential test."""

    __test__ = False  # pytest must not collect this class

    elo0: float
    elo1: float
    llr: float
    bounds: tuple[float, float]
    verdict: str
    counts: tuple[int, ...]  # pairs [5] or games [3] that the test has seen, by a's points
    share: float  # their effective number divided by their number; below 1 if games are copies


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a match; figures are a's. As JSON, an infinite bound is null."""

    game: str
    a: str
    b: str
    total: Line
    by_seat: tuple[Line, Line]
    elo: Estimate
    pairs: tuple[int, ...]  # [5] number of pairs in which a scored 0, 1/2, 1, 3/2 and 2 points
    ends: dict[str, Line]  # by cause, the most frequent first
    plies: Lengths
    first_seat: Line  # the player in seat 0, against the player in seat 1
    first_seat_elo: Estimate
    seconds: float
    games_per_second: float
    simulations: int  # of both players; players without a tree: evaluated positions
    simulations_per_second: float
    sprt: Test | None = None
    is_interrupted: bool = False
    saved: str | None = None  # the store that has the games
    different: int  # different games: copies count once
    effective_games: float  # that intervals are based on; all games if there are no copies
    warning: str = ""  # a warning and its remedy if many games are copies

    @classmethod
    def of(
        cls, match: Match, *, is_interrupted: bool = False, saved: str | None = None
    ) -> "Report":
        """The report of a match."""
        tally, results = match.tally, match.results
        first = tally.by_seat[0] + tally.by_seat[1].swapped
        by_seat = [
            Evidence.of(each.key for each in results if each.seat == seat) for seat in (0, 1)
        ]
        by_cause = {
            cause: Evidence.of(each.key for each in results if each.cause == cause)
            for cause in tally.by_cause
        }
        causes = sorted(tally.by_cause.items(), key=lambda item: (-item[1].games, item[0]))
        simulations = sum(int(record.columns().sims.sum()) for record in match.records)
        return cls(
            game=match.game,
            a=match.a,
            b=match.b,
            total=Line.of(tally.counts, tally.evidence),
            by_seat=(
                Line.of(tally.by_seat[0], by_seat[0]),
                Line.of(tally.by_seat[1], by_seat[1]),
            ),
            elo=elo(tally),
            pairs=tally.pairs.counts,
            ends={cause: Line.of(counts, by_cause[cause]) for cause, counts in causes},
            plies=Lengths.of(tally),
            first_seat=Line.of(first, tally.evidence),
            first_seat_elo=elo(first, share=tally.share),
            seconds=match.seconds,
            games_per_second=_rate(tally.games, match.seconds),
            simulations=simulations,
            simulations_per_second=_rate(simulations, match.seconds),
            sprt=msgspec.convert(match.sprt, Test | None, from_attributes=True),
            is_interrupted=is_interrupted,
            saved=saved,
            different=tally.different,
            effective_games=tally.share * tally.games,
            warning=match.warning,
        )


def _rate(number: int, seconds: float) -> float:
    return number / seconds if seconds > 0 else 0.0
