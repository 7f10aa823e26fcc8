"""What every request passes before it is served: its token, the handshake, its rate and size."""

from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from rulezero.fleet.protocol import PROTOCOL, FleetError, decode
from rulezero.fleet.server.forms import Scope, Token
from rulezero.fleet.server.limits import MOST_UPLOAD_BYTES
from rulezero.fleet.server.tokens import TokenCache
from rulezero.version import __version__

Message = TypeVar("Message", bound=msgspec.Struct)


class Gate:
    """Admits requests."""

    def __init__(self, tokens: TokenCache) -> None:
        self._tokens = tokens
        self._in_memory = 0  # bytes of bodies that are being read or checked

    async def admit(
        self, request: Request, handshake: str | None, *scopes: Scope, is_for_people: bool = False
    ) -> Token:
        """The token of a request, which has one of these scopes (none: any token will do).

        The answer `is_for_people` if it is JSON that a request without a handshake may read.
        """
        kind, _, secret = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not secret:
            raise FleetError("give a token: Authorization: Bearer TOKEN", 401)
        token = await self._tokens.find(secret.strip())
        if token is None:
            raise FleetError(
                "there is no such token, or it was revoked: ask the server's owner for a new one"
                " (`rulezero token new`)",
                401,
            )
        protocol = (handshake or "").split(" ")[0]
        if protocol != str(PROTOCOL) and not (is_for_people and handshake is None):
            asked = (
                f"the request speaks {protocol[:20]!a}" if protocol else "the request names none"
            )
            raise FleetError(
                f"this server speaks protocol {PROTOCOL} (rulezero {__version__}), and {asked}: use"
                " the same version of rulezero on both sides",
                426,
            )
        if scopes and not set(scopes) & set(token.scopes):
            needed = " or ".join(scopes)
            raise FleetError(f"the token has no scope {needed}: ask for one that has it", 403)
        meter = self._tokens.meter(token)
        wait = max(meter.requests.take(), meter.refusals.take(0), meter.games.take(0))
        if wait > 0:
            raise FleetError("the token has reached its limit", 429, wait)
        return token

    def use(self, token: Token, *, uploaded: int = 0, stored: int = 0, refused: int = 0) -> None:
        """Counts what a token has used."""
        meter = self._tokens.meter(token)
        meter.uploaded.take(uploaded)
        meter.games.take(stored)
        meter.refusals.take(refused)

    def reserve(self, request: Request, token: Token, most: int) -> "Reserved":
        """Room in memory for the body of a request of at most this size."""
        wait = self._tokens.meter(token).uploaded.take(0)
        if wait > 0:
            raise FleetError("the token has uploaded too much", 429, wait)
        given = request.headers.get("content-length", "")
        size = int(given) if given.isdecimal() and len(given) < 20 else most
        if size > most and given:
            raise FleetError(f"the body has {size:,} bytes; the limit is {most:,}", 413)
        if self._in_memory + size > MOST_UPLOAD_BYTES:
            raise FleetError("the server is busy with uploads", 503)
        return Reserved(self, request, size)

    def hold(self, size: int) -> None:
        """Counts bytes that are held in memory; a negative size frees them."""
        self._in_memory += size


class Reserved:
    """Room for one body, inside a `with` block."""

    def __init__(self, gate: Gate, request: Request, size: int) -> None:
        self._gate = gate
        self._request = request
        self._size = size

    def __enter__(self) -> "Reserved":
        self._gate.hold(self._size)
        return self

    def __exit__(self, *_: object) -> None:
        self._gate.hold(-self._size)

    async def body(self) -> bytes:
        """The body. Reading stops where it exceeds the limit."""
        return await read_body(self._request, self._size)


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request; reading stops where it exceeds the limit."""
    pieces, size = [], 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise FleetError(f"the body has more than {most:,} bytes", 413)
            pieces.append(piece)
    except ClientDisconnect as error:
        raise FleetError("the body ended early", 400) from error
    return b"".join(pieces)


def read_message(body: bytes, form: type[Message]) -> Message:
    """The message of a body; it is answered with 400 if it is not one."""
    try:
        return decode(body, form)
    except (FleetError, ValueError, RecursionError) as error:
        raise FleetError(str(error), 400) from error
