"""`rulezero generate`: games of a recipe into a store."""

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rulezero import by_hand, config
from rulezero.cli.options import Changes, Preset, Workers
from rulezero.cli.words import games_of
from rulezero.data.record import Record


def generate(
    recipe: Annotated[str, typer.Argument(help="A recipe, or a .yaml file.")],
    to: Annotated[str, typer.Option(metavar="STORE", help="The folder that keeps the games.")],
    net: Annotated[
        str | None,
        typer.Option("--net", "--use-model", metavar="NET", help="Who plays; an untrained net."),
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="How many; as the recipe says.")] = None,
    preset: Preset = "small",
    changes: Changes = None,
    workers: Workers = 0,
) -> None:
    """Play a recipe's self-play games with a net and keep them."""
    experiment = config.load(recipe, preset, changes or [])
    console = Console(stderr=True)
    with Progress(
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("playing", total=None)

        def told(_: Record, total: int) -> None:
            bar.update(task, total=total, advance=1)

        number = by_hand.generate(
            experiment, to, net=net, games=games, workers=workers, on_game=told
        )
    typer.echo(f"{games_of(number)} in {to}")
