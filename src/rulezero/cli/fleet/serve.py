"""`rulezero serve`: the page, or the server of a fleet."""

import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz

_PAGE, _FLEET = "For the page", "For the server of a fleet"
_FLEET_PORT, _PAGE_PORT = 8642, 8640


# Options that one of the two servers alone has, by the names of the arguments below.
_PAGE_ONLY = {
    "games": "GAME", "runs": "--runs", "browse": "--open", "names": "--name", "proxies": "--proxy",
    "secret": "--secret", "workers": "--workers",
}  # fmt: skip
_FLEET_ONLY = {"database": "--database", "lease_seconds": "--lease-seconds"}


def serve(
    context: typer.Context,
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
            help="Name by which a reverse proxy serves the page, such as games.example.org. It may"
            " be repeated. Without it, a server at 127.0.0.1 answers only this machine's names.",
            rich_help_panel=_PAGE,
        ),
    ] = None,
    proxies: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help="Address of a reverse proxy, such as 127.0.0.1. It may be repeated. Its"
            " X-Forwarded-For and X-Forwarded-Proto are believed: limits then count by visitor's"
            " address, not for all that come through the proxy together.",
            rich_help_panel=_PAGE,
        ),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            "--secret",
            metavar="FILE",
            help="File with the owner's secret. If it does not exist, it is written. The owner's"
            " address and log-in then stay valid when the server is started again (default: a"
            " new secret each time).",
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

    The page's address is the first line of stdout. It has a secret, and everybody who knows the
    secret can start runs and read stores. Others may play at the address without the secret.
    With --fleet, serve the games of a run to workers instead. The log is on stderr.

    Examples:
      rulezero serve --open
      rulezero serve my_game.py --runs runs
      rulezero serve --name games.example.org --proxy 127.0.0.1
      rulezero serve --fleet runs/public --host 0.0.0.0 --port 80
    """
    _refuse_unused(context, is_fleet=fleet is not None)
    if fleet is not None:
        rz.serve(
            fleet,
            host=host,
            port=_FLEET_PORT if port is None else port,
            database=database,
            lease_seconds=lease_seconds,
            on_ready=lambda url: print(f"serving {fleet} at {url}", flush=True),
        )
        return
    show_page(
        games or [],
        runs,
        host,
        _PAGE_PORT if port is None else port,
        workers,
        names=names or [],
        proxies=proxies or [],
        secret=secret,
        browse=browse,
    )


def _refuse_unused(context: typer.Context, *, is_fleet: bool) -> None:
    """Refuses options of the other server."""
    for name, option in (_PAGE_ONLY if is_fleet else _FLEET_ONLY).items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            words = "a fleet's server does not use it: leave it out" if is_fleet else None
            raise typer.BadParameter(words or "it needs --fleet RUN", param_hint=f"'{option}'")


def show_page(
    games: list[str],
    runs: Path,
    host: str,
    port: int,
    workers: int = 0,
    *,
    names: Sequence[str] = (),
    proxies: Sequence[str] = (),
    secret: Path | None = None,
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
        runs,
        host=host,
        port=port,
        games=games,
        processes=workers,
        names=names,
        proxies=proxies,
        secret=secret,
        on_ready=ready,
    )
