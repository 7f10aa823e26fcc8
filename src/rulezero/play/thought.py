"""A player's thoughts as `think` returns them."""

from typing import Any

from msgspec import field

from rulezero._core import CoreThought, Played
from rulezero.data.thoughts import PLY_COLUMNS, shares_of
from rulezero.data.thoughts import Thought as RecordedThought
from rulezero.play.tree import TreeNode


class Thought(RecordedThought, frozen=True, kw_only=True):
    """A thought with fields that records do not keep."""

    visits: dict[int, int] = field(default_factory=dict)  # of each action; {} without a tree
    line: list[int] = field(default_factory=list)  # the expected actions, its own choice first
    tree: TreeNode | None = None  # None: not requested, or the player has none


def thought_of(played: Played, ply: int) -> Thought:
    """The mover's thought at a ply of a game that the core has played."""
    core = played.thought(ply)
    if core is None:
        return Thought(action=played.last.actions[ply - played.plies])
    return read_core(core)


def read_core(core: CoreThought) -> Thought:
    """The core's thought as a Thought."""
    numbers: dict[str, Any] = {
        column.name: column.plain(getattr(core, column.name)) for column in PLY_COLUMNS
    }
    return Thought(
        action=core.action,
        **numbers,
        shares=shares_of(core.actions, core.weights),
        target=shares_of(core.actions, core.target or core.weights),
        visits={a: round(n) for a, n in zip(core.actions, core.visits, strict=False) if n > 0},
        line=list(core.line),
    )
