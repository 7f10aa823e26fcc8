"""Ratings of many players on one scale, from the results of their games."""

import math
from collections.abc import Iterable
from statistics import NormalDist

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero.errors import among
from rulezero.stats.rating import quantile
from rulezero.stats.tally import Counts, RatingError, Tally

Floats = npt.NDArray[np.float64]

_ELO = 400 / math.log(10)  # Elo per unit of log-odds


class Meeting(msgspec.Struct, frozen=True):
    """The games of two players against each other, or a part of them."""

    a: str
    b: str
    tally: Tally  # a's results against b


class Rating(msgspec.Struct, frozen=True):
    """A player's rating: Elo above the anchor, with an interval."""

    player: str
    elo: float
    error: float  # one standard error; 0 for the anchor
    lower: float
    upper: float
    games: int
    score: float  # points per game against all opponents, in [0, 1]

    @property
    def interval(self) -> str:
        """The interval as text: +146 to +242; "" for the anchor."""
        return f"{self.lower:+.0f} to {self.upper:+.0f}" if self.error else ""


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """Players by strength, the strongest first; the anchor's rating is 0.

    The model is Bradley and Terry's with a draw counted as half a win and half a loss: in seat 0,
    a player d Elo above the other is expected to score 1 / (1 + 10^(-(d + advantage)/400)).
    Davidson's model, which has a probability of a draw, is not used: its scale widens with the
    number of draws (if half the games are draws, a score of 75 % is +382), so that a ladder would
    contradict the matches it is made from, and Elo would mean something else in every game. The
    model used ignores that draws vary less than wins and losses; the standard errors allow for it.
    """

    anchor: str
    ratings: tuple[Rating, ...]
    advantage: float  # Elo that a player gains in seat 0
    advantage_error: float  # one standard error; 0 if the advantage was given
    disconnected: tuple[str, ...]  # unrated: no chain of games connects them to the anchor
    confidence: float  # of the intervals
    players: tuple[str, ...]  # the rows of the covariance: sorted, without the anchor
    covariance: tuple[tuple[float, ...], ...]  # [players, players] of the ratings, Elo squared

    def __getitem__(self, player: str) -> Rating:
        """A player's rating; RatingError if there is none."""
        for rating in self.ratings:
            if rating.player == player:
                return rating
        if player in self.disconnected:
            raise RatingError(
                f"'{player}' is not rated; let it play an opponent that games connect to"
                f" '{self.anchor}'"
            )
        raise RatingError(_unknown(player, [rating.player for rating in self.ratings]))

    def difference(self, a: str, b: str) -> tuple[float, float]:
        """The difference of the ratings of a and b in Elo, and its standard error.

        The error is smaller than the two errors together suggest, as both ratings share the
        uncertainty of their distance to the anchor.
        """
        weights = np.array([(name == a) - (name == b) for name in self.players], np.float64)
        covariance = np.array(self.covariance, np.float64).reshape(len(weights), len(weights))
        square = float(weights @ covariance @ weights)
        return self[a].elo - self[b].elo, math.sqrt(max(square, 0.0))

    def superiority(self, a: str, b: str) -> float:
        """The probability that a is stronger than b."""
        elo, error = self.difference(a, b)
        return NormalDist().cdf(elo / error) if error else 0.5

    @classmethod
    def fit(
        cls,
        meetings: Iterable[Meeting],
        *,
        anchor: str,
        advantage: float | None = None,
        prior: float = 1.0,
        decisive: float = 4.0,
        confidence: float = 0.95,
    ) -> "Ladder":
        """The likeliest ratings, with the anchor at 0.

        advantage  Elo of seat 0, or None to fit it, too. If players never change seats, it cannot
                   be distinguished from strength: give it, or it gets half of the difference.
        prior      drawn games added for each player, divided over its opponents and both seats;
                   they keep the rating of a player finite who won every game. Above 0.
        decisive   games without a draw that are added to every meeting when the variance of its
                   results is estimated.
        confidence of the intervals. Errors come from the observed information, corrected for the
                   smaller variance of meetings with draws.
        """
        if not 0 < prior < math.inf:
            raise RatingError(f"prior={prior}: give a number of games above 0, such as 1")
        if not 0 < decisive < math.inf:
            raise RatingError(f"decisive={decisive}: give a number of games above 0, such as 4")
        if advantage is not None and not math.isfinite(advantage):
            raise RatingError(f"advantage={advantage}: give a finite number, or None to fit it")
        z = quantile(confidence)
        meetings = list(meetings)
        table = _table(meetings)
        totals = _totals(table)
        if anchor not in totals:
            raise RatingError(f"the anchor has no games: {_unknown(anchor, list(totals))}")
        rated = _reachable(anchor, table)
        games = _Games.among(rated, table, totals, prior, _shares(meetings))

        # One column per parameter: the ratings of all but the anchor, then the advantage.
        others = tuple(name for name in rated if name != anchor)
        design = games.signs[:, [name != anchor for name in rated]]
        fixed = 0.0 if advantage is None else advantage / _ELO
        if advantage is None:
            design = np.column_stack([design, np.ones(len(design))])
        strengths = _maximise(design, games, fixed)
        covariance = _ELO**2 * _covariance(design, games, strengths, fixed, decisive)
        errors = np.sqrt(np.diag(covariance))

        kept = len(others)
        measured = zip((strengths * _ELO)[:kept].tolist(), errors[:kept].tolist(), strict=True)
        places = dict(zip(others, measured, strict=True))
        ratings = []
        for name in rated:
            elo, error = places.get(name, (0.0, 0.0))
            interval = (elo - z * error, elo + z * error)
            ratings.append(
                Rating(name, elo, error, *interval, totals[name].games, totals[name].score)
            )
        return cls(
            anchor=anchor,
            ratings=tuple(sorted(ratings, key=lambda rating: (-rating.elo, rating.player))),
            advantage=float(strengths[kept]) * _ELO if advantage is None else advantage,
            advantage_error=float(errors[kept]) if advantage is None else 0.0,
            disconnected=tuple(sorted(totals.keys() - set(rated))),
            confidence=confidence,
            players=others,
            covariance=tuple(tuple(map(float, row[:kept])) for row in covariance[:kept]),
        )


