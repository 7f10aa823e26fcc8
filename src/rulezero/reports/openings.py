"""Measures how much games differ: a net that sees only one opening learns only that one."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from rulezero._core import Game
from rulezero.data.record import Record

PLIES = (4, 8, 16)


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of games after a number of plies."""

    ply: int
    games: int  # of this length or longer
    distinct: int  # different positions, by the repetition rule
    bits: float  # entropy of their distribution; at most the logarithm of the games


def openings(
    records: Sequence[Record], game: Game, plies: Sequence[int] = PLIES
) -> tuple[Opening, ...]:
    """The variety of the positions that games have reached after these numbers of plies."""
    seen: dict[int, Counter[int]] = {ply: Counter() for ply in plies}
    for record in records:
        state = game.parse(record.start)
        for ply, action in enumerate(record.action_numbers()[: max(plies)].tolist(), 1):
            state = state.apply(action)
            if ply in seen:
                seen[ply][state.key] += 1
    return tuple(
        Opening(
            ply=ply,
            games=positions.total(),
            distinct=len(positions),
            bits=entropy(positions.values()),
        )
        for ply, positions in seen.items()
    )


def entropy(counts: Collection[int]) -> float:
    """The entropy of a distribution in bits, from counts above 0."""
    total = sum(counts)
    return sum(count / total * math.log2(total / count) for count in counts)


def repeated(records: Sequence[Record]) -> float:
    """The share of games with exactly the choices of an earlier game."""
    different = {(record.start, record.actions) for record in records}
    return 1 - len(different) / len(records) if records else 0.0
