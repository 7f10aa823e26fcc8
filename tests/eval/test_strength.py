"""The heuristics are useful: greedy play by them beats random play."""

import random

import pytest

import rulezero as rz
from rulezero._core import heuristic
from support import samples

GAMES_EACH = 12  # games for each seat


def value(state: rz.State) -> float:
    """Seat 0's value: the outcome, the mean over a pending die, or the heuristic."""
    if state.outcome is not None:
        return state.outcome
    if state.mover == rz.CHANCE:
        faces = zip(state.chances, state.legal, strict=True)
        return sum(chance * value(state.apply(face)) for chance, face in faces)
    return heuristic(state)


def best(state: rz.State, dice: random.Random) -> int:
    """The action with the best value one ply ahead; ties are broken at random."""
    sign = 1 - 2 * state.mover
    return max(state.legal, key=lambda a: (sign * value(state.apply(a)), dice.random()))


def score(game: rz.Game, seat: int, seed: int) -> float:
    """The score of the greedy player in one game against a random one, from 0 to 1."""
    dice = random.Random(seed)
    state = game.start(seed=seed)
    for _ in range(game.facts.max_plies):
        if state.is_over:
            break
        if state.mover == seat:
            action = best(state, dice)
        else:
            action = dice.choices(state.legal, state.chances or None)[0]
        state = state.apply(action)
    return 0.5 + 0.5 * (1 - 2 * seat) * (state.outcome or 0)


@pytest.mark.parametrize(
    ("name", "seat", "wanted"),
    [
        *((name, seat, 0.8) for name in ("chess", "random_chess") for seat in (0, 1)),
        *((name, seat, 0.95) for name in ("exchange", "razzle", "connect4") for seat in (0, 1)),
        ("monster", 0, 0.95),
        # With random play Black scores 0.2. One ply ahead is too little to win, but draws more.
        ("monster", 1, 0.3),
    ],
)
def test_one_ply_beats_random(name: str, seat: int, wanted: float) -> None:
    """Greedy play by the heuristic reaches the wanted mean score against random play."""
    game = samples.game(name)
    scores = [score(game, seat, seed) for seed in range(GAMES_EACH)]
    assert sum(scores) / GAMES_EACH >= wanted
