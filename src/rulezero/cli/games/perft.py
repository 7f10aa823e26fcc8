"""`rulezero perft`: how many paths of choices there are, the oldest proof that rules are right."""

from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import GameText, Position


def perft(
    game: GameText,
    depth: Annotated[
        int, typer.Argument(metavar="DEPTH", min=0, help="Number of plies in a path.")
    ],
    position: Position = None,
    seed: Annotated[
        int,
        typer.Option("--seed", help="Random seed of the start position, where the game draws one."),
    ] = 0,
    divide: Annotated[
        bool, typer.Option("--divide", help="Print the count of each first move, too.")
    ] = False,
) -> None:
    """Count the paths of exactly DEPTH plies, the usual test of a move generator.

    The last line is the count. Each face of a die is a ply of its own. A finished game has no
    continuation.

    Examples:
      rulezero perft monster 3
      rulezero perft razzle 2 --divide
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
