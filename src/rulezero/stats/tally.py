"""Results of a match: one player's wins, draws and losses, by seat, by pair, by cause."""

import math
from collections import Counter
from collections.abc import Iterable

import msgspec

from rulezero._core import RulezeroError


class RatingError(RulezeroError):
    """What is wrong with results, or with a question about them."""


class Counts(msgspec.Struct, frozen=True):
    """Wins, draws and losses of one player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise RatingError(f"{self} has a negative count; counts begin at 0")

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def games(self) -> int:
        """How many games these are."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is 1, a draw 1/2."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game in [0, 1]; 1/2 before the first game."""
        return self.points / self.games if self.games else 0.5

    @property
    def swapped(self) -> "Counts":
        """The same games as the other player counts them."""
        return Counts(self.losses, self.draws, self.wins)


class Pairs(msgspec.Struct, frozen=True):
    """Pentanomial counts: pairs of games from one opening, seats swapped, by one player's points.

    counts  [5]  pairs that brought 0, 1/2, 1, 3/2 and 2 points
    """

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or min(self.counts) < 0:
            raise RatingError(
                f"{self.counts} are no counts of pairs; give five, for 0, 1/2, 1, 3/2, 2 points"
            )

    def __add__(self, other: "Pairs") -> "Pairs":
        return Pairs(tuple(x + y for x, y in zip(self.counts, other.counts, strict=True)))

    @property
    def total(self) -> int:
        """How many pairs these are."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """How many games these are: two a pair."""
        return 2 * self.total

    @property
    def points(self) -> float:
        """A win is 1, a draw 1/2."""
        return sum(count * index for index, count in enumerate(self.counts)) / 2

    @property
    def score(self) -> float:
        """Points per game in [0, 1]; 1/2 before the first game."""
        return self.points / self.games if self.games else 0.5

    @property
    def swapped(self) -> "Pairs":
        """The same pairs as the other player counts them."""
        return Pairs(self.counts[::-1])


class Evidence(msgspec.Struct, frozen=True):
    """How many of some games are different, and how much copies of them weigh.

    A game that was played m times says no more than once: its m results are one and the same. The
    mean of n results, among them copies, then scatters as the mean of n^2 / sum of m^2 different
    ones (Kish's effective sample size): n where nothing is repeated, 1 where everything is.
    """

    different: int = 0  # games
    squares: int = 0  # sum over different games of the square of how often they were played

    @classmethod
    def of(cls, keys: Iterable[str]) -> "Evidence":
        """The evidence of games with these keys; a game with the key "" is like no other."""
        times = Counter(keys)
        alone = times.pop("", 0)
        return cls(alone + len(times), alone + sum(each * each for each in times.values()))

    def __add__(self, other: "Evidence") -> "Evidence":
        return Evidence(self.different + other.different, self.squares + other.squares)

    def share(self, games: int) -> float:
        """Effective number of these games over their number, in (0, 1]."""
        return games / self.squares if self.squares else 1.0


class GameResult(msgspec.Struct, frozen=True):
    """How one game of player a against player b ended."""

    seat: int  # where a sat: 0 or 1
    outcome: float  # seat 0's, as everywhere: above 0 a win, 0 a draw, below 0 a loss
    cause: str  # the rules' end_reason, or why the runner stopped the game
    plies: int
    pair: int | None = None  # the two games of an opening share a number; None: played alone
    key: str = ""  # equal for copies: who sat where, the start and all actions; "": like no other

    def __post_init__(self) -> None:
        if self.seat not in (0, 1):
            raise RatingError(f"seat {self.seat} is no seat; give 0 or 1")
        if math.isnan(self.outcome):
            raise RatingError("an outcome is nan; give seat 0's result: 1, 0 or -1")

    @property
    def counts(self) -> Counts:
        """The game as a counts it."""
        for_a = self.outcome if self.seat == 0 else -self.outcome
        return Counts(wins=int(for_a > 0), draws=int(for_a == 0), losses=int(for_a < 0))


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Results of player a against player b; tallies of the same two players can be added.

    A sum takes the games of one tally for different from the other's: to find copies among them,
    make one tally of all results.
    """

    by_seat: tuple[Counts, Counts] = (Counts(), Counts())  # a's, sitting in seat 0 and in seat 1
    pairs: Pairs = Pairs()  # a's, of those games whose partner is finished too
    by_cause: dict[str, Counts] = {}  # a's, by the reason the games ended
    plies: dict[int, int] = {}  # length of a game -> how many games were that long
    evidence: Evidence | None = None  # of games with copies among them; None: all are different

    def __post_init__(self) -> None:
        rest = self.games - self.pairs.games
        if not 0 <= self.counts.points - self.pairs.points <= rest:
            raise RatingError(
                f"pairs {self.pairs.counts} do not fit {self.counts};"
                " count a pair only where both its games are counted"
            )
        found = self._evidence
        if not found.different <= self.games <= found.squares:
            raise RatingError(f"{found} does not fit {self.games} games")

    @classmethod
    def of(cls, results: Iterable[GameResult]) -> "Tally":
        """The tally of these games. A pair counts as one once both its games are there."""
        seats = [Counts(), Counts()]
        causes: dict[str, Counts] = {}
        plies: Counter[int] = Counter()
        halves: dict[int, list[GameResult]] = {}
        keys = []
        for game in results:
            keys.append(game.key)
            seats[game.seat] += game.counts
            causes[game.cause] = causes.get(game.cause, Counts()) + game.counts
            plies[game.plies] += 1
            if game.pair is not None:
                halves.setdefault(game.pair, []).append(game)
        pairs = Pairs()
        for number, games in halves.items():
            if len(games) == 2 and games[0].seat != games[1].seat:
                points = 2 * (games[0].counts + games[1].counts).points
                pairs += Pairs(tuple(int(points == index) for index in range(5)))
            elif len(games) > 1:
                raise RatingError(
                    f"pair {number} is not one game from each seat; give every pair its own number"
                )
        evidence = Evidence.of(keys)
        return cls(
            by_seat=(seats[0], seats[1]),
            pairs=pairs,
            by_cause=causes,
            plies=plies,
            evidence=evidence if evidence.different < len(keys) else None,
        )

    def __add__(self, other: "Tally") -> "Tally":
        causes = dict(self.by_cause)
        for cause, counts in other.by_cause.items():
            causes[cause] = causes.get(cause, Counts()) + counts
        return Tally(
            by_seat=(self.by_seat[0] + other.by_seat[0], self.by_seat[1] + other.by_seat[1]),
            pairs=self.pairs + other.pairs,
            by_cause=causes,
            plies=Counter(self.plies) + Counter(other.plies),
            evidence=self._sum_of_evidence(other),
        )

    @property
    def different(self) -> int:
        """How many different games these are: copies count once."""
        return self._evidence.different

    @property
    def share(self) -> float:
        """Effective number of games over their number, in (0, 1]; 1 without copies."""
        return self._evidence.share(self.games)

    @property
    def _evidence(self) -> Evidence:
        return Evidence(self.games, self.games) if self.evidence is None else self.evidence

    def _sum_of_evidence(self, other: "Tally") -> Evidence | None:
        both = (self.evidence, other.evidence)
        return None if both == (None, None) else self._evidence + other._evidence

    @property
    def counts(self) -> Counts:
        """a's wins, draws and losses, from whichever seat."""
        return self.by_seat[0] + self.by_seat[1]

    @property
    def games(self) -> int:
        """How many games these are."""
        return self.counts.games

    @property
    def score(self) -> float:
        """a's points per game in [0, 1]; 1/2 before the first game."""
        return self.counts.score

    @property
    def mean_plies(self) -> float:
        """The mean length of a game; 0 where no lengths are known."""
        games = sum(self.plies.values())
        return sum(length * count for length, count in self.plies.items()) / max(games, 1)

    @property
    def swapped(self) -> "Tally":
        """The same games as b's results against a."""
        return Tally(
            by_seat=(self.by_seat[1].swapped, self.by_seat[0].swapped),
            pairs=self.pairs.swapped,
            by_cause={cause: counts.swapped for cause, counts in self.by_cause.items()},
            plies=self.plies,
            evidence=self.evidence,
        )


def different(results: Iterable[GameResult]) -> list[GameResult]:
    """The first of each different game, alone: without its pair."""
    found: dict[str, GameResult] = {}
    alone = []
    for game in results:
        single = msgspec.structs.replace(game, pair=None)
        if game.key:
            found.setdefault(game.key, single)
        else:
            alone.append(single)
    return [*found.values(), *alone]


Results = Tally | Pairs | Counts
"""Whatever says how a fared against b; all of them know their games and their score."""


def independent(results: Results) -> tuple[int, ...]:
    """Counts of independent events by a's points, fewest first: of pairs [5] or of games [3].

    Two games from one opening are not independent, but pairs are. So a tally answers with its
    pairs, unless they hold less than half of its games.
    """
    if isinstance(results, Tally):
        has_pairs = results.games > 0 and 2 * results.pairs.games >= results.games
        return independent(results.pairs if has_pairs else results.counts)
    if isinstance(results, Pairs):
        return results.counts
    return (results.losses, results.draws, results.wins)


def weights(results: Results) -> tuple[float, ...]:
    """The same with every game in it, so that their mean is the score.

    Beside pairs, a game without its partner is half a pair that went as it did. A tally does not
    know which of those were drawn: their points count as wins, the rest as losses.
    """
    counts = independent(results)
    if not isinstance(results, Tally) or len(counts) != 5:
        return counts
    alone, points = results.games - results.pairs.games, results.counts.points
    won = points - results.pairs.points
    return (counts[0] + (alone - won) / 2, *counts[1:4], counts[4] + won / 2)


def share_of(results: Results) -> float:
    """Effective number of games over their number, in (0, 1]: only a tally knows of copies."""
    return results.share if isinstance(results, Tally) else 1.0
