"""The routes for people: health, metrics, and tokens. Bodies are JSON."""

import asyncio
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ValidationError

from rulezero.errors import RunError
from rulezero.fleet.protocol import FleetError
from rulezero.fleet.server.forms import (
    Error,
    Health,
    MadeToken,
    NewToken,
    Reason,
    Token,
    WithdrawnGames,
)
from rulezero.fleet.server.http.answers import gives
from rulezero.fleet.server.http.gate import read_body
from rulezero.fleet.server.http.routes import At, Id, admitted
from rulezero.fleet.server.log import log_event
from rulezero.version import __version__

_LARGEST = 16 << 10  # bytes of a body

Admin = Annotated[Token, Depends(admitted("admin"))]


Form = TypeVar("Form", bound=BaseModel)


async def read_form(request: Request, form: type[Form]) -> Form:
    """The form in a body. Routes call this because FastAPI reads bodies of any size, and first."""
    try:
        return form.model_validate_json(await read_body(request, _LARGEST))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise FleetError(f"{where}: {first['msg']}", 400) from error


def takes_form(form: type[BaseModel]) -> dict[str, Any]:
    """What OpenAPI says about such a body."""
    content = {"application/json": {"schema": form.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}


router = APIRouter()


@router.get("/healthz", responses={503: {"model": Error, "description": "The database is away."}})
async def health(host: At) -> Health:
    """The server is there, and so is its database."""
    await host.service.check_health()
    return Health(version=__version__)


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(host: At) -> PlainTextResponse:
    """The server's metrics for Prometheus."""
    return PlainTextResponse(host.service.measure(), media_type="text/plain; version=0.0.4")


@router.get("/v1/tokens", responses=gives(None))
async def list_tokens(host: At, _: Admin) -> list[Token]:
    """All tokens, without their secrets."""
    return await asyncio.to_thread(host.service.token_table.all)


@router.post(
    "/v1/tokens", status_code=201, responses=gives(None, 413), openapi_extra=takes_form(NewToken)
)
async def make_token(request: Request, host: At, admin: Admin) -> MadeToken:
    """Makes a token; its secret is shown only now."""
    order = await read_form(request, NewToken)
    made = await asyncio.to_thread(host.service.token_table.new, order.name, order.scopes)
    await _changed(host, "token made", admin, made.token)
    return made


@router.delete("/v1/tokens/{token_id}", responses=gives(None, 404))
async def revoke_token(host: At, admin: Admin, token_id: Id) -> Token:
    """Revokes a token at once."""
    token = await _found(host, token_id)
    token = await asyncio.to_thread(host.service.token_table.revoke, token.id)
    await _changed(host, "token revoked", admin, token)
    return token


@router.post(
    "/v1/tokens/{token_id}/flag", responses=gives(None, 404, 413), openapi_extra=takes_form(Reason)
)
async def flag_token(request: Request, host: At, admin: Admin, token_id: Id) -> Token:
    """Marks a token for a person to look at; an empty reason removes the mark."""
    reason = await read_form(request, Reason)
    token = await _found(host, token_id)
    token = await asyncio.to_thread(host.service.token_table.flag, token.id, reason.reason)
    await _changed(host, "token flagged", admin, token)
    return token


@router.post("/v1/tokens/{token_id}/withdraw", responses=gives(None, 404))
async def withdraw_games(host: At, admin: Admin, token_id: Id) -> WithdrawnGames:
    """Withdraws the games that a token has delivered so far: nets no longer learn from them."""
    token = await _found(host, token_id)
    games = await asyncio.to_thread(host.service.token_table.withdraw, token.id)
    await _changed(host, "games withdrawn", admin, token)
    return WithdrawnGames(games=games)


async def _found(host: At, token_id: str) -> Token:
    try:
        return await asyncio.to_thread(host.service.token_table.find, token_id)
    except RunError as error:
        raise FleetError(str(error), 404) from error


async def _changed(host: At, event: str, admin: Token, token: Token) -> None:
    await host.service.tokens.refresh(0)
    log_event(event, by=admin.name, token=token.name, token_id=token.id)
