"""How much stronger one player is than another: Elo, its interval, the chance of superiority.

Elo here is logistic: the expected score at a difference of d is 1 / (1 + 10^(-d/400)), with draws
counted as half, however many there are. The value of a pair or a game is its points divided by the
maximum, so it is in [0, 1] like a score.
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import msgspec

from rulezero.stats.tally import RatingError, Results, share_of, weights

Shares = tuple[float, ...]
"""A distribution over the values 0, 1/2, 1 of a game, or 0, 1/4, 1/2, 3/4, 1 of a pair."""


class Estimate(msgspec.Struct, frozen=True):
    """How much stronger a is than b, in Elo. Bounds are infinite if the games set none."""

    elo: float
    lower: float
    upper: float
    superiority: float  # probability that a is stronger, in [0, 1]
    confidence: float  # of the interval
    games: int

    @property
    def text(self) -> str:
        """The estimate as text: +190.8 (+146.4 to +242.4, 95 %)."""
        return f"{self.elo:+.1f} ({self.interval()}, {100 * self.confidence:.4g} %)"

    def interval(self, digits: int = 1) -> str:
        """The interval as text: +146.4 to +242.4, at least +12.0, ..."""
        lower, upper = f"{self.lower:+.{digits}f}", f"{self.upper:+.{digits}f}"
        if math.isinf(self.lower):
            return "no bounds" if math.isinf(self.upper) else f"at most {upper}"
        return f"at least {lower}" if math.isinf(self.upper) else f"{lower} to {upper}"


def to_elo(score: float) -> float:
    """The Elo difference at which this score is expected; infinite for 0 and 1."""
    if not 0 <= score <= 1:
        raise RatingError(f"a score of {score} is impossible; give one from 0 to 1")
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))


def to_score(elo: float) -> float:
    """The expected score, in [0, 1], of a player who is this many Elo stronger."""
    return 0.5 + 0.5 * math.tanh(elo * math.log(10) / 800)


def elo(
    results: Results,
    *,
    confidence: float = 0.95,
    floor: float = 1e-3,
    share: float | None = None,
) -> Estimate:
    """How much stronger a is than b, from a tally, pairs or counts.

    The interval contains every score s that the games do not contradict: the distance from s to
    the observed score, divided by its standard error if s were true, is at most the normal
    quantile. The standard error comes from the likeliest distribution with mean s: over pairs if
    they are known, else over wins, draws and losses. Without draws this is Wilson's interval.

    All games won: the estimate is the Elo of the score with one draw added, the lower bound is as
    usual (n / (n + z^2) for n pairs or n games), and the upper bound is infinite. All games lost:
    the mirror image. All games drawn: 0, with an interval that narrows with every game. No games:
    0, without bounds. `floor` is the count used for results that have not occurred.

    Copies of a game are not evidence: n games count as `share` * n (default: the tally's share; 1
    for pairs and counts, which do not know their copies). The score is that of all games.
    """
    z = quantile(confidence)
    games, score = results.games, results.score
    if games == 0:
        return Estimate(0.0, -math.inf, math.inf, 0.5, confidence, 0)
    share = share_of(results) if share is None else share
    seen = tuple(share * weight for weight in weights(results))
    counts, events = regularised(seen, floor), sum(seen)

    def distance(s: float) -> float:
        """The distance from s to the observed score, in standard errors."""
        return (score - s) / math.sqrt(variance(likeliest(counts, s)) / events)

    lower = 0.0 if score == 0 else _crossing(lambda s: distance(s) - z, score, 0.0)
    upper = 1.0 if score == 1 else _crossing(lambda s: -z - distance(s), score, 1.0)
    shut_out = score in (0, 1)
    played = share * games
    middle = to_elo((score * played + 0.5) / (played + 1) if shut_out else score)
    return Estimate(
        elo=middle,
        lower=min(to_elo(lower), middle),
        upper=max(to_elo(upper), middle),
        superiority=NormalDist().cdf(distance(0.5)),
        confidence=confidence,
        games=games,
    )


def score_interval(
    results: Results, *, confidence: float = 0.95, share: float | None = None
) -> tuple[float, float]:
    """The interval of a's score, in [0, 1]: the bounds of `elo` as scores."""
    found = elo(results, confidence=confidence, share=share)
    return to_score(found.lower), to_score(found.upper)


def quantile(confidence: float) -> float:
    """The number of standard errors to either side that hold this share of a normal curve."""
    if not 0 < confidence < 1:
        raise RatingError(f"a confidence of {confidence} is impossible; give one such as 0.95")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def regularised(counts: Sequence[float], floor: float) -> tuple[float, ...]:
    """The counts, with zeros raised to `floor` so that no result is impossible."""
    if not 0 < floor <= 1:
        raise RatingError(f"floor={floor}: give a small count such as 0.001")
    return tuple(count or floor for count in counts)


def shares(counts: Sequence[float]) -> Shares:
    """The counts divided by their sum."""
    total = sum(counts)
    return tuple(count / total for count in counts)


def mean(distribution: Shares) -> float:
    """The mean value, in [0, 1]."""
    top = len(distribution) - 1
    return sum(share * index / top for index, share in enumerate(distribution))


def variance(distribution: Shares) -> float:
    """The variance of a value, at most 1/4."""
    top, middle = len(distribution) - 1, mean(distribution)
    return sum(share * (index / top - middle) ** 2 for index, share in enumerate(distribution))


def likeliest(counts: Sequence[float], score: float) -> Shares:
    """The distribution that makes counts above 0 likeliest among all whose mean is `score`.

    Lagrange multipliers give shares in proportion to count / (1 + x * (value - score)).
    """
    top = len(counts) - 1
    return tilted(counts, [index / top - score for index in range(top + 1)])


def tilted(counts: Sequence[float], offsets: Sequence[float]) -> Shares:
    """The distribution that makes counts above 0 likeliest among those where offsets average 0.

    Its shares are those of the counts, each divided by 1 + x * offset; x is the root of a function
    that decreases between two poles, found by Newton steps inside a shrinking bracket.
    """
    observed = list(zip(shares(counts), offsets, strict=True))
    low, high = -1 / max(offsets), -1 / min(offsets)
    x = 0.0
    for _ in range(200):
        value = slope = 0.0
        for share, offset in observed:
            term = offset / (1 + x * offset)
            value += share * term
            slope -= share * term * term
        low, high = (x, high) if value > 0 else (low, x)
        following = x - value / slope
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 1e-14 * (1 + abs(x)) or following in (low, high):
            break
        x = following
    return shares([share / (1 + x * offset) for share, offset in observed])


def _crossing(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """The point between inside and outside where the excess becomes positive."""
    for _ in range(44):
        middle = (inside + outside) / 2
        if excess(middle) > 0:
            outside = middle
        else:
            inside = middle
    return outside
