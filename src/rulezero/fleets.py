"""Fleets of other people's machines: the server, and the tokens of those who may use it."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Protocol, cast

from rulezero.errors import RunError, among
from rulezero.fleet.client import read_address, read_token
from rulezero.fleet.packages import check_server_packages
from rulezero.fleet.protocol import HANDSHAKE, FleetError
from rulezero.fleet.server.forms import SCOPES, MadeToken, Scope, Token, WithdrawnGames, chosen
from rulezero.fleet.worker.processes import WorkStatus, work

if TYPE_CHECKING:
    import httpx

__all__ = [
    "SCOPES",
    "MadeToken",
    "Token",
    "Tokens",
    "WorkStatus",
    "read_token",
    "scope_of",
    "serve",
    "tokens",
    "work",
]

_TIMEOUT = 30.0  # seconds


def serve(
    run: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8642,  # 0: a free one
    database: str | None = None,
    lease_seconds: float = 60.0,
    on_ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serves games to workers until SIGTERM or Ctrl-C; the data is in the folder `fleet` of a run.

    `database` is a PostgreSQL URL (default: an SQLite file in that folder). A worker that makes no
    progress for `lease_seconds` loses its games to others. `on_ready` gets the server's address.
    """
    check_server_packages()
    if not lease_seconds > 0:
        raise RunError(f"lease_seconds={lease_seconds:g}: give a number of seconds above 0")
    from rulezero.fleet.server.http.app import serve as run_server
    from rulezero.fleet.server.service import Place

    if Path(run).exists() and not Path(run).is_dir():
        raise RunError(f"--fleet must name a folder, and '{run}' is a file")
    run_server(Place(_folder(run), database, lease_seconds), host, port, on_ready)


class Tokens(Protocol):
    """The tokens of a server. A token is named by its id, or by its name if no other has it."""

    def new(self, name: str, scopes: Sequence[Scope]) -> MadeToken:
        """Makes a token; its secret is shown only now."""

    def all(self) -> list[Token]:
        """All tokens in the order of their creation."""

    def revoke(self, given: str) -> Token:
        """Revokes a token; the server notices it within a second."""

    def flag(self, given: str, reason: str) -> Token:
        """Marks a token for a person to look at; an empty reason removes the mark."""

    def withdraw(self, given: str) -> int:
        """Withdraws the games that a token has delivered so far; returns their number.

        Nets no longer learn from them.
        """


@contextlib.contextmanager
def tokens(
    run: str | Path | None = None,
    *,
    database: str | None = None,
    server: str | None = None,
    token: str | None = None,
) -> Iterator[Tokens]:
    """The tokens of the server of a run, or of one elsewhere, for which you need an admin's token.

    Those of a run can be changed whether its server runs or not.
    """
    check_server_packages()
    if run is None and server is None:
        raise RunError("give --fleet with the server's folder, or --server with its URL")
    if run is not None and server is not None:
        raise RunError("give --fleet or --server, not both")
    if server is not None:
        import httpx

        if not token:
            raise RunError("changing tokens by the server needs an admin's token")
        headers = {"Authorization": f"Bearer {token}", "Rulezero": HANDSHAKE}
        try:
            with httpx.Client(
                base_url=read_address(server), headers=headers, timeout=_TIMEOUT
            ) as client:
                yield _RemoteTokens(client)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise FleetError(f"the server '{server}' cannot be reached: {error}") from error
        return
    from rulezero.fleet.server.database import FILE, open_database
    from rulezero.fleet.server.tokens import TokenTable

    assert run is not None
    folder = _folder(run)
    if not folder.is_dir():
        raise RunError(
            f"there is no fleet in '{run}': start `rulezero serve --fleet {quote(str(run))}` first"
        )
    if database is None and not (folder / FILE).is_file():
        raise RunError(f"there is no database in '{folder}': give --database, as to the server")
    engine = open_database(folder, database)
    try:
        yield TokenTable(engine)
    finally:
        engine.dispose()


class _RemoteTokens:
    """The tokens of a server, by its routes for admins."""

    def __init__(self, client: "httpx.Client") -> None:
        self._client = client

    def new(self, name: str, scopes: Sequence[Scope]) -> MadeToken:
        """Makes a token."""
        given = self._ask("POST", "", {"name": name, "scopes": list(scopes)})
        return MadeToken.model_validate(given)

    def all(self) -> list[Token]:
        """All tokens."""
        return [Token.model_validate(each) for each in self._ask("GET", "")]

    def revoke(self, given: str) -> Token:
        """Revokes a token."""
        token = chosen(self.all(), given, is_active=True)
        return Token.model_validate(self._ask("DELETE", f"/{token.id}"))

    def flag(self, given: str, reason: str) -> Token:
        """Marks a token."""
        path = f"/{self._id(given)}/flag"
        return Token.model_validate(self._ask("POST", path, {"reason": reason}))

    def withdraw(self, given: str) -> int:
        """Withdraws the games of a token."""
        path = f"/{self._id(given)}/withdraw"
        return WithdrawnGames.model_validate(self._ask("POST", path)).games

    def _id(self, given: str) -> str:
        return chosen(self.all(), given).id

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        answer = self._client.request(method, f"/v1/tokens{path}", json=body)
        if answer.is_success:
            return answer.json()
        try:
            error = cast(dict[str, str], answer.json())["error"]
        except (ValueError, KeyError, TypeError):
            error = f"it answered {answer.status_code}, which is not an answer of rulezero's server"
        raise FleetError(f"the server refused: {error}")


def scope_of(text: str) -> Scope:
    """The scope of this name; RunError if there is none."""
    if text not in SCOPES:
        raise RunError(f"there is no scope '{text}'{among(text, SCOPES)}")
    return text


def _folder(run: str | Path) -> Path:
    if not str(run):
        raise RunError("--fleet '' is not a folder's name: give one, such as public")
    return Path(run) / "fleet"
