"""The tree of docs/search.md, written slowly and plainly, with nothing tuned.

Values are seat 0's. A sign appears only where a mover chooses: times 1 for seat 0, -1 for seat 1.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import rulezero as rz

# Priors in the order of state.legal, seat 0's value, the probability of a draw.
Judgement: TypeAlias = tuple[npt.NDArray[np.float32], np.float32, np.float32]
Evaluate: TypeAlias = Callable[[rz.State], Judgement]
DrawFace: TypeAlias = Callable[[rz.State], int]  # an index into state.legal


def wins_by_sight(state: rz.State) -> bool:
    """Whether the mover can win at once by capturing a king, in games where that wins."""
    if state.game.facts.name != "monster" or state.is_over:
        return False
    sign = 1 if state.mover == 0 else -1
    return any(state.apply(action).outcome == sign for action in state.legal)


def fair_dice(seed: int) -> DrawFace:
    """A function that draws faces by their chances."""
    dice = random.Random(seed)
    return lambda state: dice.choices(range(len(state.legal)), state.chances)[0]


class Worth(NamedTuple):
    """What a position is worth to seat 0."""

    plain: float  # in [-1, 1]
    felt: float  # with contempt; the search sums and compares this


@dataclass(eq=False)
class Node:
    """A position reached from the root by actions.

    Children are in the order in which a choice compares them: by prior, highest first, and equal
    priors in the order of the rules. A die's children are its faces, in the order of the rules.
    """

    state: rz.State
    action: int = -1  # the action that led to this node; -1 at the root
    prior: float = 1.0  # of that action; for a face of a die, its probability
    visits: int = 0
    pending: int = 0  # pending simulations, here or below
    plain: float = 0.0  # sum of the simulations' values
    felt: float = 0.0  # the same with contempt: W
    judged: Worth | None = None  # the evaluator's value
    exact: Worth | None = None  # the proven value
    children: list[Node] = field(default_factory=list)

    @property
    def sign(self) -> int:
        """The factor from seat 0's values to those of this node's mover."""
        return 1 if self.state.mover == 0 else -1

    @property
    def is_tried(self) -> bool:
        """Whether a simulation has visited this node, or is pending."""
        return self.visits + self.pending > 0

    def q(self, child: Node) -> float:
        """The value of a visited or proven child for this node's mover."""
        return self.sign * (child.exact.felt if child.exact else child.felt / child.visits)

    def is_won(self, child: Node) -> bool:
        """Whether a child is proven to be won for the mover here."""
        return child.exact is not None and self.sign * child.exact.plain >= 1

    def is_lost(self, child: Node) -> bool:
        """Whether a child is proven to be lost for the mover here."""
        return child.exact is not None and self.sign * child.exact.plain <= -1

    @property
    def value(self) -> float:
        """The value that a thought reports: without contempt, and exact if the node is proven."""
        return self.exact.plain if self.exact else self.plain / self.visits

    @property
    def child_visits(self) -> dict[int, int]:
        """Visits by action."""
        return {child.action: child.visits for child in self.children}


