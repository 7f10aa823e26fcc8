"""`rulezero solve`: endgame tables, and what they say."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import rulezero as rz
from rulezero.cli.terminal.options import Workers
from rulezero.cli.terminal.screen import counting, gone_on_with, open_console, plain_table
from rulezero.cli.terminal.words import counted


def solve(
    game: Annotated[str, typer.Argument(help="monster.")],
    men: Annotated[list[str], typer.Argument(metavar="MEN...", help="White's v Black's: KPvKQR.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where tables are kept.")] = Path(
        "endgames"
    ),
    workers: Workers = 0,
    check: Annotated[
        int, typer.Option(min=0, help="Compare so many entries with the rules, a ply ahead.")
    ] = 0,
) -> None:
    """Solve endgames: who wins every position with these men, and how soon."""
    if game != rz.endgame.GAME:
        raise rz.GameError(f"only {rz.endgame.GAME} has endgame tables, not '{game}'")
    for text in men:
        rz.endgame.check_memory(text)  # what is wrong with one is said before the first is solved
    console = open_console()
    for text in men:
        with counting("solving") as tell, gone_on_with():
            rz.endgame.solve(
                text,
                out,
                workers=workers or rz.cores(),
                tell=lambda layer, tell=tell: tell(
                    layer.decided, layer.total, f"{layer.men}: wins in {layer.turns}"
                ),
            )
        tables = rz.endgame.open(out)
        if check:
            for each in rz.endgame.order(text):
                tables.check(each, check)
        show(text, tables.summary(text), console)
        if check:
            console.print(f"{check:,} entries of each table agree with the rules")


def show(men: str, found: rz.endgame.Summary, console: Console) -> None:
    """Prints what a table says as a whole."""
    console.print(men, style="bold")
    table = plain_table(console, "to move", ">positions", ">Black wins", ">drawn", ">White wins")
    names = ("White", "Black", "White, quiet", "Black, quiet")
    for name, count in zip(names, (*found.all, *found.quiet), strict=True):
        parts = (count.black, count.drawn, count.white)
        table.add_row(name, f"{count.total:,}", *(f"{part:,}" for part in parts))
        table.add_row("", "", *(f"{100 * part / max(1, count.total):.1f} %" for part in parts))
    console.print(table)
    for name, longest in zip(("White", "Black"), found.longest, strict=True):
        if longest.text is None:
            console.print(f"{name} wins nowhere")
        else:
            turns = counted(longest.turns, "turn")
            console.print(f"longest win of {name}: {turns} from {longest.text}")
