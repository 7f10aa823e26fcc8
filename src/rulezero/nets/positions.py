"""Positions of random games, for testing nets."""

import random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulezero._core import CHANCE, Game, NetError, State
from rulezero.nets.runtime import Floats

_FROM_ONE_GAME = 8  # neighbouring positions are similar
_MOST_GAMES = 1000


class Sample(NamedTuple):
    """Positions as planes and legal slots."""

    planes: Floats  # [N, C, H, W]
    legal: list[npt.NDArray[np.intp]]  # the slots of each position's legal actions


def sample(game: Game, count: int, seed: int) -> Sample:
    """Up to `count` positions with a player to move; the same seed gives the same ones."""
    found: list[State] = []
    for number in range(_MOST_GAMES):
        if len(found) >= count:
            break
        dice = random.Random(f"{seed} {number}")
        played = [state for state in play_randomly(game, dice) if state.mover != CHANCE]
        found += dice.sample(played, min(_FROM_ONE_GAME, len(played)))
    if not found:
        raise NetError(f"random games of '{game.text}' have no positions to test a net on")
    del found[count:]
    legal = [np.unique([state.slot(action) for action in state.legal]) for state in found]
    return Sample(np.stack([state.planes() for state in found]), legal)


def play_randomly(game: Game, dice: random.Random) -> list[State]:
    """The states of a random game, without a finished one."""
    state = game.start(seed=dice.getrandbits(32))
    states: list[State] = []
    while not state.is_over and len(states) < game.facts.max_plies:
        states.append(state)
        state = state.apply(dice.choices(state.legal, state.chances or None)[0])
    return states
