"""What every request passes first: the visitor's cookie, and who may ask from where."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulezero.web.clients import Client, Clients
from rulezero.web.games import Games
from rulezero.web.limits import MOST_BYTES
from rulezero.web.log import log_refusal
from rulezero.web.play.tables import Tables
from rulezero.web.play.thinker import Thinker
from rulezero.web.visitors import COOKIE, Visitor, Visitors

_LOCAL = ("localhost", "127.0.0.1", "::1")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self';"
    " img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Host(NamedTuple):
    """What the routes use."""

    games: Games
    thinker: Thinker
    visitors: Visitors
    place: Path  # the folder with the owner's runs and stores
    is_local: bool  # whether only this machine can reach the server
    clients: Clients
    tables: Tables
    names: tuple[str, ...] = ()  # by which a reverse proxy serves it

    def client_of(self, connection: HTTPConnection, visitor: Visitor) -> Client:
        """Whose share of the server a visitor uses."""
        return self.clients.owner if visitor.is_owner else self.clients.of(connection)

    @property
    def people(self) -> Path:
        """The store with people's games that the owner has saved."""
        return self.place / "human_games"


def host_of(connection: HTTPConnection) -> Host:
    """What the routes use."""
    host: Host = connection.app.state.host
    return host


def visitor_of(connection: HTTPConnection, host: Host) -> Visitor | None:
    """The visitor whose cookie a request has."""
    return host.visitors.find(connection.cookies.get(COOKIE))


def visitor(request: Request) -> Visitor:
    """The visitor of a request; 401 if there is none."""
    found = visitor_of(request, host_of(request))
    if found is None:
        raise HTTPException(401, "reload the page: the server does not know this visitor")
    return found


def owner(request: Request) -> Visitor:
    """The owner of the server; 403 for others."""
    found = visitor(request)
    if not found.is_owner:
        raise HTTPException(
            403,
            "only the owner of this server may do this: open the address that `rulezero serve`"
            " has printed",
        )
    return found


At = Annotated[Host, Depends(host_of)]
AnyVisitor = Annotated[Visitor, Depends(visitor)]
Owner = Annotated[Visitor, Depends(owner)]


class Gate:
    """Refuses requests of other web pages, and large bodies; adds headers for the browser.

    A page of another site could otherwise use a visitor's cookie, or reach a server that listens
    only on this machine, by a name that it resolves to 127.0.0.1.
    """

    def __init__(self, app: ASGIApp, host: Host) -> None:
        self._app = app
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            code, why = 403, self._fault(scope, headers)
        except ValueError:  # of urlsplit
            code, why = 400, "the address of the request or its Origin is malformed"
        if why is not None:
            log_refusal(HTTPConnection(scope), why)
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": why[:120]})
            else:
                await JSONResponse({"error": why}, code)(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        await self._app(scope, _limited(receive), _with_headers(send))

    def _fault(self, scope: Scope, headers: Headers) -> str | None:
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if self._host.is_local and name not in (*_LOCAL, *self._host.names):
            return (
                f"this server is for this machine, not for {name[:60]!r}: if a reverse proxy serves"
                " it by this name, give --name NAME"
            )
        origin = headers.get("origin")
        urlsplit(origin or "")  # a malformed one is refused in any case
        if scope["type"] == "websocket" and origin is None:
            return "a WebSocket needs an Origin"
        is_safe = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if origin is not None and not is_safe and origin.lower() not in self._own(scope, host):
            return f"the request comes from another site, {origin[:60]!r}"
        kind = headers.get("content-type", "")
        if not is_safe and scope["type"] == "http" and not kind.startswith("application/json"):
            return "the body must be JSON"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > 2 * MOST_BYTES:
            return f"the body is larger than {2 * MOST_BYTES} bytes"
        return None

    def _own(self, scope: Scope, host: str) -> set[str]:
        """The Origins of the server's own page. A reverse proxy that it names may have TLS."""
        is_safe = scope["scheme"] in ("https", "wss")
        schemes = {"https" if is_safe else "http"}
        if urlsplit(f"//{host}").hostname in self._host.names:
            schemes.add("https")
        return {f"{scheme}://{host}".lower() for scheme in schemes}


def _limited(receive: Receive) -> Receive:
    """The same request, which ends as soon as its body is too large."""
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > 2 * MOST_BYTES:
            raise HTTPException(413, f"the body is larger than {2 * MOST_BYTES} bytes")
        return message

    return limited


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
