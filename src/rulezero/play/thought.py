"""What a player knew when it chose, as `think` tells it."""

from typing import Any

import msgspec

from rulezero._core import CoreThought, Played
from rulezero.data.thoughts import PLY_COLUMNS
from rulezero.data.thoughts import Thought as RecordedThought


class Thought(RecordedThought, frozen=True, kw_only=True):
    """A thought with what no record keeps."""

    visits: dict[int, int] = msgspec.field(
        default_factory=dict
    )  # of each action in the tree; {} where there was none
    line: list[int] = msgspec.field(
        default_factory=list
    )  # what the player expects, its own choice first


def thought_of(played: Played, ply: int) -> Thought:
    """The mover's thought at a ply of a game that the core has played."""
    core = played.thought(ply)
    if core is None:
        return Thought(action=played.last.actions[ply - played.plies])
    return read_core(core)


def read_core(core: CoreThought) -> Thought:
    """The core's thought in Python's words."""
    numbers: dict[str, Any] = {
        column.name: column.plain(getattr(core, column.name)) for column in PLY_COLUMNS
    }
    return Thought(
        action=core.action,
        **numbers,
        shares=_shares(core.actions, core.weights),
        target=_shares(core.actions, core.target or core.weights),
        visits={a: round(n) for a, n in zip(core.actions, core.visits, strict=False) if n > 0},
        line=list(core.line),
    )


def _shares(actions: list[int], weights: list[float]) -> dict[int, float]:
    total = sum(weights)
    return {
        action: weight / total
        for action, weight in zip(actions, weights, strict=True)
        if weight > 0
    }
