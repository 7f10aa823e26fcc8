"""The random numbers of `Player.think`, computed again from seed, ply and purpose."""

from collections.abc import Iterator
from math import cos, log, pi, sqrt

import rulezero as rz
from reference.hash_evaluator import scatter
from reference.tree import DrawFace

_WORD = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15
_NOISE, _GUMBEL, _DICE = 2, 3, 5  # purposes


def fractions(state: rz.State, seed: int, purpose: int) -> Iterator[float]:
    """An endless series of random numbers between 0 and 1."""
    key = 0x2545F4914F6CDD1D
    for word in (seed, 0, len(state.actions), 0, purpose):  # game 0, not a judge
        key = (key ^ word) * _GOLDEN & _WORD
        key ^= key >> 32
    key = scatter(key)
    while True:
        key = key + _GOLDEN & _WORD
        yield ((scatter(key) >> 11) + 0.5) * 2.0**-53


def dice(state: rz.State, seed: int) -> DrawFace:
    """A function that draws the same faces as the core in a search from this state."""
    numbers = fractions(state, seed, _DICE)

    def draw_face(die: rz.State) -> int:
        left = next(numbers)
        likely = sorted(range(len(die.chances)), key=lambda face: -die.chances[face])
        for face in likely:
            left -= die.chances[face]
            if left < 0:
                return face
        return likely[-1]

    return draw_face


def gumbels(state: rz.State, seed: int) -> list[float]:
    """A Gumbel draw for each root move, the one with the highest prior first."""
    numbers = fractions(state, seed, _GUMBEL)
    return [-log(-log(next(numbers))) for _ in state.legal]


def dirichlet(state: rz.State, seed: int, alpha: float) -> list[float]:
    """Shares of noise for each root move, the one with the highest prior first."""
    numbers = fractions(state, seed, _NOISE)
    draws = [_gamma(numbers, alpha) for _ in state.legal]
    return [draw / sum(draws) for draw in draws]


def _gamma(numbers: Iterator[float], shape: float) -> float:
    """Marsaglia and Tsang (2000); shapes below 1 by their boost."""
    if shape < 1:
        boost: float = next(numbers) ** (1 / shape)
        return _gamma(numbers, shape + 1) * boost
    d = shape - 1 / 3
    while True:
        radius = sqrt(-2 * log(next(numbers)))
        x = radius * cos(2 * pi * next(numbers))
        v = (1 + x / sqrt(9 * d)) ** 3
        if v > 0 and log(next(numbers)) < x * x / 2 + d - d * v + d * log(v):
            return d * v
