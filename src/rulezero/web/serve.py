"""Runs the page's server."""

import asyncio
import ipaddress
import logging
import re
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from rulezero.errors import RunError
from rulezero.fleet.listening import listening, public_url
from rulezero.machine import cores
from rulezero.web.app import application
from rulezero.web.clients import Clients
from rulezero.web.games import Games
from rulezero.web.gate import Host
from rulezero.web.limits import MOST_BYTES
from rulezero.web.log import LOG
from rulezero.web.play.tables import Tables
from rulezero.web.play.thinker import Thinker
from rulezero.web.visitors import Visitors

_GRACE_SECONDS = 1
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,200}")


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

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the application, also after a second Ctrl-C, when uvicorn only cancels it."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

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
    proxies: Sequence[str],
    secret_file: Path | None,
    on_ready: Callable[[str], None],
) -> None:
    """Serves the page until SIGTERM or Ctrl-C: see `serve_page`."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    secret = secrets.token_urlsafe(24) if secret_file is None else _kept_secret(secret_file)
    _check_addresses(proxies)
    if names and not proxies:
        LOG.warning("all visitors behind the proxy share one limit: give its address, --proxy")
    with listening(host, port) as opened:
        address, actual = opened.getsockname()[:2]
        clients = Clients()
        about = Host(
            games=Games(games),
            thinker=Thinker(processes or cores()),
            visitors=Visitors(secret),
            place=place,
            is_local=ipaddress.ip_address(address).is_loopback,
            clients=clients,
            tables=Tables(clients),
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
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            ws_max_size=4 * MOST_BYTES,
        )
        server = _Server(config, lambda: on_ready(url))
        asyncio.run(server.serve([opened]))


def _kept_secret(file: Path) -> str:
    """The secret in a file, which is made with a new one if there is none. RunError."""
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_text(f"{secrets.token_urlsafe(24)}\n", encoding="utf-8")
        found = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"'{file}' is not a file with a secret: {error}") from None
    if not _SECRET.fullmatch(found):
        raise RunError(
            f"'{file}' has no secret of 16 to 200 letters, digits, '-' and '_': name a new file,"
            " and a secret is made"
        )
    return found


def _check_addresses(proxies: Sequence[str]) -> None:
    for each in proxies:
        try:
            ipaddress.ip_network(each)
        except ValueError:
            raise RunError(
                f"--proxy: {each[:60]!r} is not an address such as 127.0.0.1 or 10.0.0.0/8"
            ) from None
