"""The tree of a search, for inspection."""

import math
from collections.abc import Sequence

import msgspec

from rulezero._core import CoreTreeNode, State


class TreeNode(msgspec.Struct, frozen=True, kw_only=True):
    """A position in a search tree. Values are seat 0's, as everywhere."""

    action: int | None  # the action that leads here; None at the root
    move: str  # the action in words; "" at the root
    mover: int  # 0, 1 or rz.CHANCE; if the game is over, the next mover
    visits: int
    value: float | None  # the proven value, or the mean of the visits; None: unknown
    prior: float  # as used by the search, with noise; of a die, the probability
    proven: float | None  # the exact value, if it is known
    target: float | None = None  # policy target, for the root's moves only
    children: "tuple[TreeNode, ...]" = ()  # by prior, the largest first

    def __repr__(self) -> str:
        name = f"after {self.move}" if self.move else "at the root"
        value = "" if self.value is None else f", value {self.value:+.3f}"
        return f"<node {name}: {self.visits} visits{value}, {len(self.children)} children>"


def tree_of(
    nodes: Sequence[CoreTreeNode], state: State, target: dict[int, float]
) -> TreeNode | None:
    """The tree of a state from its nodes; None if there are none."""
    return _node(nodes, 0, state, None, target) if nodes else None


def _node(
    nodes: Sequence[CoreTreeNode],
    place: int,
    state: State,
    parent: State | None,
    target: dict[int, float] | None = None,
    share: float | None = None,
) -> TreeNode:
    core = nodes[place]
    children = []
    for child in range(core.first, core.first + core.size):
        action = nodes[child].action
        learned = None if target is None else target.get(action, 0.0)
        children.append(_node(nodes, child, state.apply(action), state, share=learned))
    value = None if math.isnan(core.value) else core.value
    return TreeNode(
        action=None if parent is None else core.action,
        move="" if parent is None else parent.say(core.action),
        mover=state.mover,
        visits=core.visits,
        value=value,
        prior=core.prior,
        proven=value if core.is_proven else None,
        target=share,
        children=tuple(children),
    )
