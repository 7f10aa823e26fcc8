"""`rulezero serve`: the page, or the server of a fleet."""

import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz

_PAGE, _FLEET = "Page", "Fleet"
_FLEET_PORT, _PAGE_PORT = 8642, 8640


def serve(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help="Games of your own for the page, such as my_game.py (default: none).",
        ),
    ] = None,
    runs: Annotated[
        Path,
        typer.Option(
            "--runs",
            metavar="DIR",
            help="Folder with your runs and stores, which the page shows to you.",
            rich_help_panel=_PAGE,
        ),
    ] = Path("runs"),
    browse: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser.", rich_help_panel=_PAGE)
    ] = False,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="HOST",
            help="Name by which a reverse proxy serves the page, such as games.example.org. Without"
            " it, a server at 127.0.0.1 answers only this machine's names.",
            rich_help_panel=_PAGE,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=0,
            max=256,
            help="Processes that search for players and analyses (0: one for each core).",
            rich_help_panel=_PAGE,
        ),
    ] = 0,
    fleet: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Serve games to the workers of a fleet instead of the page. This is the server's"
            " folder: its data goes to the folder fleet inside it.",
            rich_help_panel=_FLEET,
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="RULEZERO_DATABASE",
            help="PostgreSQL database, such as postgresql://user@host/name (default: a SQLite file"
            " in the folder).",
            rich_help_panel=_FLEET,
        ),
    ] = None,
    lease_seconds: Annotated[
        float,
        typer.Option(
            min=1.0,
            help="Give the games of a worker to others after this many seconds without progress.",
            rich_help_panel=_FLEET,
        ),
    ] = 60.0,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen at. Use 127.0.0.1 behind a reverse proxy with TLS.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help=f"Port to listen at, or 0 for a free one (default: {_PAGE_PORT}, for a fleet"
            f" {_FLEET_PORT}).",
        ),
    ] = None,
) -> None:
    """Serve the page, where you play, watch games, train and edit pieces in a browser.

    The page's address is the first line of stdout. It has a secret that lets only you start
    runs and read stores. Others may play at the address without the secret. With --fleet, serve
    the games of a run to workers instead. The log is on stderr.

    Examples:
      rulezero serve --open
      rulezero serve my_game.py --runs runs
      rulezero serve --fleet runs/public --host 0.0.0.0 --port 80
    """
    if fleet is not None:
        if games:
            raise typer.BadParameter(
                "a fleet serves its run: leave the games out", param_hint="GAME"
            )
        rz.serve(
            fleet,
            host=host,
            port=_FLEET_PORT if port is None else port,
            database=database,
            lease_seconds=lease_seconds,
            on_ready=lambda url: print(f"serving {fleet} at {url}", flush=True),
        )
        return
    if database is not None:
        raise typer.BadParameter("it needs --fleet RUN", param_hint="'--database'")
    show_page(
        games or [],
        runs,
        host,
        _PAGE_PORT if port is None else port,
        workers,
        names=names or [],
        browse=browse,
    )


def show_page(
    games: list[str],
    runs: Path,
    host: str,
    port: int,
    workers: int = 0,
    *,
    names: Sequence[str] = (),
    browse: bool,
    view: str = "",
) -> None:
    """Serves the page, and opens it in a browser at a view such as play/monster."""

    def ready(url: str) -> None:
        address = f"{url}&go={view}" if view else url
        print(address, flush=True)
        if browse and not webbrowser.open(address):
            print("there is no browser here: open the address yourself", file=sys.stderr)

    rz.serve_page(
        runs, host=host, port=port, games=games, processes=workers, names=names, on_ready=ready
    )
