"""A match that stops by itself: the generalised sequential probability ratio test.

After every pair (or game) the results are weighed under two hypotheses: H0, a is elo0 Elo
stronger than b; H1, a is elo1 stronger. Each hypothesis leaves the distribution of pairs open but
for that, so each is given the likeliest one (Van den Bergh, "The generalized maximum likelihood
ratio for the expectation value of a distribution"). Wald's bounds on the logarithm of the ratio
of the two likelihoods keep both error rates.
"""

import math
from typing import Literal

import msgspec

from rulezero.stats import rating
from rulezero.stats.running import RunningTally
from rulezero.stats.tally import GameResult, RatingError, Results, independent, share_of

_FARTHEST = {"logistic": 1000.0, "normalized": 200.0}  # Elo; the solver is sure up to there
_NORMALIZED = 800 / math.log(10)  # normalized Elo per standard deviation of a game


class Sprt(msgspec.Struct, frozen=True, kw_only=True):
    """A test of elo1 against elo0, and where it stands.

    Sprt(elo0=0, elo1=10) is a test before its first game; `after` tells it the results so far.
    Ask after every pair, or every few, and stop at the first verdict: what is played on after
    that has no say. Error rates are a little below alpha and beta, since results come in steps.

    model "logistic": elo0 and elo1 are Elo as everywhere, differences in score.
    model "normalized": they are 347.4 times the difference in score over its standard deviation
    in one game, so that a test takes about as long however many games are drawn.
    """

    elo0: float  # H0: a is no stronger than that
    elo1: float  # H1: a is at least that much stronger
    alpha: float = 0.05  # chance of accepting H1 where H0 is true
    beta: float = 0.05  # chance of accepting H0 where H1 is true
    model: Literal["logistic", "normalized"] = "logistic"
    floor: float = 1e-3  # count given to what has not yet happened
    counts: tuple[int, ...] = (0, 0, 0)  # of pairs [5] or of games [3], by a's points
    share: float = 1.0  # effective number of them over their number: copies are no evidence

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
        """The same test with these results in place of its own: all of them, not just new ones.

        Of a tally the complete pairs count, its single games only if pairs are the lesser part.
        Where it has copies, everything counts as less: see `Evidence`.
        """
        share = share_of(results)
        return msgspec.structs.replace(self, counts=independent(results), share=share)

    @property
    def bounds(self) -> tuple[float, float]:
        """Where `llr` accepts H0 and where it accepts H1: below 0 and above 0."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    @property
    def llr(self) -> float:
        """Logarithm of how much likelier the results are under H1 than under H0."""
        counts = self._weights()
        jumps = self._jumps(rating.shares(counts))
        return sum(count * jump for count, jump in zip(counts, jumps, strict=True))

    @property
    def verdict(self) -> Literal["accepted H0", "accepted H1", "undecided"]:
        """What the results so far decide."""
        lower, upper = self.bounds
        llr = self.llr
        if llr >= upper:
            return "accepted H1"
        return "accepted H0" if llr <= lower else "undecided"

    def remaining(self, elo: float | None = None) -> float:
        """How many more games to expect before a verdict, if a is really `elo` stronger.

        Left out, the score seen so far counts as the truth; `elo` is in the model's own unit. The
        ratio is taken for a Brownian motion between the bounds.
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
        """The counts as evidence, nothing impossible."""
        return rating.regularised([self.share * count for count in self.counts], self.floor)

    def _check(self, name: str, elo: float) -> None:
        farthest = _FARTHEST[self.model]
        if not abs(elo) <= farthest:
            raise RatingError(
                f"{name}={elo}: give at most {farthest:.0f} {self.model} Elo either way"
            )

    def _jumps(self, observed: rating.Shares) -> list[float]:
        """What one more pair or game of each value adds to the ratio."""
        under0, under1 = (self._likeliest(observed, elo) for elo in (self.elo0, self.elo1))
        return [math.log(p1 / p0) for p0, p1 in zip(under0, under1, strict=True)]

    def _likeliest(self, observed: rating.Shares, elo: float) -> rating.Shares:
        """The likeliest distribution under the hypothesis that a is `elo` stronger."""
        if self.model == "logistic":
            return rating.likeliest(observed, rating.to_score(elo))
        games = 2 if len(observed) == 5 else 1  # a pair's mean varies less than a game
        return _likeliest_normalized(observed, elo / _NORMALIZED * math.sqrt(games))


class SequentialTest:
    """A test that gets games as they finish and counts complete pairs in the order of their task.

    In the order of their ends, short games would count first, and the verdict would depend on how
    many games are played in step.
    """

    def __init__(self, sprt: Sprt, *, pairs: bool) -> None:
        self.sprt = sprt
        self.games = 0  # counted
        self._size = 2 if pairs else 1
        self._waiting: dict[int, GameResult] = {}
        self._running = RunningTally()

    def add(self, index: int, result: GameResult) -> bool:
        """Adds the game of an index; whether there is a verdict."""
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
    it is that value - 1/2 - t * d * (1 + ((value - m) / d)^2) / 2 averages 0. Solved for that,
    the next distribution is nearer (Van den Bergh, "Normalized Elo", 4.1).
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
