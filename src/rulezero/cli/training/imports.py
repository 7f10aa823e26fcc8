"""`rulezero import`: games of other programs into a store."""

from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import Trusted
from rulezero.cli.terminal.screen import warn
from rulezero.cli.terminal.words import counted


def import_games(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".jsonl or .pgn file.")],
    to: Annotated[str, typer.Option(metavar="STORE", help="Folder to add the games to.")],
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="Game of records that do not name one.")
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            metavar="PURPOSE",
            help=f"Set the purpose of the games: {', '.join(rz.data.PURPOSES)}"
            " (default: as in the file, or human in a .pgn and self-play in a .jsonl file).",
        ),
    ] = None,
    skip: Annotated[
        bool,
        typer.Option("--skip", help="Skip games with errors and report them, instead of stopping."),
    ] = False,
    trusted: Trusted = False,
) -> None:
    """Replay and check the games of a file, and add them to a store.

    Examples:
      rulezero import their.pgn --to games --purpose human
      rulezero import lines.jsonl --to games --game monster --skip
    """
    wanted = None if purpose is None else rz.data.read_purpose(purpose)
    mistakes: list[rz.RecordError] = []

    def report(error: rz.RecordError) -> None:
        mistakes.append(error)
        typer.echo(f"skipped: {error}", err=True)

    new = games = 0
    reading = rz.data.import_file(
        file, game, purpose=wanted, trusted=trusted, report=report if skip else None
    )
    with rz.data.open_store(to) as store:
        known = {record.id for record in store}
        warn(store.problems)
        try:
            for record in reading:
                games += 1
                if record.id not in known:
                    known.add(record.id)
                    store.add(record)
                    new += 1
        except rz.RecordError as error:
            kept = f"kept what is before it, {counted(games, 'game')}; --skip goes on behind it"
            raise rz.RecordError(f"{error} ({kept if games else 'no game before it'})") from error
    if games == 0 and not mistakes:
        raise rz.RecordError(f"'{file}' holds no games")
    again = f", {games - new} were there already" if games > new else ""
    typer.echo(f"{counted(new, 'game')} from {file} in {to}{again}")
    if mistakes:
        raise typer.Exit(2)
