"""The HTTP application, and the server that runs it."""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulezero.fleet.listening import in_url, listening
from rulezero.fleet.server.http import admin, routes
from rulezero.fleet.server.http.answers import add_error_answers
from rulezero.fleet.server.http.gate import Gate
from rulezero.fleet.server.http.routes import Host
from rulezero.fleet.server.locks import only_server
from rulezero.fleet.server.log import write_log
from rulezero.fleet.server.metrics import Metrics
from rulezero.fleet.server.service import Place, Service
from rulezero.version import __version__

_GRACE_SECONDS = 20  # for requests in work when the server is stopped
_BACKLOG = 2_048  # connections that wait to be accepted


def application(service: Service) -> FastAPI:
    """The application of a service, which it starts and stops."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    app = FastAPI(
        title="rulezero fleet",
        version=__version__,
        summary="Gives games to workers, checks what they upload, and keeps it for the trainer.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.host = Host(service, Gate(service.tokens))
    app.include_router(routes.router)
    app.include_router(admin.router)
    add_error_answers(app)
    app.add_middleware(_Timed, metrics=service.metrics)
    return app


class _Timed:
    """Measures how long requests take."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def noting(event: Message) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
            await send(event)

        try:
            await self._app(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            taken = time.perf_counter() - begun
            self._metrics.seconds.labels(f"{scope['method']} {route}", str(status)).observe(taken)
            if status in (429, 503):
                self._metrics.busy.labels(str(status)).inc()


class Server(uvicorn.Server):
    """Serves a fleet until it is stopped, by a signal or by stop()."""

    def __init__(self, place: Place, on_ready: Callable[[str], None]) -> None:
        self._service = Service(place)
        self._on_ready = on_ready
        config = uvicorn.Config(
            application(self._service),
            log_config=None,
            access_log=False,
            lifespan="on",
            backlog=_BACKLOG,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            server_header=False,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to listen, and says where."""
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            self._on_ready(f"http://{in_url(host)}:{port}")

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stops the server gracefully on SIGTERM and Ctrl-C."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        before = {
            number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(self.stop))
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def stop(self) -> None:
        """Stops gracefully: requests in work are answered; a second call does not wait for them."""
        self._service.wake()
        self.force_exit = self.should_exit
        self.should_exit = True


def serve(place: Place, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serves a fleet until SIGTERM or Ctrl-C; `on_ready` gets the address."""
    place.folder.mkdir(parents=True, exist_ok=True)
    with only_server(place.folder), listening(host, port) as opened:
        write_log()
        asyncio.run(Server(place, on_ready).serve([opened]))
