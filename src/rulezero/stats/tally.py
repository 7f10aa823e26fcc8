"""Results of a match: one player's wins, draws and losses, by seat, by pair, by end reason."""

import math
from collections import Counter
from collections.abc import Iterable

import msgspec

from rulezero._core import RulezeroError


class RatingError(RulezeroError):
    """Raised for invalid results, or for impossible questions about them."""


class Counts(msgspec.Struct, frozen=True):
    """Wins, draws and losses of one player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise RatingError(f"{self} has a negative count; give counts of 0 or more")

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The points: 1 for a win, 1/2 for a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game in [0, 1]; 1/2 before the first game."""
        return self.points / self.games if self.games else 0.5

    @property
    def swapped(self) -> "Counts":
        """The same games from the other player's view."""
        return Counts(self.losses, self.draws, self.wins)


class Pairs(msgspec.Struct, frozen=True):
    """Pentanomial counts: pairs of games from one opening with swapped seats, by points.

    counts  [5]  pairs in which the player got 0, 1/2, 1, 3/2 and 2 points
    """

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or min(self.counts) < 0:
            raise RatingError(
                f"{self.counts} are not counts of pairs; give five, for 0, 1/2, 1, 3/2, 2 points"
            )

    def __add__(self, other: "Pairs") -> "Pairs":
        return Pairs(tuple(x + y for x, y in zip(self.counts, other.counts, strict=True)))

    @property
    def total(self) -> int:
        """The number of pairs."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """The number of games: two per pair."""
        return 2 * self.total

    @property
    def points(self) -> float:
        """The points: 1 for a win, 1/2 for a draw."""
        return sum(count * index for index, count in enumerate(self.counts)) / 2

    @property
    def score(self) -> float:
        """Points per game in [0, 1]; 1/2 before the first game."""
        return self.points / self.games if self.games else 0.5

    @property
    def swapped(self) -> "Pairs":
        """The same pairs from the other player's view."""
        return Pairs(self.counts[::-1])


class Evidence(msgspec.Struct, frozen=True):
    """The number of different games, and the weight of copies.

    A game that was played m times is evidence only once, as its m results are the same. The mean
    of n results with copies then has the variance of the mean of n^2 / sum of m^2 different results
    (Kish's effective sample size): n if no game is repeated, 1 if all games are copies of one.
    """

    different: int = 0  # games
    squares: int = 0  # sum over different games of (times played) squared

    @classmethod
    def of(cls, keys: Iterable[str]) -> "Evidence":
        """The evidence of games with these keys; a game with the key "" has no copies."""
        times = Counter(keys)
        alone = times.pop("", 0)
        return cls(alone + len(times), alone + sum(each * each for each in times.values()))

    def __add__(self, other: "Evidence") -> "Evidence":
        return Evidence(self.different + other.different, self.squares + other.squares)

    def share(self, games: int) -> float:
        """The effective number of these games divided by their number, in (0, 1]."""
        return games / self.squares if self.squares else 1.0


class GameResult(msgspec.Struct, frozen=True):
    """The result of one game of player a against player b."""

    seat: int  # a's seat: 0 or 1
    outcome: float  # seat 0's, as everywhere: above 0 a win, 0 a draw, below 0 a loss
    cause: str  # the game's end_reason, or why it was stopped
    plies: int
    pair: int | None = None  # number of a pair, two games with one opening; None: single
    key: str = ""  # equal for copies: same seats, start and actions; "": no copies

    def __post_init__(self) -> None:
        if self.seat not in (0, 1):
            raise RatingError(f"the seat is {self.seat}; give 0 or 1")
        if math.isnan(self.outcome):
            raise RatingError("an outcome is nan; give seat 0's outcome: 1, 0 or -1")

    @property
    def counts(self) -> Counts:
        """The game as counts of a."""
        for_a = self.outcome if self.seat == 0 else -self.outcome
        return Counts(wins=int(for_a > 0), draws=int(for_a == 0), losses=int(for_a < 0))


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Results of player a against player b; tallies of the same two players can be added.

    A sum assumes that the two tallies have no game in common: to find copies among all games, make
    one tally of all results.
    """

    by_seat: tuple[Counts, Counts] = (Counts(), Counts())  # a's, in seat 0 and in seat 1
    pairs: Pairs = Pairs()  # a's, of games whose partner is finished, too
    by_cause: dict[str, Counts] = {}  # a's, by end reason
    plies: dict[int, int] = {}  # length of a game -> number of games of this length
    evidence: Evidence | None = None  # None: all games are different

    def __post_init__(self) -> None:
        rest = self.games - self.pairs.games
        if not 0 <= self.counts.points - self.pairs.points <= rest:
            raise RatingError(
                f"pairs {self.pairs.counts} do not fit {self.counts};"
                " count a pair only if both of its games are counted"
            )
        found = self._evidence
        if not found.different <= self.games <= found.squares:
            raise RatingError(f"{found} does not fit {self.games} games")

    @classmethod
    def of(cls, results: Iterable[GameResult]) -> "Tally":
        """The tally of these games; a pair counts if both of its games are there."""
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
        """The number of different games: copies count once."""
        return self._evidence.different

    @property
    def share(self) -> float:
        """The effective number of games divided by their number, in (0, 1]; 1 without copies."""
        return self._evidence.share(self.games)

    @property
    def _evidence(self) -> Evidence:
        return Evidence(self.games, self.games) if self.evidence is None else self.evidence

    def _sum_of_evidence(self, other: "Tally") -> Evidence | None:
        both = (self.evidence, other.evidence)
        return None if both == (None, None) else self._evidence + other._evidence

    @property
    def counts(self) -> Counts:
        """a's wins, draws and losses, from both seats."""
        return self.by_seat[0] + self.by_seat[1]

    @property
    def games(self) -> int:
        """The number of games."""
        return self.counts.games

    @property
    def score(self) -> float:
        """a's points per game in [0, 1]; 1/2 before the first game."""
        return self.counts.score

    @property
    def mean_plies(self) -> float:
        """The mean length of a game; 0 if no lengths are known."""
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
    """The first copy of each different game, as a single game without its pair."""
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
"""Results of a against b; all of these have `games` and `score`."""


def independent(results: Results) -> tuple[int, ...]:
    """Counts of independent events by a's points, fewest first: of pairs [5] or of games [3].

    Two games from one opening are not independent, but pairs are. So a tally gives its pairs,
    unless they hold less than half of its games.
    """
    if isinstance(results, Tally):
        has_pairs = results.games > 0 and 2 * results.pairs.games >= results.games
        return independent(results.pairs if has_pairs else results.counts)
    if isinstance(results, Pairs):
        return results.counts
    return (results.losses, results.draws, results.wins)


def weights(results: Results) -> tuple[float, ...]:
    """The counts of `independent`, with all games included, so that their mean is the score.

    If pairs are counted, a game without its partner counts as half a pair with the same result. A
    tally does not know which of those games were drawn: their points count as wins, the rest as
    losses.
    """
    counts = independent(results)
    if not isinstance(results, Tally) or len(counts) != 5:
        return counts
    alone, points = results.games - results.pairs.games, results.counts.points
    won = points - results.pairs.points
    return (counts[0] + (alone - won) / 2, *counts[1:4], counts[4] + won / 2)


def share_of(results: Results) -> float:
    """The effective number of games divided by their number; below 1 only for a tally."""
    return results.share if isinstance(results, Tally) else 1.0
