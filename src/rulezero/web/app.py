"""The application: the page's files, and the routes of its views."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from msgspec import json
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.gzip import GZipMiddleware

import rulezero as rz
from rulezero.games import board
from rulezero.play.binding import check_player
from rulezero.web import editor, rules, shown, watch
from rulezero.web.gate import AnyVisitor, At, Gate, Host, visitor_of
from rulezero.web.levels import say_result
from rulezero.web.limits import MOST_BYTES
from rulezero.web.log import LOG, log_refusal
from rulezero.web.play import socket
from rulezero.web.play.budget import admitted
from rulezero.web.runs import routes as runs
from rulezero.web.visitors import COOKIE, Visitor
from rulezero.web.wording import for_page, malformed_body

_STATIC = Path(str(resources.files("rulezero.web"))) / "static"

router = APIRouter()


class Secret(BaseModel):
    """What the owner of the server knows."""

    model_config = ConfigDict(extra="forbid")
    secret: Annotated[str, Field(max_length=200)]


class PositionWanted(BaseModel):
    """A position that the page asks about."""

    model_config = ConfigDict(extra="forbid")
    game: Annotated[str, Field(max_length=2000)]
    pieces: Annotated[str | None, Field(max_length=MOST_BYTES)] = None
    start: Annotated[str | None, Field(max_length=2000)] = None
    seed: Annotated[int | None, Field(ge=0, lt=2**53)] = None


class PlayerWanted(BaseModel):
    """A player that the page asks about."""

    model_config = ConfigDict(extra="forbid")
    game: Annotated[str, Field(max_length=2000)]
    pieces: Annotated[str | None, Field(max_length=MOST_BYTES)] = None
    seat: Annotated[int, Field(ge=0, le=1)]
    player: Annotated[str, Field(max_length=2000)]


def answer(value: object) -> Response:
    """JSON of msgspec's structs, or of plain values."""
    return Response(json.encode(value), media_type="application/json")


@router.get("/")
async def index() -> Response:
    """The page."""
    return FileResponse(_STATIC / "index.html", headers={"Cache-Control": "no-cache"})


@router.get("/board.js")
async def board_js() -> Response:
    """The board that page, notebooks and reports share."""
    headers = {"Cache-Control": "no-cache"}
    return Response(board.source(), media_type="text/javascript", headers=headers)


@cache
def _plotly() -> bytes:
    """The library for charts, compressed once: it has five megabytes."""
    from plotly.offline import get_plotlyjs

    return gzip.compress(str(get_plotlyjs()).encode(), 6)


@router.get("/plotly.js")
def plotly() -> Response:
    """The library for charts."""
    headers = {"Cache-Control": "public, max-age=86400", "Content-Encoding": "gzip"}
    return Response(_plotly(), media_type="text/javascript", headers=headers)


@router.get("/api/me")
async def me(request: Request, host: At) -> Response:
    """Who asks. A new visitor gets a cookie."""
    visitor = visitor_of(request, host) or host.visitors.welcome()
    found = answer({"owner": visitor.is_owner, "version": rz.__version__})
    return _with_cookie(request, found, visitor)


@router.post("/api/owner")
async def become_owner(request: Request, wanted: Secret, host: At) -> Response:
    """Makes a visitor the owner, who knows the secret that the server has printed."""
    if not host.visitors.knows(wanted.secret):
        log_refusal(request, "a wrong secret of the owner")
        raise HTTPException(403, "the secret is wrong: copy the address that the server printed")
    owner = host.visitors.admit_owner(visitor_of(request, host))
    return _with_cookie(request, answer({"owner": True}), owner)


def _with_cookie(request: Request, found: Response, visitor: Visitor) -> Response:
    found.headers["Cache-Control"] = "no-store"
    is_secure = request.url.scheme == "https"
    found.set_cookie(
        COOKIE, visitor.name, max_age=30 * 86_400, httponly=True, samesite="lax", secure=is_secure
    )
    return found


@router.get("/api/games")
async def games(host: At) -> Response:
    """The games of the page."""
    return answer({"games": [shown.meta(host.games.open(name)) for name in host.games.names()]})


@router.post("/api/position")
async def position(wanted: PositionWanted, host: At, _: AnyVisitor) -> Response:
    """A position with its moves; an error says what is wrong with its text."""
    game = host.games.open(wanted.game, wanted.pieces)
    state = game.start(seed=wanted.seed or 0) if wanted.start is None else game.parse(wanted.start)
    if wanted.start is not None and state.is_over:
        words = say_result(state.outcome or 0.0, state.end_reason, game)
        raise rz.GameError(f"the game is already over in this position ({words}): choose another")
    return answer(shown.position(state, is_asked=not state.is_over))


@router.post("/api/player")
def player(wanted: PlayerWanted, host: At, visitor: AnyVisitor) -> Response:
    """The player of a text; an error says why it cannot play this game for this visitor."""
    game = host.games.open(wanted.game, wanted.pieces)
    found = admitted(wanted.player, game, wanted.seat, is_owner=visitor.is_owner)
    check_player(found, game)
    return answer({"player": found.text})


def application(host: Host) -> FastAPI:
    """The application, which starts and ends the search processes."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await host.thinker.start()
        try:
            yield
        finally:
            host.visitors.close()
            host.thinker.close()
            host.games.close()

    app = FastAPI(
        title="rulezero page", version=rz.__version__, lifespan=lifespan, docs_url=None,
        redoc_url=None, openapi_url=None,
    )  # fmt: skip
    app.state.host = host
    app.include_router(router)
    app.include_router(socket.router)
    app.include_router(rules.router)
    app.include_router(editor.router)
    app.include_router(watch.router)
    app.include_router(runs.router)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    _add_error_answers(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000)
    app.add_middleware(Gate, host=host)
    return app


def _add_error_answers(app: FastAPI) -> None:
    """Answers every error with one line of JSON."""

    @app.exception_handler(rz.RulezeroError)
    async def refused(request: Request, error: rz.RulezeroError) -> JSONResponse:
        log_refusal(request, str(error))
        return JSONResponse({"error": for_page(str(error))}, 422)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        words = malformed_body(error.errors()[0])
        log_refusal(request, words)
        return JSONResponse({"error": for_page(words)}, 400)

    @app.exception_handler(StarletteHTTPException)
    async def failed(request: Request, error: StarletteHTTPException) -> JSONResponse:
        if error.status_code != 404:
            log_refusal(request, str(error.detail))
        return JSONResponse({"error": for_page(str(error.detail))}, error.status_code)

    @app.exception_handler(Exception)
    async def crashed(_: Request, error: Exception) -> JSONResponse:
        LOG.error("a request failed", exc_info=error)
        return JSONResponse({"error": "the server failed; its log says why"}, 500)
