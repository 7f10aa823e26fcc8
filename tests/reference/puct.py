"""PUCT, written slowly and plainly from docs/search.md, to check a fast implementation."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log, sqrt

import numpy as np

import rulezero as rz
from reference.tree import DrawFace, Evaluate, Judgement, Node, Tree


@dataclass(frozen=True)
class Rule:
    """The rule that chooses between children; its fields are keys of docs/players.md."""

    c_puct: float = 1.5
    c_growth: float = 0.0
    c_base: float = 19652.0
    fpu: float = 0.2
    fpu_is_fixed: bool = False
    forced: float = 0.0
    virtual_loss: float = 3.0
    prior_temperature: float = 1.0

    def choose(self, node: Node, is_root: bool) -> Node:
        """The child to which a simulation descends."""
        tried = [child for child in node.children if child.is_tried]
        if is_root:
            for child in tried:
                if self.visits(child) < self.bound(node, child) and not node.is_lost(child):
                    return child
        first_play = node.sign * node.felt / node.visits
        first_play -= self.fpu * sqrt(sum(child.prior for child in tried))
        if self.fpu_is_fixed:
            first_play = self.fpu

        def score(child: Node) -> float:
            q = self.q(node, child) if child.is_tried else first_play
            return self.score(node, child, q, self.visits(child))

        return max((child for child in node.children if not node.is_lost(child)), key=score)

    def score(self, node: Node, child: Node, q: float, visits: float) -> float:
        """The score of a child with this value and this number of visits."""
        among = node.visits + node.pending
        rate = self.c_puct + self.c_growth * log((1 + among + self.c_base) / self.c_base)
        return q + rate * child.prior * sqrt(among) / (1 + visits)

    def bound(self, root: Node, child: Node) -> float:
        """The number of visits below which a visited child of the root is forced."""
        return sqrt(self.forced * child.prior * (root.visits + root.pending - 1))

    def visits(self, child: Node) -> float:
        """Visits of a child; each pending simulation counts as several."""
        return child.visits + (0 if child.exact else self.virtual_loss * child.pending)

    def q(self, node: Node, child: Node) -> float:
        """A child's value for the mover; each pending simulation counts as a loss."""
        if child.exact or not self.visits(child):
            return node.q(child) if child.exact else 0.0
        lost = self.virtual_loss * child.pending
        return (node.sign * child.felt - lost) / self.visits(child)


def search(
    state: rz.State,
    sims: int,
    *,
    evaluate: Evaluate,
    rule: Rule | None = None,
    leaves: int = 1,
    draw_value: float = 0.0,
    draw_face: DrawFace | None = None,
    noise: float = 0.0,
    draws: Sequence[float] = (),  # noise for the priors, in the order of state.legal
) -> Node:
    """The root after `sims` simulations, or fewer if it is proven earlier."""
    chosen = rule or Rule()
    tree = Tree(state, softened(evaluate, chosen.prior_temperature), draw_value, draw_face)
    root = tree.root
    if noise > 0:
        shares = dict(zip(state.legal, draws, strict=True))
        for child in root.children:
            mixed = (1 - noise) * child.prior + noise * shares[child.action]
            child.prior = float(np.float32(mixed))
    tree.simulate(sims, lambda node: chosen.choose(node, node is root), leaves)
    return root


def softened(evaluate: Evaluate, temperature: float) -> Evaluate:
    """The evaluator with its priors raised to 1 / temperature and divided by their sum."""

    def judge(state: rz.State) -> Judgement:
        priors, value, draw = evaluate(state)
        if temperature == 1:
            return priors, value, draw
        highest = float(max(priors))
        powers = [(float(prior) / highest) ** (1 / temperature) for prior in priors]
        return np.array([each / sum(powers) for each in powers], np.float32), value, draw

    return judge


def move(root: Node) -> int:
    """The action to play."""
    return max(playable(root), key=lambda child: (child.visits, _q(root, child))).action


def policy(root: Node, rule: Rule | None = None) -> dict[int, float]:
    """The policy target: visit shares among playable moves; 1 for the chosen move if it is won.

    Forced visits that no score explains do not count. Without visits, the chosen move gets 1.
    """
    among = playable(root)
    visits = unforced_visits(root, rule) if rule and rule.forced else root.child_visits
    total = sum(visits[child.action] for child in among)
    if total == 0 or any(root.is_won(child) for child in among):
        return {child.action: float(child.action == move(root)) for child in root.children}
    return {
        child.action: visits[child.action] / total * (child in among) for child in root.children
    }


def unforced_visits(root: Node, rule: Rule) -> dict[int, int]:
    """Visits by action, without the forced ones that the score alone would not have made."""
    most = max(playable(root), key=lambda child: (child.visits, _q(root, child)))
    bar = rule.score(root, most, _q(root, most), most.visits)
    left = root.child_visits
    for child in root.children:
        if child is most or not child.visits:
            continue
        for _ in range(floor(rule.bound(root, child))):
            fewer = left[child.action] - 1
            if fewer < 0 or rule.score(root, child, root.q(child), fewer) > bar:
                break
            left[child.action] = fewer
        if left[child.action] == 1:
            left[child.action] = 0
    return left


def playable(root: Node) -> list[Node]:
    """The children among which the most visited one is played.

    If the root is proven, they are the children with its value; otherwise those not proven lost.
    """
    if root.exact:
        best = root.exact.felt
        return [child for child in root.children if child.exact and child.exact.felt == best]
    return [child for child in root.children if not root.is_lost(child)]


def _q(root: Node, child: Node) -> float:
    return root.q(child) if child.visits else 0.0  # the unvisited only tie with each other