class Tree:
    """A search tree: an evaluated root, and the settings of its simulations."""

    def __init__(
        self,
        state: rz.State,
        evaluate: Evaluate,
        draw_value: float = 0.0,
        draw_face: DrawFace | None = None,
    ) -> None:
        assert not state.is_over
        assert state.mover != rz.CHANCE
        self.root = Node(state)
        self.evaluate = evaluate
        self.draw_face = draw_face
        self.contempt = self.root.sign * draw_value
        self._back_up([self.root], self._judge(self.root))
        for child in self.root.children:
            if self.root.exact is None and self._wins_at_once(child.state):
                child.exact = self.root.exact = self._worth(self.root.sign, 0.0)

    def _wins_at_once(self, state: rz.State) -> bool:
        """Whether the root's mover has won in this state, whatever dice say."""
        if state.mover == rz.CHANCE and not state.is_over:
            return all(self._wins_at_once(state.apply(face)) for face in state.legal)
        return state.outcome == self.root.sign

    def simulate(self, sims: int, choose: Callable[[Node], Node], leaves: int = 1) -> None:
        """Makes `sims` simulations, or fewer if the root is proven earlier.

        `choose` picks a child of an evaluated node; `leaves` simulations are evaluated at a time.
        """
        done = 0
        while done < sims and not self.root.exact:
            done += self._round(sims - done, choose, leaves)

    def _round(self, most: int, choose: Callable[[Node], Node], leaves: int) -> int:
        """Simulates until `leaves` are pending, evaluates them, and returns their number."""
        waiting: list[list[Node]] = []
        done = 0
        while len(waiting) < leaves and done + len(waiting) < most and not self.root.exact:
            path = self._descend(choose)
            if path[-1].exact:
                self._back_up(path, path[-1].exact)
                done += 1
            elif path[-1].pending:
                break
            else:
                waiting.append(path)
                _wait(path, 1)
        for path in waiting:
            _wait(path, -1)
        for path in waiting:
            self._back_up(path, self._judge(path[-1]))
        return done + len(waiting)

    def _descend(self, choose: Callable[[Node], Node]) -> list[Node]:
        """The path from the root to a node that is exact or not yet evaluated."""
        path = [self.root]
        while not self._is_leaf(path[-1]):
            path.append(self._next(path[-1], choose))
        return path

    def _is_leaf(self, node: Node) -> bool:
        """Whether a simulation ends here; a finished game gets its exact value."""
        if node.state.is_over and not node.exact:
            assert node.state.outcome is not None
            node.exact = self._worth(node.state.outcome, float(node.state.outcome == 0))
        if not node.exact and not node.children and wins_by_sight(node.state):
            node.exact = self._worth(node.sign, 0.0)
        return bool(node.exact or (node.state.mover != rz.CHANCE and not node.children))

    def _next(self, node: Node, choose: Callable[[Node], Node]) -> Node:
        """The next node of a simulation: a face of a die, or the child that `choose` picks."""
        if node.state.mover != rz.CHANCE:
            return choose(node)
        if not node.children:
            faces = zip(node.state.legal, node.state.chances, strict=True)
            node.children = [Node(node.state.apply(face), face, p) for face, p in faces]
        assert self.draw_face, "a game with dice needs draw_face"
        return node.children[self.draw_face(node.state)]

    def _judge(self, node: Node) -> Worth:
        """Evaluates a position, adds its children, and returns the value."""
        priors, value, draw = self.evaluate(node.state)
        moves = zip(node.state.legal, priors, strict=True)
        children = [Node(node.state.apply(move), move, float(prior)) for move, prior in moves]
        node.children = sorted(children, key=lambda child: -child.prior)
        node.judged = self._worth(float(value), float(draw))
        return node.judged

    def _worth(self, value: float, draw: float) -> Worth:
        return Worth(value, value + self.contempt * draw)

    def _back_up(self, path: list[Node], worth: Worth) -> None:
        for node in reversed(path):
            node.visits += 1
            node.plain += worth.plain
            node.felt += worth.felt
            node.exact = node.exact or _proof(node)


def _wait(path: list[Node], by: int) -> None:
    for node in path:
        node.pending += by


def _proof(node: Node) -> Worth | None:
    """The exact value that follows from the children, or None."""
    exact = [child.exact for child in node.children if child.exact]
    is_whole = bool(exact) and len(exact) == len(node.children)
    if node.state.mover == rz.CHANCE:
        return _expectation([child.prior for child in node.children], exact) if is_whole else None
    won = [child.exact for child in node.children if node.is_won(child)]
    if won:
        return won[0]
    return max(exact, key=lambda worth: node.sign * worth.felt) if is_whole else None


def _expectation(chances: list[float], faces: list[Worth]) -> Worth:
    """The mean of the faces, divided by the sum of chances so that a sure win is exactly 1."""
    pairs = list(zip(chances, faces, strict=True))
    plain = sum(chance * worth.plain for chance, worth in pairs)
    felt = sum(chance * worth.felt for chance, worth in pairs)
    return Worth(plain / sum(chances), felt / sum(chances))