Table = dict[tuple[str, str], Counts]
"""(player in seat 0, player in seat 1) -> seat 0's results."""


class _Games(msgspec.Struct, frozen=True):
    """Meetings as arrays, with a row for each pair of players and each order of seats."""

    signs: Floats  # [rows, players]  1 for the player in seat 0, -1 for that in seat 1
    games: Floats  # [rows]  effective number: less than the number if some are copies
    draws: Floats  # [rows]
    points: Floats  # [rows]  seat 0's
    added: Floats  # [rows]  drawn games from the prior

    @classmethod
    def among(
        cls,
        players: list[str],
        table: Table,
        totals: dict[str, Counts],
        prior: float,
        shares: dict[frozenset[str], float],
    ) -> "_Games":
        """The games of these players, who have played against no others."""
        met = sorted({(min(names), max(names)) for names in table if names[0] in players})
        place = {name: index for index, name in enumerate(players)}
        rows = [names for a, b in met for names in ((a, b), (b, a))]
        signs = np.zeros((len(rows), len(players)))
        added = np.zeros(len(rows))
        for row, (a, b) in enumerate(rows):
            signs[row, place[a]], signs[row, place[b]] = 1, -1
            together = table.get((a, b), Counts()).games + table.get((b, a), Counts()).games
            added[row] = prior / 4 * (together / totals[a].games + together / totals[b].games)
        results = [table.get(names, Counts()) for names in rows]
        weight = np.array([shares.get(frozenset(names), 1.0) for names in rows], np.float64)
        return cls(
            signs=signs,
            games=weight * np.array([counts.games for counts in results], np.float64),
            draws=weight * np.array([counts.draws for counts in results], np.float64),
            points=weight * np.array([counts.points for counts in results], np.float64),
            added=added,
        )


