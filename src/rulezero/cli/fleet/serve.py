"""`rulezero serve`: the server of a fleet."""

from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz


def serve(
    fleet: Annotated[
        Path,
        typer.Option(
            metavar="RUN",
            help="Folder of a run. The server keeps its data in the folder fleet inside it.",
        ),
    ],
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen at. Use 127.0.0.1 behind a reverse proxy with TLS.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at (0: a free port).")
    ] = 8642,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="RULEZERO_DATABASE",
            help="PostgreSQL database, such as postgresql://user@host/name (default: a SQLite file"
            " in the folder).",
        ),
    ] = None,
    lease_seconds: Annotated[
        float,
        typer.Option(
            min=1.0,
            help="Give the games of a worker to others after this many seconds without progress.",
        ),
    ] = 60.0,
) -> None:
    """Serve games of a run's tasks to workers, and check and keep the games that they upload.

    The first line of the output is the server's address. The log is JSON, on stderr.

    Examples:
      rulezero serve --fleet runs/public
      rulezero serve --fleet runs/public --host 0.0.0.0 --port 80
    """
    rz.serve(
        fleet,
        host=host,
        port=port,
        database=database,
        lease_seconds=lease_seconds,
        on_ready=lambda url: print(f"serving {fleet} at {url}", flush=True),
    )
