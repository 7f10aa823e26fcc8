"""`rulezero judge`: what a player thinks of recorded games, as notes beside them."""

from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import Trusted, Workers
from rulezero.cli.terminal.records import OfGame, OfPurpose, OfSource, Selection
from rulezero.cli.terminal.screen import counting, gone_on_with
from rulezero.cli.terminal.words import counted


def judge(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="Store with the games.")],
    player: Annotated[
        str,
        typer.Option(
            metavar="PLAYER", help="Player that judges, such as puct:net=RUN@12,sims=200."
        ),
    ],
    game: OfGame = None,
    purpose: OfPurpose = None,
    source: OfSource = None,
    workers: Workers = 0,
    trusted: Trusted = False,
) -> None:
    """Let a player evaluate every position of recorded games. A later fit learns from its values.

    Examples:
      rulezero judge games --player puct:sims=200
      rulezero judge games --player puct:net=runs/first,sims=200 --purpose human
    """
    selection = Selection(store, game=game, purpose=purpose, source=source, trusted=trusted)
    with counting("judging") as tell, gone_on_with():
        done = rz.judge(
            store,
            player,
            records=selection,
            workers=workers,
            trusted=trusted,
            on_game=tell,
            report=selection.report,
        )
    selection.warn()
    if not done.judged + done.known and not selection.problems:
        raise selection.nothing()
    again = f", {done.known} were judged already" if done.known else ""
    typer.echo(f"{counted(done.judged, 'game')} in {store} judged by {done.judge}{again}")