def _table(meetings: Iterable[Meeting]) -> Table:
    """Every player's results from seat 0 against every other, summed up."""
    table: Table = {}
    for meeting in meetings:
        if meeting.a == meeting.b:
            raise RatingError(f"'{meeting.a}' meets itself; leave such games out")
        first, second = meeting.tally.by_seat
        for names, counts in (
            ((meeting.a, meeting.b), first),
            ((meeting.b, meeting.a), second.swapped),
        ):
            if counts.games:
                table[names] = table.get(names, Counts()) + counts
    return table


def _shares(meetings: Iterable[Meeting]) -> dict[frozenset[str], float]:
    """The effective number of games divided by their number, for each two players."""
    sums: dict[frozenset[str], Tally] = {}
    for meeting in meetings:
        names = frozenset((meeting.a, meeting.b))
        sums[names] = sums.get(names, Tally()) + meeting.tally
    return {names: tally.share for names, tally in sums.items()}


def _totals(table: Table) -> dict[str, Counts]:
    """Every player's results against all others, from both seats."""
    totals: dict[str, Counts] = {}
    for (first, second), counts in table.items():
        totals[first] = totals.get(first, Counts()) + counts
        totals[second] = totals.get(second, Counts()) + counts.swapped
    return totals


def _reachable(anchor: str, table: Table) -> list[str]:
    """The anchor and all players that chains of games connect to it, sorted."""
    opponents: dict[str, set[str]] = {}
    for a, b in table:
        opponents.setdefault(a, set()).add(b)
        opponents.setdefault(b, set()).add(a)
    found, waiting = {anchor}, [anchor]
    while waiting:
        new = opponents[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return sorted(found)


def _expected(design: Floats, strengths: Floats, fixed: float) -> Floats:
    """Seat 0's expected score in each row, in (0, 1)."""
    return np.asarray(0.5 + 0.5 * np.tanh((design @ strengths + fixed) / 2))


def _maximise(design: Floats, games: _Games, fixed: float) -> Floats:
    """The parameters, in log-odds, that make the games likeliest: Newton with halved steps.

    The logarithm of the likelihood is concave, and the added draws give it a single maximum.
    """
    total = games.games + games.added
    points = games.points + games.added / 2

    def log_likelihood(strengths: Floats) -> float:
        odds = design @ strengths + fixed
        return float(points @ odds - total @ np.logaddexp(0, odds))

    strengths = np.zeros(design.shape[1])
    best = log_likelihood(strengths)
    for _ in range(200):
        expected = _expected(design, strengths, fixed)
        gradient = design.T @ (points - total * expected)
        information = design.T @ ((total * expected * (1 - expected))[:, None] * design)
        step = np.linalg.solve(information, gradient)
        while np.abs(step).max(initial=0.0) > 1e-9:
            likelihood = log_likelihood(strengths + step)
            if likelihood >= best:
                break
            step /= 2
        else:
            return strengths + step
        strengths, best = strengths + step, likelihood
    return strengths


def _covariance(
    design: Floats, games: _Games, strengths: Floats, fixed: float, decisive: float
) -> Floats:
    """Covariance of the parameters: the inverse information, corrected for draws.

    A game's result has variance s(1 - s) without draws, and each draw lowers it by 1/4. Without
    draws, this is the plain inverse of the observed information.
    """
    expected = _expected(design, strengths, fixed)
    binary = games.games * expected * (1 - expected)
    extra = decisive / 4
    scatter = (np.maximum(binary - games.draws / 4, 0) + extra) / (binary + extra)  # in (0, 1]
    prior = games.added * expected * (1 - expected)
    information = design.T @ ((binary + prior)[:, None] * design)
    observed = design.T @ ((binary * scatter + prior)[:, None] * design)
    inverse = np.linalg.inv(information)
    return np.asarray(inverse @ observed @ inverse)


def _unknown(player: str, known: list[str]) -> str:
    return f"there is no player '{player}'{among(player, sorted(known) or ['none'])}"
