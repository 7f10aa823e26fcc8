"""Ratings of several players on one scale: their pairings and results."""

import itertools
from collections.abc import Collection, Iterable, Sequence

import msgspec

from rulezero.data.record import Record
from rulezero.errors import RunError
from rulezero.stats.ladder import Meeting, Rating
from rulezero.stats.rating import quantile
from rulezero.stats.tally import GameResult, Tally


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """A player to be rated."""

    name: str  # to be shown: the net's name, or the player's text
    text: str = msgspec.field(name="seat")  # the player's text; files call this field `seat`
    is_net: bool = False
    about: str = ""  # best, latest, anchor


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A player and its rating."""

    player: Entrant
    rating: Rating  # in Elo above the anchor


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """Players by strength, the strongest first."""

    game: str
    anchor: str  # text of the player that has 0 Elo
    standings: tuple[Standing, ...]
    advantage: float  # Elo that seat 0 is worth
    confidence: float  # of the intervals
    games: int  # that the ratings are based on
    played: int  # of these games, in the call that wrote this file
    advantage_error: float = 0.0  # one standard error; 0: unknown, in older files
    different: int | None = None  # different games: copies count once; none: unknown, older files

    @property
    def advantage_text(self) -> str:
        """The advantage of seat 0 in words: +12 Elo (+3 to +21, 95 %)."""
        words = f"{self.advantage:+.0f} Elo"
        if not self.advantage_error:
            return words
        width = quantile(self.confidence) * self.advantage_error
        lower, upper = self.advantage - width, self.advantage + width
        return f"{words} ({lower:+.0f} to {upper:+.0f}, {100 * self.confidence:.4g} %)"


def spaced(names: Sequence[str], count: int, best: str) -> list[str]:
    """`count` of the names, evenly spaced, the best and the last among them, in their order."""
    if count < 1:
        raise RunError(f"nets={count}: at least one net must be rated")
    last = len(names) - 1
    picked = {round(last * at / (count - 1)) for at in range(count)} if count > 1 else set()
    wanted = names.index(best)
    if wanted not in picked:  # it replaces its nearest neighbour, but never the last net
        others = picked - {last}
        picked -= {min(others, key=lambda at: abs(at - wanted))} if others else set()
        picked |= {wanted}
    return [names[at] for at in sorted(picked)]


def pairings(players: Sequence[Entrant]) -> list[tuple[Entrant, Entrant]]:
    """The pairs of players that meet: neighbours; the last net and each fixed player; the last and
    the first net; the anchor and the best net; the anchor and the net in the middle."""
    nets = [player for player in players if player.is_net]
    fixed = [player for player in players if not player.is_net]
    best = [player for player in nets if "best" in player.about]
    pairs = list(itertools.pairwise(players))
    pairs += [(player, nets[-1]) for player in (*fixed, nets[0])]
    pairs += [(fixed[-1], player) for player in (*best, nets[len(nets) // 2])]
    found: dict[frozenset[str], tuple[Entrant, Entrant]] = {}
    for a, b in pairs:
        if a.text != b.text:
            found.setdefault(frozenset((a.text, b.text)), (a, b))
    return list(found.values())


def meetings(records: Iterable[Record], players: Collection[str]) -> list[Meeting]:
    """The results of these players against each other."""
    results: dict[tuple[str, str], list[GameResult]] = {}
    pairs: dict[tuple[str, int], int] = {}  # one number for each pair of games of a task
    for record in records:
        a, b = sorted(record.players)
        if a != b and a in players and b in players:
            results.setdefault((a, b), []).append(
                GameResult(
                    seat=record.players.index(a),
                    outcome=record.outcome,
                    cause=record.end_reason,
                    plies=record.plies,
                    pair=pairs.setdefault((record.task, record.index // 2), len(pairs)),
                    key=record.played_id,
                )
            )
    return [Meeting(a, b, Tally.of(games)) for (a, b), games in results.items()]
