"""The page's server as a process, and a client that speaks to it as a browser does."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

Message = dict[str, Any]
_PATIENCE = 60.0  # seconds


class PageServer:
    """`rulezero serve` with a folder of runs."""

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.place = folder / "runs"
        self._log = folder / "page.log"
        command = [sys.executable, "-m", "rulezero", "serve", "--runs", str(self.place)]
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, "--port", "0", *options],
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
            )
        assert self.process.stdout is not None
        self.owner_url = self.process.stdout.readline().strip()
        if "#owner=" not in self.owner_url:
            self.process.kill()
            raise AssertionError(f"it does not serve: {self.owner_url}{self.log()}")
        self.url, _, self.secret = self.owner_url.partition("/#owner=")

    def log(self) -> str:
        """What it has written to stderr so far."""
        return self._log.read_text(encoding="utf-8")

    def close(self) -> None:
        """Ends it."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        finally:
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()

    def visitor(self, *, is_owner: bool = False) -> httpx.Client:
        """A new visitor, for a `with` block."""
        if is_owner:
            asked = httpx.post(f"{self.url}/api/owner", json={"secret": self.secret})
        else:
            asked = httpx.get(f"{self.url}/api/me")
        cookies = asked.raise_for_status().cookies
        return httpx.Client(base_url=self.url, timeout=_PATIENCE, cookies=cookies)


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[PageServer]:
    """A server that ends with the block."""
    server = PageServer(folder, *options)
    try:
        yield server
    finally:
        server.close()


class Page:
    """An open page of a visitor: its WebSocket, and the game that it shows."""

    def __init__(self, server: PageServer, visitor: httpx.Client, **headers: str) -> None:
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        self._connecting = connect(
            server.url.replace("http", "ws", 1) + "/ws/play",
            additional_headers={"Cookie": cookie, **headers},
            origin=None if "Origin" in headers else server.url,  # type: ignore[arg-type]
            max_size=None,
        )
        self.table: Message = {}
        self.position: Message = {}
        self.plies: list[Message] = []

    def __enter__(self) -> "Page":
        self._socket: ClientConnection = self._connecting.__enter__()
        return self

    def __exit__(self, *reason: Any) -> None:
        self._connecting.__exit__(*reason)

    def say(self, do: str, **fields: Any) -> None:
        """Sends a message."""
        self._socket.send(json.dumps({"do": do, **fields}))

    def send(self, text: str | bytes) -> None:
        """Sends any text, or a binary message."""
        self._socket.send(text)

    def hear(self) -> Message:
        """The next message, which also changes what the page shows."""
        message: Message = json.loads(self._socket.recv(timeout=_PATIENCE))
        if message["event"] == "table":
            self.table, self.plies = message, message["plies"]
            self.position = message["position"]
        elif message["event"] == "position":
            self.position = message["position"]
            self.plies = self.plies[: message["from"]] + message["plies"]
        return message

    def until(self, is_enough: Callable[[Message], bool]) -> Message:
        """Reads messages until one is enough; returns it."""
        while True:
            message = self.hear()
            if is_enough(message):
                return message

    def until_event(self, event: str) -> Message:
        """Reads messages until one of this kind; returns it."""
        return self.until(lambda message: bool(message["event"] == event))

    def until_asked(self) -> None:
        """Reads messages until a person must choose, or the game is over."""
        if not self._is_ready():
            self.until(lambda _: self._is_ready())

    def _is_ready(self) -> bool:
        return bool(self.position and (self.position["moves"] or self.position["over"]))

    def is_closed(self) -> bool:
        """Waits until the server closes the connection."""
        try:
            while True:
                self._socket.recv(timeout=_PATIENCE)
        except ConnectionClosed:
            return True
