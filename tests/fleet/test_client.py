"""The client of a server: what is tried again, what is not, and what people read."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rulezero.fleet.client import Client, pause_before, read_address, read_token
from rulezero.fleet.protocol import (
    HANDSHAKE,
    MOST_BYTES,
    FleetError,
    Hello,
    LeaseRequest,
    Machine,
    encode,
)

TOKEN = "rz_0123456789"
HELLO = encode(Hello(protocol=1, version="0", scopes=["worker"], token="t"))
REQUEST = LeaseRequest(worker="w", machine=Machine(instructions="x", runtime="y"), games=1)


class Answers(ThreadingHTTPServer):
    """A server that gives these answers, one after the other, and then the last one again."""

    daemon_threads = True

    def __init__(self, answers: list[tuple[int, dict[str, str], bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Answers
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = min(len(self.server.asked), len(self.server.answers) - 1)
        status, headers, body = self.server.answers[number]
        self.server.asked.append(f"{self.command} {self.path}")
        self.server.headers.append({name.lower(): text for name, text in self.headers.items()})
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@contextmanager
def answering(*answers: tuple[int, dict[str, str], bytes]) -> Iterator[tuple[Answers, Client]]:
    """A server with these answers, and a client of it."""
    server = Answers([*answers])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    client = Client(server.url, TOKEN)
    try:
        yield server, client
    finally:
        client.close()
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_busy_server_is_asked_again() -> None:
    """503, 429 and 500 are tried again. Trouble is reported once, and its end, too."""
    busy = (503, {"Retry-After": "0.05"}, b'{"error": "busy"}')
    news: list[str] = []
    answers = [busy, (429, {}, b""), (500, {}, b"<html>"), (200, {}, HELLO)]
    with answering(*answers) as (server, _):
        client = Client(server.url, TOKEN, on_trouble=news.append)
        assert client.hello().scopes == ["worker"]
        client.close()
    assert server.asked == ["GET /v1/hello"] * 4
    assert server.headers[0]["authorization"] == f"Bearer {TOKEN}"
    assert server.headers[0]["rulezero"] == HANDSHAKE
    assert news == [f"{server.url} answered 503: busy; trying again", ""]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 426])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    """The error has the server's words in one line, and its status."""
    body = b'{"error": "no,\\nnot \\u001b[31mthis"}'
    with answering((status, {}, body)) as (server, client):
        with pytest.raises(FleetError) as caught:
            client.lease(REQUEST)
        assert server.asked == ["POST /v1/leases"]
    assert str(caught.value) == f"{server.url}: no, not ?[31mthis"
    assert str(caught.value).isprintable()
    assert caught.value.status == status


def test_https_at_a_server_that_speaks_http_is_an_error() -> None:
    """Trying again would not help."""
    with answering((200, {}, HELLO)) as (server, _):
        client = Client(server.url.replace("http:", "https:"), TOKEN)
        with pytest.raises(FleetError, match=f"speaks http, without TLS: give {server.url}$"):
            client.hello()
        client.close()


def test_patience_ends() -> None:
    """A worker's reports and uploads are not repeated; the error says when to try again."""
    with answering((503, {"Retry-After": "7"}, b"{}")) as (server, client):
        with pytest.raises(FleetError) as caught:
            client.upload(b"")
        assert len(server.asked) == 1
        assert (caught.value.status, caught.value.pause) == (503, 7)
        with pytest.raises(FleetError, match="answered 503"):
            client.hello(patience=0)


def test_waiting_ends_when_a_worker_stops() -> None:
    """A client that waits for a server raises the last error when it is stopped."""
    stop = threading.Event()
    client = Client("http://127.0.0.1:1", TOKEN, stop=stop, on_trouble=lambda _: stop.set())
    with pytest.raises(FleetError, match=r"cannot be reached .*: check the address") as caught:
        client.hello()
    client.close()
    assert caught.value.status == 0


@pytest.mark.parametrize(
    ("status", "headers", "body", "words"),
    [
        (200, {}, b"x" * (MOST_BYTES + 1), f"sent more than {MOST_BYTES} bytes"),
        (200, {}, b"<html>", "the body is not a message LeaseAnswer"),
        (302, {"Location": "http://127.0.0.1:1/"}, b"", "answered 302"),
    ],
)
def test_large_and_foreign_answers_are_refused(
    status: int, headers: dict[str, str], body: bytes, words: str
) -> None:
    """An answer is bounded while it is read, must be a message, and leads nowhere else."""
    with (
        answering((status, headers, body)) as (_, client),
        pytest.raises(FleetError, match=words),
    ):
        client.lease(REQUEST)


def test_another_net_is_refused() -> None:
    """The digest of a net is compared with the one that the lease names."""
    with (
        answering((200, {}, b"another net")) as (_, client),
        pytest.raises(FleetError, match="sent another net"),
    ):
        client.net("0" * 64)


def test_pauses_grow_and_are_drawn() -> None:
    """Full jitter: between nothing and a bound that doubles, and what a server asks for."""
    for tries, most in ((0, 0.25), (3, 2.0), (50, 30.0)):
        drawn = [pause_before(tries) for _ in range(200)]
        assert 0 <= min(drawn) < most / 4
        assert most / 2 < max(drawn) <= most
    assert min(pause_before(0, 5.0) for _ in range(100)) >= 5


def test_addresses_and_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token comes from the option, from a file or from the environment, never from a guess."""
    assert read_address("https://games.example.org/") == "https://games.example.org"
    for wrong in ("localhost:8642", "ftp://x", "http://", "http://x:99999999", "", "http://[x"):
        with pytest.raises(FleetError, match="is not the address of a server"):
            read_address(wrong)
    for wrong in ("http://x:1/v1", "http://x:1?x=1", "http://x:1/#f", "http://x:1#f"):
        with pytest.raises(FleetError, match=r"give it without a path, as http://x:1$"):
            read_address(wrong)
    monkeypatch.delenv("RULEZERO_TOKEN", raising=False)
    with pytest.raises(FleetError, match="there is no token: give --token @FILE"):
        read_token()
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    assert read_token(f"@{tmp_path / 'token'}") == TOKEN
    monkeypatch.setenv("RULEZERO_TOKEN", TOKEN)
    assert read_token() == TOKEN
    assert read_token("rz_another_one") == "rz_another_one"
    with pytest.raises(FleetError, match="No such file"):
        read_token("@nowhere")
    with pytest.raises(FleetError, match="'@' names no file: give token=@FILE in --fleet"):
        read_token("@", "token=@FILE in --fleet")
    (tmp_path / "empty").touch()
    with pytest.raises(FleetError, match=r"the token's file '.*empty' is empty"):
        read_token(f"@{tmp_path / 'empty'}")
    for wrong in ("short", "with space in it", "x" * 300, "new\nline.....", "ümlaut....."):
        with pytest.raises(FleetError, match="this is not a token"):
            read_token(wrong)


_WORKERS_PACKAGES = """
import sys
for name in ("alembic", "fastapi", "prometheus_client", "ray", "sqlalchemy", "torch", "uvicorn"):
    sys.modules[name] = None
import rulezero.fleet.__main__, rulezero.fleet.worker.processes
from rulezero.cli import app
from rulezero.fleet.client import Client
Client("http://localhost", "rz_0123456789").close()
"""


def test_workers_need_few_packages() -> None:
    """A worker runs without torch and without the packages of the server."""
    subprocess.run([sys.executable, "-c", _WORKERS_PACKAGES], check=True, timeout=300)
