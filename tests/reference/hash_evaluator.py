"""The hash evaluator: pseudo-random numbers from a position's key, as in docs/search.md."""

from math import exp

import numpy as np

import rulezero as rz
from reference.tree import Judgement

_WORD = 2**64 - 1  # sums and products are modulo 2**64


def evaluate(state: rz.State) -> Judgement:
    """Priors in the order of state.legal, seat 0's value, and the probability of a draw."""
    draw = word(state.key, 0) / 2
    value = (2 * word(state.key, 1) - 1) * (1 - draw)
    weights = [exp(4 * word(state.key, 16 + action)) for action in state.legal]
    total = sum(weights)
    priors = [float(np.float32(weight)) / total for weight in weights]
    return np.array(priors, dtype=np.float32), np.float32(value), np.float32(draw)


def word(key: int, n: int) -> float:
    """The n-th pseudo-random number of a key: 24 bits, in [0, 1)."""
    return (scatter((key + (n + 1) * 0x9E3779B97F4A7C15) & _WORD) >> 40) / 2**24


def scatter(w: int) -> int:
    """splitmix64's finaliser."""
    w ^= w >> 30
    w = w * 0xBF58476D1CE4E5B9 & _WORD
    w ^= w >> 27
    w = w * 0x94D049BB133111EB & _WORD
    return w ^ w >> 31
