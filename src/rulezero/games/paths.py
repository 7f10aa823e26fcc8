"""Perft: counts the paths of choices from a state."""

from rulezero._core import State
from rulezero._core import perft as count_paths
from rulezero.games.load import AnyGame, load


def perft(start: State | AnyGame, depth: int) -> int:
    """The number of paths of exactly this many choices from a state, or from a game's start."""
    state = start if isinstance(start, State) else load(start).start()
    return count_paths(state, depth)
