"""Options that several verbs have."""

from typing import Annotated

import typer

Preset = Annotated[str, typer.Option(help="tiny, small, medium or full.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A key of the recipe: fit.batch=64."),
]
Workers = Annotated[int, typer.Option(min=0, help="Number of processes; 0: one for each core.")]
GameText = Annotated[str, typer.Argument(help="A game: chess, exchange:dice=fixed:3, ...")]
GameTexts = Annotated[
    list[str] | None, typer.Argument(metavar="[GAME]...", help="Games (default: all of them).")
]
Trusted = Annotated[bool, typer.Option("--trusted", help="Run or read the files that games name.")]
