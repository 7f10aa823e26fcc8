"""Counts a player's mistakes in solved positions: a test that needs no opponent."""

import math
from typing import Literal

import msgspec

from rulezero.endgame.connect4 import Kind, positions
from rulezero.play.players import Player, read_player
from rulezero.play.session import think_each
from rulezero.play.task import refuse_human
from rulezero.stats.rating import quantile

Fall = Literal["win to draw", "win to loss", "draw to loss"]
"""The kind of a mistake: the result before it and after it."""

_FALLS: dict[tuple[int, int], Fall] = {
    (1, 0): "win to draw",
    (1, -1): "win to loss",
    (0, -1): "draw to loss",
}


class Mistakes(msgspec.Struct, frozen=True, kw_only=True):
    """The mistakes of a player that chooses one move in each of some positions."""

    player: str  # its text
    kind: Kind
    positions: int  # number of positions
    by_fall: dict[Fall, int]  # number of mistakes of each kind
    numbers: tuple[int, ...]  # of the positions with mistakes, to compare players

    @property
    def count(self) -> int:
        """The number of mistakes."""
        return len(self.numbers)

    @property
    def share(self) -> float:
        """Mistakes per position, in [0, 1]."""
        return self.count / self.positions

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's confidence interval of the share, for positions of this kind."""
        z = quantile(confidence)
        n, p = self.positions, self.share
        middle = p + z * z / (2 * n)
        reach = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        scale = 1 + z * z / n
        low = (middle - reach) / scale if self.count > 0 else 0.0
        high = (middle + reach) / scale if self.count < n else 1.0
        return low, high

    @property
    def text(self) -> str:
        """The mistakes in words: 31 of 500 late positions, 6.2 % (4.4 to 8.7, 95 %)."""
        low, high = self.interval()
        return (
            f"{self.count} of {self.positions} {self.kind} positions, {100 * self.share:.1f} %"
            f" ({100 * low:.1f} to {100 * high:.1f}, 95 %)"
        )


def mistakes(by: str | Player, kind: Kind, *, seed: int = 0, width: int = 64) -> Mistakes:
    """The player's mistakes in the fixed Connect Four positions of a kind: early, middle or late.

    `width` positions are searched at the same time, which changes no choice. Random numbers depend
    on the seed and the position's number.
    """
    player = read_player(by)
    refuse_human(player)
    asked = positions(kind)
    thoughts = think_each(player, [solved.state for solved in asked], seed=seed, width=width)
    falls = {
        number: _FALLS[solved.best, solved.for_mover[thought.action]]
        for number, (solved, thought) in enumerate(zip(asked, thoughts, strict=True))
        if solved.is_mistake(thought.action)
    }
    return Mistakes(
        player=player.text,
        kind=kind,
        positions=len(asked),
        by_fall={fall: list(falls.values()).count(fall) for fall in _FALLS.values()},
        numbers=tuple(falls),
    )
