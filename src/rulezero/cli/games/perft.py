"""`rulezero perft`: how many paths of choices there are, the oldest proof that rules are right."""

from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import GameText, Position


def perft(
    game: GameText,
    depth: Annotated[int, typer.Argument(min=0, help="Number of choices in a path.")],
    position: Position = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the start.")] = 0,
    divide: Annotated[
        bool, typer.Option("--divide", help="Print a count for each move first.")
    ] = False,
) -> None:
    """Count the paths of exactly DEPTH choices. The last line is the count.

    A die is a choice among its faces. A finished game has no continuation.
    """
    loaded = rz.load(game)
    state = loaded.start(seed) if position is None else loaded.parse(position)
    if not divide or depth == 0:
        print(rz.perft(state, depth))
        return
    total = 0
    for action in state.legal:
        paths = rz.perft(state.apply(action), depth - 1)
        print(f"{state.say(action)}: {paths}", flush=True)
        total += paths
    print(total)
