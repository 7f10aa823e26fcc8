"""How fast the rules are: paths counted, random games played and planes made in a second."""

import random
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

import rulezero as rz

_SECONDS = 0.5  # measured for each number


def rate(work: Callable[[], int]) -> float:
    """Units of work a second; `work` does some and says how many they were."""
    done = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < _SECONDS:
        done += work()
    return done / spent


def counted_paths(state: rz.State) -> Callable[[], int]:
    """Counts the paths of the deepest depth that still takes little time."""
    depth = 1
    while rz.perft(state, depth) < 20_000 and depth < 6:
        depth += 1
    return lambda: rz.perft(state, depth)


def random_plies(game: rz.Game) -> Callable[[], int]:
    """Plays a random game, choice by choice from Python, and counts its plies."""
    dice = random.Random(0)

    def play() -> int:
        state = game.start(seed=dice.getrandbits(32))
        plies = 0
        while not state.is_over and plies < game.facts.max_plies:
            state = state.apply(dice.choice(state.legal))
            plies += 1
        return plies

    return play


def made_planes(state: rz.State) -> Callable[[], int]:
    """Makes the planes of one state."""

    def make() -> int:
        state.planes()
        return 1

    return make


def main() -> None:
    """Prints one row for each game."""
    table = Table(title="in a second, on one core", title_justify="left")
    table.add_column("game")
    for column in ("paths counted", "random plies", "planes", "bytes a position"):
        table.add_column(column, justify="right")
    for name in rz.games():
        game = rz.load(name)
        start = game.start()
        rates = (
            rate(work) for work in (counted_paths(start), random_plies(game), made_planes(start))
        )
        table.add_row(name, *(f"{number:,.0f}" for number in rates), str(game.position_bytes))
    Console().print(table)


if __name__ == "__main__":
    main()
