"""Options that several verbs have."""

from typing import Annotated

import typer

Preset = Annotated[str, typer.Option(help="tiny, small, medium or full.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A key of the recipe: fit.batch=64."),
]
Workers = Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")]
