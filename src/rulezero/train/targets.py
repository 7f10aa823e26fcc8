"""What a net should have said, ply by ply."""

from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt
from pydantic import Field

from rulezero._core import CHANCE
from rulezero.data.columns import Floats
from rulezero.data.record import STOPPED, Columns, Record
from rulezero.data.replay import Course
from rulezero.train.settings import Settings


class TargetSettings(Settings):
    """How records become targets."""

    search_share: float = Field(0.0, ge=0, le=1)  # of the search's value in the value target
    learn_from: Literal["all", "policy"] = "all"  # plies; policy: only those with a policy target
    capped_weight: float = Field(1.0, ge=0)  # of games that a runner stopped at its cap


class Targets(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Targets over the n plies of a record. Values are seat 0's; plies of weight 0 are skipped."""

    result: Floats  # [n] how it ended, in [-1, 1]
    search: Floats  # [n] the search's value; NaN where none is known
    draw: Floats  # [n] the search's probability of a draw; NaN likewise
    weight: Floats  # [n] of the ply in the loss
    has_policy: npt.NDArray[np.bool_]  # [n] whether the pairs of the ply are learned


def of_play(record: Record, columns: Columns, course: Course, settings: TargetSettings) -> Targets:
    """The usual targets: visits, and how the game ended.

    Dice and plies of an opening that nobody chose are skipped, and so is everything behind which
    people stopped playing.
    """
    plies = np.arange(record.plies)
    is_chosen = (course.movers != CHANCE) & (plies >= record.opening)
    has_policy = is_chosen & columns.has_policy
    weight = (has_policy if settings.learn_from == "policy" else is_chosen).astype(np.float32)
    if record.end_reason == "cap":
        weight *= settings.capped_weight
    elif record.end_reason in STOPPED and record.end_reason != "resigned":
        weight *= 0  # nobody knows how it would have ended
    return Targets(
        result=np.full(record.plies, record.outcome, np.float32),
        search=columns.value,
        draw=columns.draw,
        weight=weight,
        has_policy=has_policy,
    )
