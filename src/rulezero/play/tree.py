"""The tree of a search, for people to look at."""

import math
from collections.abc import Sequence

import msgspec

from rulezero._core import CoreTreeNode, State


class TreeNode(msgspec.Struct, frozen=True, kw_only=True):
    """A position that a search has seen. Values are seat 0's, as everywhere."""

    action: int | None  # that leads here; None at the root
    move: str  # the action in words; "" at the root
    mover: int  # who chooses here: 0, 1 or rz.CHANCE; where the game is over, who would
    visits: int
    value: float | None  # mean of the visits, or what is proven; None where neither is known
    prior: float  # as the search used it, noise included; a face's chance after a die
    proven: float | None  # the exact value, where it is known
    target: float | None = None  # of the root's moves: share that a net should learn
    children: "tuple[TreeNode, ...]" = ()  # by prior, the greatest first

    def __repr__(self) -> str:
        name = f"after {self.move}" if self.move else "at the root"
        value = "" if self.value is None else f", value {self.value:+.3f}"
        return f"<node {name}: {self.visits} visits{value}, {len(self.children)} children>"


def tree_of(
    nodes: Sequence[CoreTreeNode], state: State, target: dict[int, float]
) -> TreeNode | None:
    """The tree below a state of which these are the nodes; None where there are none."""
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
