"""Resignation, and how often it would have been wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import msgspec
import numpy as np
from msgspec import Meta
from pydantic import ConfigDict, Field

from rulezero.data.record import Record
from rulezero.data.replay import replay_of

# Checked by pydantic in a recipe, and by msgspec in a task.
_Share = Annotated[float, Field(ge=0, le=1), Meta(ge=0, le=1)]


@dataclass(frozen=True, kw_only=True)
class Resign:
    """When a player resigns: after `choices` of its own in a row with a losing value."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    value: _Share = 0.95  # losing: the player's own value is below minus this
    choices: Annotated[int, Field(ge=1, le=10_000), Meta(ge=1, le=10_000)] = 3
    audit: _Share = 0.1  # share of pairs that are played to the end anyway


class Audit(msgspec.Struct, frozen=True):
    """Statistics of games in which a player would have resigned, but played on."""

    games: int = 0  # in which a player would have resigned
    mistakes: int = 0  # of these, those that this player did not lose

    @property
    def share(self) -> float:
        """The share of such games that the player did not lose."""
        return self.mistakes / self.games if self.games else 0.0


def audit(records: Iterable[Record], resign: Resign) -> Audit:
    """Counts, over games played to the end, how often resigning would have been a mistake."""
    games = mistakes = 0
    for record in records:
        seat = first_to_give_up(record, resign)
        if seat is not None and record.end_reason != "resigned":
            games += 1
            mistakes += record.outcome * (1 - 2 * seat) > -1
    return Audit(games, mistakes)


def first_to_give_up(record: Record, resign: Resign) -> int | None:
    """The seat that would have resigned first; None if neither."""
    movers, values = replay_of(record).movers, record.columns().value
    times = [0, 0]
    for mover, value in zip(movers.tolist(), values.tolist(), strict=True):
        if mover not in (0, 1) or np.isnan(value):
            continue
        times[mover] = times[mover] + 1 if value * (1 - 2 * mover) < -resign.value else 0
        if times[mover] >= resign.choices:
            return int(mover)
    return None
