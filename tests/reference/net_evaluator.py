"""Evaluations of states by an evaluator of planes, as docs/search.md describes them."""

from collections import Counter
from math import exp

import numpy as np

import rulezero as rz
from reference.tree import Evaluate, Judgement
from rulezero.play.evaluators import Evaluator


def asked(evaluator: Evaluator) -> Evaluate:
    """A function that evaluates states with this evaluator.

    Priors are the softmax over the slots of the legal actions, shared among actions with the same
    slot. Values are turned from the mover's to seat 0's.
    """

    def evaluate(state: rz.State) -> Judgement:
        policy, value, draw = evaluator.evaluate(state.planes()[None])
        slots = [state.slot(action) for action in state.legal]
        uses = Counter(slots)
        highest = max(policy[0, slot] for slot in slots)
        weights = [np.float32(exp(policy[0, slot] - highest)) / uses[slot] for slot in slots]
        priors = np.array(weights, dtype=np.float64) / sum(map(float, weights))
        return priors.astype(np.float32), value[0] * (1 if state.mover == 0 else -1), draw[0]

    return evaluate
