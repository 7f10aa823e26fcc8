"""Figures about games that the log has beyond their results; only some games have them."""

import msgspec

TARGET_BINS = 20  # of the histogram of shaped targets


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """How EXCHANGE is played: shares over games; 0 where there is nothing to count."""

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
    rewards_added: float = 0.0  # mean size of what rewards add to a result
    targets: tuple[int, ...] = ()  # plies by their shaped target, in equal bins from -1 to 1


class TierResults(msgspec.Struct, frozen=True):
    """Results of the games that began from lessons of one tier."""

    white: int = 0  # won by White
    drawn: int = 0
    black: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.white + self.drawn + self.black

    @property
    def shares(self) -> dict[str, float]:
        """Each kind of result as a share of the games."""
        counts = msgspec.structs.asdict(self)
        return {name: count / max(self.games, 1) for name, count in counts.items()}


class GameFigures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the log tells of a task's games; games leave out what they do not have."""

    usage: Usage | None = None  # of abilities
    tiers: dict[str, TierResults] = {}  # by the tier of the lesson a game began from
    last_material: int | None = None  # centipawns, White's lead where the last game ended

    @property
    def scalars(self) -> dict[str, float]:
        """All figures that are worth a curve, by their names: usage/decree, tier_1/black."""
        used = {} if self.usage is None else msgspec.structs.asdict(self.usage)
        found = {f"usage/{name}": n for name, n in used.items() if isinstance(n, float)}
        for tier, results in self.tiers.items():
            found |= {f"tier_{tier}/{name}": share for name, share in results.shares.items()}
        if self.last_material is not None:
            found["last_material"] = self.last_material
        return found
