"""Runs the page's server."""

import asyncio
import ipaddress
import logging
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from rulezero.fleet.listening import listening, public_url
from rulezero.machine import cores
from rulezero.web.app import application
from rulezero.web.games import Games
from rulezero.web.gate import Host
from rulezero.web.limits import MOST_BYTES
from rulezero.web.play.thinker import Thinker
from rulezero.web.visitors import Visitors

_GRACE_SECONDS = 1


class _Server(uvicorn.Server):
    """A server that says when it listens, and ends at the first Ctrl-C."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to listen."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends at Ctrl-C or SIGTERM."""
        loop = asyncio.get_running_loop()

        def stop(*_: object) -> None:
            self.force_exit = self.should_exit  # a second Ctrl-C does not wait for open pages
            self.should_exit = True

        before = {
            number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run_server(
    place: Path,
    host: str,
    port: int,
    games: Sequence[str],
    processes: int,
    names: Sequence[str],
    on_ready: Callable[[str], None],
) -> None:
    """Serves the page until SIGTERM or Ctrl-C: see `serve_page`."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    secret = secrets.token_urlsafe(24)
    with listening(host, port) as opened:
        address, actual = opened.getsockname()[:2]
        about = Host(
            games=Games(games),
            thinker=Thinker(processes or cores()),
            visitors=Visitors(secret),
            place=place,
            is_local=ipaddress.ip_address(address).is_loopback,
            names=tuple(names),
        )
        named = f"http://localhost:{actual}" if about.is_local else public_url(address, actual)
        url = f"{named}/#owner={secret}"
        config = uvicorn.Config(
            application(about),
            log_config=None,
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=_GRACE_SECONDS,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=4 * MOST_BYTES,
        )
        server = _Server(config, lambda: on_ready(url))
        asyncio.run(server.serve([opened]))
