"""Figures in the log that only some games have."""

import msgspec

TARGET_BINS = 20  # of the histogram of shaped targets


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """How EXCHANGE is played: shares over games; 0 if there is nothing to count."""

    games: int
    decree: float  # this and the next six: share of (game, side) pairs in which it was used
    interpose: float
    consecration: float
    skirmish: float
    overextend: float
    pawn_advances: float
    promotions: float
    decree_used: float  # share of the Decrees under which a strike did damage
    length: float  # mean number of plies, without dice
    draws: float  # share of the games without a winner
    draws_by_cause: dict[str, float]  # shares of the games by end reason; their sum is `draws`
    rewards_added: float = 0.0  # mean size of the part of a result that comes from rewards
    targets: tuple[int, ...] = ()  # number of plies by shaped target, in equal bins from -1 to 1


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
    """Figures about the games of a task in the log; a game leaves out what it does not have."""

    usage: Usage | None = None  # of EXCHANGE's abilities
    tiers: dict[str, TierResults] = {}  # by the tier of the lesson a game began from
    last_material: int | None = None  # centipawns, White's lead at the end of the last game

    @property
    def scalars(self) -> dict[str, float]:
        """All figures that get a curve, by their names: usage/decree, tier_1/black."""
        used = {} if self.usage is None else msgspec.structs.asdict(self.usage)
        found = {f"usage/{name}": n for name, n in used.items() if isinstance(n, float)}
        for tier, results in self.tiers.items():
            found |= {f"tier_{tier}/{name}": share for name, share in results.shares.items()}
        if self.last_material is not None:
            found["last_material"] = self.last_material
        return found
