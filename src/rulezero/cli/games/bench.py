"""`rulezero bench`: how fast this machine is."""

from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import GameTexts, Json, net_option
from rulezero.cli.terminal.screen import open_console, plain_table, print_json


def bench(
    names: GameTexts = None,
    net: Annotated[
        str | None, net_option("Net to measure self-play with (default: none).", None)
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.001, max=3600, help="Seconds of measurement per figure.")
    ] = 0.5,
    as_json: Json = False,
) -> None:
    """Measure how fast rules, planes and searches are on this machine, in one process.

    Examples:
      rulezero bench
      rulezero bench razzle --net runs/first --seconds 5
    """
    if net is not None and not names:
        path = rz.nets.resolve(net)
        games = [rz.nets.game_of(path, rz.nets.read_card(path))]
    else:
        games = [rz.load(name) for name in names or rz.game_names()]
    console = open_console()
    columns = [">leaves", ">planes", ">sims, uniform", ">sims, heuristic"]
    columns += [] if net is None else [">net positions", ">net sims"]
    table = plain_table(console, "a second", *columns, has_room=False)
    for game in games:
        speed = rz.bench(game, net=net, seconds=seconds)
        if as_json:
            print_json(speed)
        figures = [speed.leaves, speed.planes, speed.uniform_sims, speed.heuristic_sims]
        figures += [] if net is None else [speed.net_positions, speed.net_sims]
        table.add_row(
            rz.view.title(game.text), *("-" if n is None else f"{n:,.0f}" for n in figures)
        )
    if not as_json:
        console.print(table)
