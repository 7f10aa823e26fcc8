"""`rulezero rate`: the nets of a run on one scale."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import Json, Seconds, Workers
from rulezero.cli.terminal.screen import counting, open_console, plain_table, print_json
from rulezero.cli.terminal.words import counted


def rate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    games: Annotated[int, typer.Option(min=2, help="Number of games per pairing.")] = 40,
    sims: Annotated[
        int | None,
        typer.Option(min=1, help="Simulations per move of the nets (default: as in the recipe)."),
    ] = None,
    seconds: Seconds = None,
    nets: Annotated[int, typer.Option(min=1, help="Number of the run's nets to rate.")] = 5,
    add: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Rate this player, too, such as uci:path=stockfish. Can be repeated.",
        ),
    ] = None,
    workers: Workers = 0,
    as_json: Json = False,
) -> None:
    """Rate the nets of a run in games against each other and against fixed players.

    Examples:
      rulezero rate runs/first
      rulezero rate runs/first --nets 4 --games 60 --workers 2
    """
    opened = rz.open_run(run)
    with counting("playing") as tell:
        found = rz.rate(
            opened,
            games=games,
            sims=sims,
            time=seconds,
            nets=nets,
            add=add or (),
            workers=workers,
            tell=tell,
        )
    if as_json:
        print_json(found)
    else:
        show(found, open_console())


def show(found: rz.contest.Standings, console: Console) -> None:
    """Prints ratings, the strongest first."""
    counts = f"{counted(found.games, 'game')}, {found.played} of them played now"
    words = f"{rz.view.title(found.game)}: {counts}"
    console.print(Text(words, "bold"), soft_wrap=True)
    table = plain_table(
        console, "player", ">Elo", f">{100 * found.confidence:.4g} %", ">games", ">score", ""
    )
    for each in found.standings:
        rating = each.rating
        table.add_row(
            Text(each.player.name),
            f"{rating.elo:+.0f}",
            rating.interval,
            str(rating.games),
            f"{rating.score:.1%}",
            each.player.about,
        )
    console.print(table)
    if found.different is not None and found.games - found.different >= found.games / 10:
        words = (
            f"{counted(found.different, 'different game')} of {found.games}: copies do not narrow"
            " an interval; a larger anchor.opening in the recipe varies them"
        )
        console.print(words, markup=False, soft_wrap=True)
    console.print(f"the first seat is worth {found.advantage_text}", markup=False)
