"""Giving up, and whether those who gave up were right to."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import msgspec
import numpy as np
from msgspec import Meta
from pydantic import ConfigDict, Field

from rulezero.data.record import Record
from rulezero.data.replay import replay_of

# Checked where it is read from a recipe, and where it arrives in a task.
_Share = Annotated[float, Field(ge=0, le=1), Meta(ge=0, le=1)]


@dataclass(frozen=True, kw_only=True)
class Resign:
    """When a player gives a game up: it has thought it lost so many times in a row."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    value: _Share = 0.95  # lost: its own value is below minus this
    choices: Annotated[int, Field(ge=1, le=10_000), Meta(ge=1, le=10_000)] = 3
    audit: _Share = 0.1  # share of pairs that are played out anyway


class Audit(msgspec.Struct, frozen=True):
    """What became of games that were played out."""

    games: int = 0  # in which somebody would have given up
    mistakes: int = 0  # of these, not lost by that seat

    @property
    def share(self) -> float:
        """Of those who would have given up, how many did not lose."""
        return self.mistakes / self.games if self.games else 0.0


def audit(records: Iterable[Record], resign: Resign) -> Audit:
    """The mistakes that giving up would have been, over games that were played out."""
    games = mistakes = 0
    for record in records:
        seat = first_to_give_up(record, resign)
        if seat is not None and record.end_reason != "resigned":
            games += 1
            mistakes += record.outcome * (1 - 2 * seat) > -1
    return Audit(games, mistakes)


def first_to_give_up(record: Record, resign: Resign) -> int | None:
    """The seat that would have given up first, if any."""
    movers, values = replay_of(record).movers, record.columns().value
    times = [0, 0]
    for mover, value in zip(movers.tolist(), values.tolist(), strict=True):
        if mover not in (0, 1) or np.isnan(value):
            continue
        times[mover] = times[mover] + 1 if value * (1 - 2 * mover) < -resign.value else 0
        if times[mover] >= resign.choices:
            return int(mover)
    return None
