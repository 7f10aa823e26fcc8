"""Sequential matches that stop early: the generalised sequential probability ratio test.

After every pair (or game), the results are compared under two hypotheses: H0, a is elo0 Elo
stronger than b; H1, a is elo1 Elo stronger. A hypothesis does not fix the distribution of pairs
any further, so the likeliest one is used for each (Van den Bergh, "The generalized maximum
likelihood ratio for the expectation value of a distribution"). Wald's bounds on the log-likelihood
ratio limit both error rates.
"""

import math
from typing import Literal

import msgspec

from rulezero.stats import rating
from rulezero.stats.running import RunningTally
from rulezero.stats.tally import GameResult, RatingError, Results, independent, share_of

_FARTHEST = {"logistic": 1000.0, "normalized": 200.0}  # Elo; the solver is reliable up to these
_NORMALIZED = 800 / math.log(10)  # normalized Elo per standard deviation of a game


class Sprt(msgspec.Struct, frozen=True, kw_only=True):
    """A test of elo1 against elo0, with the results so far.

    Sprt(elo0=0, elo1=10) is a test before its first game; `after` returns it with results. Look at
    the verdict after every pair, or every few, and stop at the first one: later games must not
    count. The error rates are slightly below alpha and beta, since results come in steps.

    model "logistic": elo0 and elo1 are the usual Elo, from differences in score.
    model "normalized": they are 347.4 times the difference in score divided by the standard
    deviation of one game, so that the length of a test hardly depends on the number of draws.
    """

    elo0: float  # H0: a is at most this much stronger
    elo1: float  # H1: a is at least this much stronger
    alpha: float = 0.05  # probability of accepting H1 if H0 is true
    beta: float = 0.05  # probability of accepting H0 if H1 is true
    model: Literal["logistic", "normalized"] = "logistic"
    floor: float = 1e-3  # count used for results that have not occurred
    counts: tuple[int, ...] = (0, 0, 0)  # of pairs [5] or games [3], by a's points
    share: float = 1.0  # effective number of games / their number; less than 1 with copies

    def __post_init__(self) -> None:
        if self.model not in _FARTHEST:
            raise RatingError(f"model={self.model!r}: give 'logistic' or 'normalized'")
        if not self.elo0 < self.elo1:
            raise RatingError(f"elo0={self.elo0}, elo1={self.elo1}: give an elo0 below elo1")
        self._check("elo0", self.elo0)
        self._check("elo1", self.elo1)
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise RatingError(f"{name}={rate}: give an error rate between 0 and 0.5")
        if len(self.counts) not in (3, 5) or min(self.counts) < 0:
            raise RatingError(f"counts={self.counts}: give three of games or five of pairs")
        if not 0 < self.share <= 1:
            raise RatingError(f"share={self.share}: give a share above 0, at most 1")
        rating.regularised(self.counts, self.floor)

    def after(self, results: Results) -> "Sprt":
        """The same test with these results instead of its own: all results, not only new ones.

        Of a tally, the complete pairs count, or all games if pairs hold less than half of them.
        Copies of games reduce the weight of all results: see `Evidence`.
        """
        share = share_of(results)
        return msgspec.structs.replace(self, counts=independent(results), share=share)

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of `llr` that accept H0 (below 0) and H1 (above 0)."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of the results under H1 and under H0."""
        counts = self._weights()
        jumps = self._jumps(rating.shares(counts))
        return sum(count * jump for count, jump in zip(counts, jumps, strict=True))

    @property
    def verdict(self) -> Literal["accepted H0", "accepted H1", "undecided"]:
        """The decision after the results so far."""
        lower, upper = self.bounds
        llr = self.llr
        if llr >= upper:
            return "accepted H1"
        return "accepted H0" if llr <= lower else "undecided"

    def remaining(self, elo: float | None = None) -> float:
        """The expected number of games until a verdict, if a is really `elo` stronger.

        `elo` is in the model's unit (default: from the score so far). The log-likelihood ratio is
        treated as a Brownian motion between the bounds.
        """
        if self.verdict != "undecided":
            return 0.0
        truth = rating.shares(self._weights())
        if elo is not None:
            self._check("elo", elo)
            truth = self._likeliest(truth, elo)
        jumps = self._jumps(truth)
        drift = sum(share * jump for share, jump in zip(truth, jumps, strict=True))
        square = sum(share * jump * jump for share, jump in zip(truth, jumps, strict=True))
        lower, upper = self.bounds
        llr = self.llr
        events = _exit_time(llr - lower, upper - llr, drift, square - drift * drift)
        return events / self.share * (2 if len(self.counts) == 5 else 1)

    def _weights(self) -> tuple[float, ...]:
        """The counts times `share`, without zeros."""
        return rating.regularised([self.share * count for count in self.counts], self.floor)

    def _check(self, name: str, elo: float) -> None:
        farthest = _FARTHEST[self.model]
        if not abs(elo) <= farthest:
            raise RatingError(
                f"{name}={elo}: give {self.model} Elo from -{farthest:.0f} to {farthest:.0f}"
            )

    def _jumps(self, observed: rating.Shares) -> list[float]:
        """What one more pair or game of each value adds to `llr`."""
        under0, under1 = (self._likeliest(observed, elo) for elo in (self.elo0, self.elo1))
        return [math.log(p1 / p0) for p0, p1 in zip(under0, under1, strict=True)]

    def _likeliest(self, observed: rating.Shares, elo: float) -> rating.Shares:
        """The likeliest distribution under the hypothesis that a is `elo` stronger."""
        if self.model == "logistic":
            return rating.likeliest(observed, rating.to_score(elo))
        games = 2 if len(observed) == 5 else 1  # a pair's mean varies less than a game's value
        return _likeliest_normalized(observed, elo / _NORMALIZED * math.sqrt(games))


