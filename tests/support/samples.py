"""Random games of every kind, on which the contract is tested."""

import functools
import random
import re

import rulezero as rz
import support.tictactoe  # noqa: F401  a game in Python, which it registers

# Games with rule options, which are tested in the same way.
_VARIANTS = [
    "chess:planes=features781",
    "exchange:dice=fixed:3",
    "random_chess:pieces=standard+custom",
]

GAMES = [*rz.game_names(), *(text for text in _VARIANTS if text.split(":")[0] in rz.game_names())]


def file_name(text: str) -> str:
    """A game's text as a valid file name."""
    return re.sub(r"[^a-z0-9+]+", "-", text)


@functools.cache
def game(text: str) -> rz.Game:
    """The game, loaded once for all tests of a process."""
    return rz.load(text)


def play(game: rz.Game, seed: int) -> list[rz.State]:
    """All states of a game of random choices, with dice rolled by their chances."""
    dice = random.Random(seed)
    state = game.start(seed=seed)
    states = [state]
    while not state.is_over and len(states) <= game.facts.max_plies:
        state = state.apply(dice.choices(state.legal, state.chances or None)[0])
        states.append(state)
    return states


@functools.cache
def played(text: str, seed: int = 0) -> tuple[rz.State, ...]:
    """The states of one random game, made once for all tests of a process."""
    return tuple(play(game(text), seed))


@functools.cache
def states(text: str, about: int = 400) -> tuple[rz.State, ...]:
    """About `about` states of several random games, including finished ones."""
    found: list[rz.State] = []
    seed = 0
    while len(found) < about and seed < 100:
        every = played(text, seed)
        step = max(1, len(every) // 100)
        found += [*every[:-1:step], every[-1]]
        seed += 1
    return tuple(found)
