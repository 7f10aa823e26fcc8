"""How routes answer: msgpack for messages, one line of JSON for errors; and what OpenAPI says."""

import math
import random
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from rulezero._core import RulezeroError
from rulezero.fleet.protocol import FleetError, encode
from rulezero.fleet.server.forms import Error
from rulezero.fleet.server.inspection import one_line
from rulezero.fleet.server.limits import BUSY_SECONDS
from rulezero.fleet.server.log import log_error
from rulezero.fleet.server.writer import StoreError

MSGPACK = "application/msgpack"

_WORDS = {
    400: "The request is not of the right form.",
    401: "There is no token, or it was revoked.",
    403: "The token has not the scope.",
    404: "There is no such thing, or the token does not have it.",
    413: "The body is too large.",
    422: "The content is refused.",
    426: "The handshake names another protocol.",
    429: "The token has reached a limit; see Retry-After.",
    503: "The server is busy; see Retry-After.",
}
_USUAL = (400, 401, 403, 426, 429, 503)


def message(content: msgspec.Struct, status: int = 200) -> Response:
    """An answer with a message of the protocol."""
    return Response(encode(content), status, media_type=MSGPACK)


def takes(form: type[msgspec.Struct]) -> dict[str, Any]:
    """What OpenAPI says about the body of a request with a message."""
    return {"requestBody": {"required": True, "content": _content(form)}}


def gives(form: type[msgspec.Struct] | None, *errors: int, status: int = 200) -> dict[Any, Any]:
    """What OpenAPI says about the answers: a message (None: JSON, or nothing), or errors."""
    found: dict[Any, Any] = {
        number: {"model": Error, "description": _WORDS[number]} for number in (*_USUAL, *errors)
    }
    if form is not None:
        found[status] = {"description": f"A message {form.__name__}.", "content": _content(form)}
    return found


def _content(form: type[msgspec.Struct]) -> dict[str, Any]:
    words = f"A message {form.__name__} of rulezero's protocol, in msgpack."
    return {MSGPACK: {"schema": {"type": "string", "format": "binary", "description": words}}}


def add_error_answers(app: FastAPI) -> None:
    """Answers every error with one line of JSON."""

    @app.exception_handler(RulezeroError)
    async def refused(_: Request, error: RulezeroError) -> JSONResponse:
        status = error.status if isinstance(error, FleetError) and error.status else 422
        if not isinstance(error, FleetError) or status not in (429, 503):
            return _answer(status, error)
        # A random time, so that those who ask again do not come all at once.
        pause = error.pause + BUSY_SECONDS * (1 + random.random())
        return _answer(status, f"{error}, retry in {pause:.1f} s", pause)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return _answer(400, f"{where}: {first['msg']}" if where else first["msg"])

    @app.exception_handler(HTTPException)
    async def failed(_: Request, error: HTTPException) -> JSONResponse:
        answer = _answer(error.status_code, error.detail)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(StoreError)
    @app.exception_handler(SQLAlchemyError)
    async def broken(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, StoreError):  # the writer has logged those
            log_error("the database does not answer", error)
        return _answer(503, "the server cannot store anything at the moment, retry in 5 s", 5.0)

    @app.exception_handler(Exception)
    async def crashed(_: Request, error: Exception) -> JSONResponse:
        log_error("a request failed", error)
        return _answer(500, "the server failed; its log says why")


def _answer(status: int, error: object, retry: float | None = None) -> JSONResponse:
    headers = {} if retry is None else {"Retry-After": str(math.ceil(retry))}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": one_line(error)}, status, headers)