class SequentialTest:
    """A test that receives games as they finish; counts complete pairs in their task's order.

    If they counted in the order in which they finish, short ones would be first, and the verdict
    would depend on how many games are played at the same time.
    """

    def __init__(self, sprt: Sprt, *, pairs: bool) -> None:
        self.sprt = sprt
        self.games = 0  # counted so far
        self._size = 2 if pairs else 1
        self._waiting: dict[int, GameResult] = {}
        self._running = RunningTally()

    def add(self, index: int, result: GameResult) -> bool:
        """Adds the game with this index; returns whether there is a verdict."""
        self._waiting[index] = result
        while self.sprt.verdict == "undecided":
            indices = range(self.games, self.games + self._size)
            if any(index not in self._waiting for index in indices):
                return False
            for index in indices:
                self._running.add(self._waiting.pop(index))
            self.games += self._size
            self.sprt = self.sprt.after(self._running.tally)
        return True


def _likeliest_normalized(observed: rating.Shares, t: float) -> rating.Shares:
    """The likeliest distribution whose mean is t standard deviations above 1/2.

    The condition is not linear in the shares; around a distribution with mean m and deviation d
    it is that value - 1/2 - t * d * (1 + ((value - m) / d)^2) / 2 averages 0. Solving this
    repeatedly converges to the distribution (Van den Bergh, "Normalized Elo", 4.1).
    """
    top = len(observed) - 1
    values = [index / top for index in range(top + 1)]
    current = rating.shares([1.0] * (top + 1))
    for _ in range(100):
        middle, deviation = rating.mean(current), math.sqrt(rating.variance(current))
        offsets = [
            value - 0.5 - t * deviation * (1 + ((value - middle) / deviation) ** 2) / 2
            for value in values
        ]
        following = rating.tilted(observed, offsets)
        change = max(abs(p - q) for p, q in zip(current, following, strict=True))
        current = following
        if change < 1e-12:
            break
    return current


def _exit_time(below: float, above: float, drift: float, variance: float) -> float:
    """Expected steps of a Brownian motion before it falls by `below` or rises by `above`."""
    if drift < 0:
        return _exit_time(above, below, -drift, variance)
    variance = max(variance, 1e-30)
    pull = 2 * drift / variance
    if pull * (below + above) < 1e-6:
        return below * above / variance
    rises = math.expm1(-pull * below) / math.expm1(-pull * (below + above))
    return (rises * above - (1 - rises) * below) / drift
