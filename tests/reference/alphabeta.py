"""A slow search to a fixed depth: minimax without bounds, table or move ordering."""

from collections.abc import Callable

import numpy as np

import rulezero as rz
from reference import hash_evaluator
from rulezero._core import capture_gain, heuristic, replay

SUREST = 1 - 2.0**-20  # an evaluation never counts as a win

Judge = Callable[[rz.State], float]  # seat 0's value of a position in which a player moves


class TooManyError(Exception):
    """The tree is too big to be searched to the end."""


def by_hash(state: rz.State) -> float:
    """The value of eval=hash."""
    draw = hash_evaluator.word(state.key, 0) / 2
    return float(np.float32((2 * hash_evaluator.word(state.key, 1) - 1) * (1 - draw)))


def by_heuristic(state: rz.State) -> float:
    """The value of eval=heuristic."""
    return heuristic(state)


def is_check(state: rz.State) -> bool:
    """Whether the mover's king is attacked."""
    actions = np.array(state.legal[:1], np.uint32)
    return bool(replay(state.game, state.text, actions)[3][0])


class Minimax:
    """Values of positions; at a die the mean, weighted by chances."""

    def __init__(self, judge: Judge, quiescence: int = 0, budget: int = 1 << 30) -> None:
        self.judge = judge
        self.quiescence = quiescence
        self.budget = budget
        self.extended = 0  # positions in check at the search depth
        self.captures = 0  # captures beyond the search depth

    def children(self, root: rz.State, depth: int) -> dict[int, float]:
        """Seat 0's value of every choice, looking `depth` plies ahead."""
        return {a: self.value(root.apply(a), depth - 1, 1) for a in root.legal}

    def value(self, state: rz.State, left: int, plies: int) -> float:
        """Seat 0's value. A win is slightly above 1, and higher if it is sooner.

        At the search depth (left is 0), a mover in check has one more ply. Other movers either
        stand pat or make a capture, up to `quiescence` times in a row.
        """
        self.budget -= 1
        if self.budget < 0:
            raise TooManyError
        if state.is_over:
            outcome = state.outcome or 0.0
            if abs(outcome) < 1:
                return outcome
            return outcome * (1 + (128 - plies) * 2.0**-40)
        if state.mover == rz.CHANCE:
            faces = zip(state.chances, state.legal, strict=True)
            return sum(p * self.value(state.apply(face), left, plies) for p, face in faces)
        if left <= -self.quiescence:
            return self.judged(state)
        if left > 0:
            values = [self.value(state.apply(a), left - 1, plies + 1) for a in state.legal]
        elif left == 0 and is_check(state):
            self.extended += 1
            values = [self.value(state.apply(a), 0, plies + 1) for a in state.legal]
        else:
            captures = [action for action in state.legal if capture_gain(state, action) > 0]
            self.captures += len(captures)
            values = [self.value(state.apply(a), left - 1, plies + 1) for a in captures]
            values.append(self.judged(state))
        return max(values) if state.mover == 0 else min(values)

    def judged(self, state: rz.State) -> float:
        """The evaluation, clamped so that it never counts as a win."""
        return min(max(self.judge(state), -SUREST), SUREST)
