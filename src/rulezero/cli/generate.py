"""`rulezero generate`: games of a recipe into a store."""

from typing import Annotated

import typer

from rulezero import by_hand, config
from rulezero.cli.options import Changes, Preset, Workers
from rulezero.cli.screen import counting
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
    with counting("playing") as tell:
        played = 0

        def count(_: Record, total: int) -> None:
            nonlocal played
            played += 1
            tell(played, total)

        number = by_hand.generate(
            experiment, to, net=net, games=games, workers=workers, on_game=count
        )
    typer.echo(f"{games_of(played)} played; {to} has {number} of these")
