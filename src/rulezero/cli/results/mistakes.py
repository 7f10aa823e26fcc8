"""`rulezero mistakes`: how often a player gives game value away in solved positions."""

from functools import partial
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import PLAYERS, Json
from rulezero.cli.terminal.screen import counting, open_console, plain_table, print_json


def mistakes(
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="Player, such as puct:net=runs/first,sims=128.")
    ],
    positions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET|FILE",
            help="A set (begin-easy, begin-medium, begin-hard, middle-easy, middle-medium,"
            " end-easy, early, middle or late), or a file with a line for each position: the"
            " columns played, as 4455, a space, and the mover's score. Can be repeated (default:"
            " the first six sets).",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            min=0.001,
            help="Thinking time per position (default: the player's own limits).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    as_json: Json = False,
) -> None:
    """Count a player's mistakes in solved positions of Connect Four.

    A mistake is a move that turns a won position into a drawn or lost one, or a drawn one into a
    lost one.

    Examples:
      rulezero mistakes puct:net=runs/first,sims=128
      rulezero mistakes alphabeta --time 0.1 --positions begin-hard
    """
    by = rz.play.opponent(player, time=seconds)
    asked = {
        name: rz.contest.solved_positions(name) for name in positions or rz.contest.SOLVED_SETS
    }
    total, done = sum(map(len, asked.values())), 0
    found = []
    with counting("searching", lines_of="positions") as tell:
        for name, each in asked.items():

            def told(now: int, before: int) -> None:
                tell(before + now, total)

            found.append(
                rz.contest.mistakes_in(by, each, name, seed=seed, tell=partial(told, before=done))
            )
            done += len(each)
    if as_json:
        print_json([each.figures for each in found])
    else:
        show(found)


def show(found: list[rz.contest.Mistakes]) -> None:
    """Prints a line for each set."""
    console = open_console()
    console.print(found[0].player, style="bold", markup=False, soft_wrap=True)
    table = plain_table(
        console,
        *("positions", ">number", ">mistakes", ">share", ">95 %"),
        *(">win to draw", ">win to loss", ">draw to loss"),
        has_room=False,
    )
    for each in found:
        low, high = each.interval()
        table.add_row(
            each.kind,
            str(each.positions),
            str(each.count),
            f"{100 * each.share:.1f} %",
            f"{100 * low:.1f} to {100 * high:.1f} %",
            *map(str, each.by_fall.values()),
        )
    console.print(table)
