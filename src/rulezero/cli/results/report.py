"""`rulezero report`: a run as a page to look at."""

from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Output file (default: RUN/reports/report.html)."),
    ] = None,
) -> None:
    """Write a run's curves, ratings, warnings and a sample game into one HTML file.

    Examples:
      rulezero report runs/first
      rulezero report runs/first --out first.html
    """
    path = rz.report(rz.open_run(run), out)
    typer.echo(f"{path}, {path.stat().st_size / 1e6:.1f} MB")
