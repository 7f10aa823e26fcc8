"""`rulezero token`: who may use a fleet's server."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import Json
from rulezero.cli.terminal.screen import open_console, plain_table, print_json
from rulezero.cli.terminal.words import counted

app = typer.Typer(no_args_is_help=True)

_Fleet = Annotated[
    str | None,  # a Path would make "." of ""
    typer.Option(
        "--fleet",
        metavar="DIR",
        help="Folder of the server on this disk, as in `rulezero serve --fleet DIR`.",
    ),
]
_Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="RULEZERO_DATABASE",
        help="The server's PostgreSQL database (default: the SQLite file in the server's folder).",
    ),
]
_Server = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Server to ask, in place of --fleet. It needs --token."),
]
_AdminToken = Annotated[
    str | None,
    typer.Option(
        "--token",
        metavar="TOKEN",
        envvar="RULEZERO_TOKEN",
        help="Token with the scope admin, for --server. @FILE reads it from a file.",
    ),
]
_Given = Annotated[str, typer.Argument(metavar="TOKEN", help="Id or name of the token.")]


@app.callback()
def token() -> None:
    """Make, list and revoke the tokens of a fleet's server, and withdraw their games."""


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name for people, such as anna.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCOPE",
            help="What the token may do: worker, trainer or admin. Can be repeated.",
            show_default="worker",
        ),
    ] = None,
    fleet: _Fleet = None,
    database: _Database = None,
    server: _Server = None,
    admin: _AdminToken = None,
) -> None:
    """Make a token and print it. Only a hash of it is stored, so it cannot be shown again.

    Examples:
      rulezero token new anna --fleet public
      rulezero token new trainer --scope trainer --fleet public
    """
    scopes = [rz.fleets.scope_of(each) for each in scope or ["worker"]]
    with _tokens(fleet, database, server, admin) as tokens:
        made = tokens.new(name, scopes)
    typer.echo(made.secret)


@app.command("list")
def list_tokens(
    fleet: _Fleet = None,
    database: _Database = None,
    server: _Server = None,
    admin: _AdminToken = None,
    as_json: Json = False,
) -> None:
    """List all tokens with their scopes, states and numbers of stored games.

    Examples:
      rulezero token list --fleet public
      rulezero token list --fleet public --json
    """
    with _tokens(fleet, database, server, admin) as tokens:
        found = tokens.all()
    if as_json:
        print_json([each.model_dump() for each in found])
        return
    console = open_console()
    table = plain_table(console, "id", "name", "scopes", "made", ">games", "state")
    for each in found:
        made = datetime.fromtimestamp(each.created, UTC).strftime("%Y-%m-%d")
        scopes = " ".join(each.scopes)
        table.add_row(each.id, each.name, scopes, made, f"{each.games:,}", each.state)
    console.print(table)


@app.command()
def revoke(
    given: _Given,
    fleet: _Fleet = None,
    database: _Database = None,
    server: _Server = None,
    admin: _AdminToken = None,
) -> None:
    """Revoke a token. A running server refuses it within a second. Its games stay.

    Examples:
      rulezero token revoke anna --fleet public
      rulezero token revoke 1f0c93ab --fleet public
    """
    with _tokens(fleet, database, server, admin) as tokens:
        token = tokens.revoke(given)
    typer.echo(f"revoked {token.id} ({token.name})")


@app.command()
def flag(
    given: _Given,
    reason: Annotated[
        str, typer.Argument(metavar="REASON", help="Why to look at its games. '' ends the flag.")
    ],
    fleet: _Fleet = None,
    database: _Database = None,
    server: _Server = None,
    admin: _AdminToken = None,
) -> None:
    """Mark a token for a person to look at. This changes nothing else.

    Examples:
      rulezero token flag anna "results too good" --fleet public
      rulezero token flag anna "" --fleet public
    """
    with _tokens(fleet, database, server, admin) as tokens:
        token = tokens.flag(given, reason)
    typer.echo(f"{token.id} ({token.name}) is {token.state}")


@app.command()
def withdraw(
    given: _Given,
    fleet: _Fleet = None,
    database: _Database = None,
    server: _Server = None,
    admin: _AdminToken = None,
) -> None:
    """Withdraw the games that a token has delivered so far, so that nets no longer learn from them.

    Examples:
      rulezero token withdraw anna --fleet public
      rulezero token withdraw 1f0c93ab --server https://games.example.org
    """
    with _tokens(fleet, database, server, admin) as tokens:
        games = tokens.withdraw(given)
    typer.echo(f"{counted(games, 'game')} withdrawn")


@contextmanager
def _tokens(
    fleet: str | None, database: str | None, server: str | None, admin: str | None
) -> Iterator[rz.fleets.Tokens]:
    if server is None:
        admin = None  # the environment's is for other commands
    elif admin is not None:
        admin = rz.fleets.read_token(admin)
    with rz.fleets.tokens(fleet, database=database, server=server, token=admin) as tokens:
        yield tokens
