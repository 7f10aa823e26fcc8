"""The Gumbel search, written slowly and plainly from docs/search.md, to check a fast one.

Root: Danihelka et al., Policy improvement by planning with Gumbel (2022). Inside: mctx.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log, log2

import rulezero as rz
from reference.puct import playable
from reference.tree import DrawFace, Evaluate, Node, Tree

LEAST = 2.0**-126  # a prior of 0 counts for this, the least normal float32


@dataclass(frozen=True)
class Settings:
    """The weight of values relative to logits."""

    c_visit: float = 50.0
    c_scale: float = 0.1
    rescale: bool = True


@dataclass(frozen=True)
class Thought:
    """What a search has found, by action."""

    visits: dict[int, int]
    action: int
    policy: dict[int, float]  # sums to 1
    root: Node


def search(
    state: rz.State,
    sims: int,
    *,
    evaluate: Evaluate,
    considered: int = 16,
    gumbels: Sequence[float] | None = None,  # in the order of state.legal, scaled; None: zeros
    settings: Settings | None = None,
    draw_value: float = 0.0,
    draw_face: DrawFace | None = None,
    leaves: int = 1,
) -> Thought:
    """The thought after `sims` simulations, or fewer if the root is proven earlier."""
    settings = settings or Settings()
    tree = Tree(state, evaluate, draw_value, draw_face)
    root = tree.root
    if gumbels is None:
        gumbels = [0.0] * len(state.legal)
    draws = dict(zip(state.legal, gumbels, strict=True))
    sequence = visit_sequence(min(considered, len(state.legal)), sims)

    def best(among: list[Node]) -> Node:
        """The highest g + logit + sigma among some root children."""
        sigmas = sigma(root, settings)
        scores = {
            child.action: draws[child.action] + logit(child) + s
            for child, s in zip(root.children, sigmas, strict=True)
        }
        return max(among, key=lambda child: scores[child.action])

    def choose(node: Node) -> Node:
        if node is not root:
            return choose_inside(node, settings)
        wanted = sequence[sum(visits_of(child) for child in root.children)]
        return best([child for child in root.children if visits_of(child) == wanted])

    tree.simulate(sims, choose, leaves)

    left = playable(root)
    most = max(child.visits for child in left)
    chosen = best([child for child in left if child.visits == most])
    shares = improved_policy(root, settings)
    if root.is_won(chosen):
        shares = [float(child is chosen) for child in root.children]
    policy = {child.action: share for child, share in zip(root.children, shares, strict=True)}
    return Thought(root.child_visits, chosen.action, policy, root)


def visit_sequence(m: int, sims: int) -> list[int]:
    """For each simulation, the number of visits that the chosen root child must have."""
    if m == 1:
        return list(range(sims))
    sequence: list[int] = []
    visits = 0  # of each remaining child
    still_in = m
    while len(sequence) < sims:
        for _ in range(max(1, sims // (ceil(log2(m)) * still_in))):
            sequence += [visits] * still_in
            visits += 1
        still_in = max(2, still_in // 2)
    return sequence[:sims]


def choose_inside(node: Node, settings: Settings) -> Node:
    """The child whose visits lag most behind the improved policy."""
    total = sum(visits_of(child) for child in node.children)
    shares = improved_policy(node, settings)
    lags = [
        share - visits_of(child) / (1 + total)
        for child, share in zip(node.children, shares, strict=True)
    ]
    return node.children[lags.index(max(lags))]


def improved_policy(node: Node, settings: Settings) -> list[float]:
    """softmax(logits + sigma), in the order of the children."""
    sigmas = sigma(node, settings)
    scores = [logit(child) + s for child, s in zip(node.children, sigmas, strict=True)]
    highest = max(scores)
    weights = [exp(score - highest) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]


def sigma(node: Node, settings: Settings) -> list[float]:
    """What the values add to the logits, in the order of the children."""
    mixed = mixed_value(node)
    values = [value_of(node, child) if visits_of(child) else mixed for child in node.children]
    if settings.rescale:
        low, width = min(values), max(max(values) - min(values), 1e-8)
        values = [(value - low) / width for value in values]
    most = max(visits_of(child) for child in node.children)
    return [(settings.c_visit + most) * settings.c_scale * value for value in values]


def mixed_value(node: Node) -> float:
    """The value of unvisited children, from the node's evaluation and its visited children."""
    assert node.judged
    own = node.sign * node.judged.felt
    visited = [child for child in node.children if visits_of(child)]
    if not visited:
        return own
    weights = [max(child.prior, LEAST) for child in visited]
    values = [value_of(node, child) for child in visited]
    mean = sum(w * q for w, q in zip(weights, values, strict=True)) / sum(weights)
    total = sum(visits_of(child) for child in visited)
    return (own + total * mean) / (1 + total)


def visits_of(child: Node) -> int:
    """The completed and pending visits of a child."""
    return child.visits + child.pending


def value_of(node: Node, child: Node) -> float:
    """A visited child's value for the mover, or the node's while all the visits are pending."""
    assert node.judged
    return node.q(child) if child.visits else node.sign * node.judged.felt


def logit(child: Node) -> float:
    """ln P."""
    return log(max(child.prior, LEAST))
