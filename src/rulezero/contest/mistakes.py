"""Counts a player's mistakes in solved positions: a test that needs no opponent."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from rulezero.endgame.connect4 import MEN, SETS, Judged, judged, read_set
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


SOLVED_SETS: tuple[str, ...] = tuple(SETS)
"""The names of the sets of solved positions."""

Tell = Callable[[int], None]  # gets the number of positions done


class Mistakes(msgspec.Struct, frozen=True, kw_only=True):
    """The mistakes of a player that chooses one move in each of some positions."""

    player: str  # its text
    kind: str  # the name of the positions
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
    def figures(self) -> "Figures":
        """Everything in one struct, for files."""
        return Figures(
            player=self.player,
            positions_of=self.kind,
            positions=self.positions,
            mistakes=self.count,
            share=self.share,
            interval=self.interval(),
            by_fall=self.by_fall,
            numbers=self.numbers,
        )

    @property
    def text(self) -> str:
        """The mistakes in words: 31 of 500 late positions, 6.2 % (4.4 to 8.7, 95 %)."""
        low, high = self.interval()
        return (
            f"{self.count} of {self.positions} {self.kind} positions, {100 * self.share:.1f} %"
            f" ({100 * low:.1f} to {100 * high:.1f}, 95 %)"
        )


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The mistakes of a player, with their share and its interval."""

    player: str
    positions_of: str  # a set, a part of the game, or a file
    positions: int
    mistakes: int
    share: float  # in [0, 1]
    interval: tuple[float, float]  # of the share, 95 %
    by_fall: dict[Fall, int]
    numbers: tuple[int, ...]  # of the positions with mistakes, from 0


def mistakes(
    by: str | Player, kind: str, *, seed: int = 0, width: int = 64, tell: Tell | None = None
) -> Mistakes:
    """The player's mistakes in fixed Connect Four positions: a set, or early, middle or late ones.

    `width` positions are searched at the same time, which changes no choice unless the player has a
    time limit: then it is one. Random numbers depend on the seed and the position's number. `tell`
    is called with the number of positions done.
    """
    return mistakes_in(by, judged(kind), kind, seed=seed, width=width, tell=tell)


def solved_positions(name: str) -> tuple[Judged, ...]:
    """The solved positions of a set, of a part of the game (early, middle, late), or of a file."""
    return judged(name) if name in (*SETS, *MEN) else read_set(Path(name))


def mistakes_in(
    by: str | Player,
    asked: Sequence[Judged],
    kind: str,
    *,
    seed: int = 0,
    width: int = 64,
    tell: Tell | None = None,
) -> Mistakes:
    """The player's mistakes in some positions; `kind` names them in the result.

    If a position does not say what its moves are worth, the chosen one is solved.
    """
    player = read_player(by)
    refuse_human(player)
    thoughts = think_each(
        player, [each.state for each in asked], seed=seed, width=width, on_thought=tell
    )
    falls: dict[int, Fall] = {}
    for number, (each, thought) in enumerate(zip(asked, thoughts, strict=True)):
        value = each.value_of(thought.action)
        if value < each.best:
            falls[number] = _FALLS[each.best, value]
    return Mistakes(
        player=player.text,
        kind=kind,
        positions=len(asked),
        by_fall={fall: list(falls.values()).count(fall) for fall in _FALLS.values()},
        numbers=tuple(falls),
    )
