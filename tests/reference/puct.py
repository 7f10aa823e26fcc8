"""PUCT, written slowly and plainly from docs/search.md, to check a fast implementation."""

from math import log, sqrt

import rulezero as rz
from reference.tree import DrawFace, Evaluate, Node, Tree


def search(
    state: rz.State,
    sims: int,
    *,
    evaluate: Evaluate,
    c_puct: float = 1.5,
    c_growth: float = 0.0,
    c_base: float = 19652.0,
    fpu: float = 0.2,
    fpu_is_fixed: bool = False,
    draw_value: float = 0.0,
    draw_face: DrawFace | None = None,
) -> Node:
    """The root after so many simulations, or fewer where it is proven before that."""

    def choose(node: Node) -> Node:
        rate = c_puct + c_growth * log((1 + node.visits + c_base) / c_base)
        visited = sum(child.prior for child in node.children if child.visits)
        first_play = node.sign * node.felt / node.visits - fpu * sqrt(visited)
        if fpu_is_fixed:
            first_play = fpu

        def score(child: Node) -> float:
            q = node.q(child) if child.visits else first_play
            return q + rate * child.prior * sqrt(node.visits) / (1 + child.visits)

        return max((child for child in node.children if not node.is_lost(child)), key=score)

    tree = Tree(state, evaluate, draw_value, draw_face)
    for _ in range(sims):
        if tree.root.exact:
            break
        tree.simulate(choose)
    return tree.root


def move(root: Node) -> int:
    """The action to play."""
    return max(playable(root), key=lambda child: (child.visits, _q(root, child))).action


def policy(root: Node) -> dict[int, float]:
    """The policy target: shares of the visits among playable moves, or all of it for the choice."""
    among = playable(root)
    total = sum(child.visits for child in among)
    if total == 0 or any(root.is_won(child) for child in among):
        return {child.action: float(child.action == move(root)) for child in root.children}
    return {child.action: child.visits / total * (child in among) for child in root.children}


def playable(root: Node) -> list[Node]:
    """The children among which visits decide.

    Of a proven root only the best: without dice those are the won one, else those not lost.
    """
    if root.exact:
        best = root.exact.felt
        return [child for child in root.children if child.exact and child.exact.felt == best]
    return [child for child in root.children if not root.is_lost(child)]


def _q(root: Node, child: Node) -> float:
    return root.q(child) if child.visits else 0.0  # the unvisited are alike, and never most visited
