"""`rulezero solve`: endgame tables, and what they say."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import rulezero as rz
from rulezero.cli.options import Workers
from rulezero.cli.screen import open_console, plain_table
from rulezero.endgame import solving
from rulezero.endgame.tables import GAME, Count, Summary
from rulezero.play.runner import cores


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
    if game != GAME:
        raise rz.GameError(f"only {GAME} has endgame tables, not '{game}'")
    for text in men:
        solving.order(text)  # what is wrong with one is said before the first is solved
    console = open_console()
    for text in men:
        with _Watch() as watch:
            solving.solve(text, out, workers=workers or cores(), tell=watch.tell)
        tables = rz.endgame.open(out)
        if check:
            for each in solving.order(text):
                tables.check(each, check)
        show(text, tables.summary(text), console)
        if check:
            console.print(f"{check:,} entries of each table agree with the rules")


class _Watch:
    """Tells on stderr how far a table is, where somebody looks."""

    def __init__(self) -> None:
        console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[words]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, words="")
        self._men = ""

    def __enter__(self) -> "_Watch":
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, layer: solving.Layer) -> None:
        """After a layer."""
        if layer.men != self._men:
            self._men = layer.men
            self._bar.reset(self._task, total=layer.total, description=layer.men)
        words = f"wins in {layer.turns}, {layer.decided:,} positions decided"
        self._bar.update(self._task, completed=layer.decided, words=words)


def show(men: str, found: Summary, console: Console) -> None:
    """Prints what a table says as a whole."""
    table = plain_table(
        console, "to move", ">positions", ">Black wins", ">drawn", ">White wins", title=men
    )
    for name, count in zip(("White", "Black"), found.all, strict=True):
        table.add_row(name, *_cells(count))
    for name, count in zip(("White, quiet", "Black, quiet"), found.quiet, strict=True):
        table.add_row(name, *_cells(count))
    console.print(table)
    for name, longest in zip(("White", "Black"), found.longest, strict=True):
        if longest.text is None:
            console.print(f"{name} wins nowhere")
        else:
            console.print(f"longest win of {name}: {longest.turns} turns from {longest.text}")


def _cells(count: Count) -> list[str]:
    shares = (count.black, count.drawn, count.white)
    total = max(1, count.total)
    return [f"{count.total:,}", *(f"{each:,} ({100 * each / total:.1f} %)" for each in shares)]
