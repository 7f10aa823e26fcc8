"""How EXCHANGE is played: which abilities are used, how long games last, how they are drawn."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from rulezero.data.record import Record
from rulezero.train.games.exchange import Shaped, Trackers

# Where a run should come to: least and most, by the fields of Usage.
TARGETS = {
    "decree": (0.50, 1.0),
    "decree_used": (0.50, 1.0),
    "interpose": (0.30, 1.0),
    "consecration": (0.20, 1.0),
    "skirmish": (0.60, 1.0),
    "overextend": (0.50, 1.0),
    "pawn_advances": (0.15, 1.0),
    "promotions": (0.15, 1.0),
    "draws": (0.0, 0.10),
    "length": (80.0, 100.0),
}

# The tracker's number that is above 0 where an ability was used.
_USES = {
    "decree": "rd_activations",
    "interpose": "interpose_triggers",
    "consecration": "consecration_uses",
    "skirmish": "skirmish_uses",
    "overextend": "overextend_uses",
    "pawn_advances": "pawn_advances",
    "promotions": "pawn_promotions",
}


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Shares over games; 0 where there is nothing to count."""

    games: int
    decree: float  # this and the next six: of (game, side) pairs in which it was used at all
    interpose: float
    consecration: float
    skirmish: float
    overextend: float
    pawn_advances: float
    promotions: float
    decree_used: float  # of Decrees, those under which a strike did damage
    length: float  # mean plies, without dice
    draws: float  # of games, those without a winner
    draws_by_cause: dict[str, float]  # of games, by end reason; together they are `draws`
    clipped: float  # of games, those whose difference of rewards was clipped


def usage(games: Iterable[tuple[Record, Trackers, Shaped]]) -> Usage:
    """The habits of all these games."""
    users, causes = Counter[str](), Counter[str]()
    count = plies = decrees = decrees_used = clipped = 0
    for record, trackers, shaped in games:
        count += 1
        clipped += shaped.is_clipped
        if record.outcome == 0:
            causes[record.end_reason] += 1
        for tracker in trackers:
            plies += tracker.actions
            decrees += tracker.rd_activations
            decrees_used += tracker.rd_used
            users.update(name for name, number in _USES.items() if getattr(tracker, number) > 0)
    return Usage(
        games=count,
        decree_used=_share(decrees_used, decrees),
        length=_share(plies, count),
        draws=_share(causes.total(), count),
        draws_by_cause={cause: _share(n, count) for cause, n in causes.most_common()},
        clipped=_share(clipped, count),
        **{name: _share(users[name], 2 * count) for name in _USES},
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
