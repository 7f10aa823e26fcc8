"""Talks to a server of games over HTTP: for workers and for trainers."""

import contextlib
import math
import os
import random
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from rulezero.fleet.packages import install
from rulezero.fleet.protocol import (
    HANDSHAKE,
    MOST_BYTES,
    MOST_NET_BYTES,
    Delivery,
    FleetError,
    Hello,
    LeaseAnswer,
    LeaseRequest,
    NetBundle,
    ProgressReport,
    Receipt,
    Renewal,
    TaskOrder,
    TaskState,
    Withdrawn,
    decode,
    encode,
)
from rulezero.nets.card import digest

if TYPE_CHECKING:
    import httpx

TOKEN = "RULEZERO_TOKEN"  # the environment variable with a token
_SLOWEST = 30.0  # seconds between two bytes of an answer
_CONNECT = 10.0  # seconds
_QUICK = -25.0  # seconds in addition, for requests that may fail
_BACKOFF = (0.25, 30.0)  # seconds: the first and the longest interval in which a retry is drawn
_LONGEST_PAUSE = 300.0  # seconds that a server may ask for
_LONGEST_WORDS = 300  # characters of a server's error that are shown
FATAL = {401, 403, 426}  # answers after which nothing can go on with this token and version


class Client:
    """A connection to a server. Threads may share it.

    A request that fails for the moment is repeated for up to `patience` seconds, with exponential
    backoff and full jitter. `on_trouble` gets one line when this begins, and "" when an answer has
    come. FleetError says in one line what is wrong; its status is 0 if there was no answer.
    """

    def __init__(
        self,
        server: str,
        token: str,
        *,
        stop: threading.Event | None = None,  # ends all waiting
        on_trouble: Callable[[str], None] = lambda _: None,
    ) -> None:
        try:
            import httpx
        except ImportError as error:
            raise FleetError(
                f"a fleet of several machines needs httpx: {install('worker')} ({error})"
            ) from error
        self.server = read_address(server)
        self._stop = stop or threading.Event()
        self._on_trouble = on_trouble
        self._is_in_trouble = False
        try:
            self._http = httpx.Client(
                base_url=self.server,
                headers={
                    "Authorization": f"Bearer {read_token(token)}",
                    "Rulezero": HANDSHAKE,
                    "Content-Type": "application/msgpack",
                    "Accept-Encoding": "identity",  # so that the size of an answer is its own
                },
                limits=httpx.Limits(max_connections=8, max_keepalive_connections=8),
            )
        except httpx.InvalidURL as error:
            raise FleetError(f"'{server}' is not the address of a server: {error}") from error

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def hello(self, patience: float = math.inf) -> Hello:
        """What the server says about itself and about the token."""
        return decode(self._ask("GET", "/v1/hello", patience=patience), Hello)

    # --- workers ---------------------------------------------------------------------------------

    def lease(self, request: LeaseRequest) -> LeaseAnswer:
        """Asks for games."""
        body = self._ask("POST", "/v1/leases", encode(request), seconds=request.wait)
        return decode(body, LeaseAnswer)

    def progress(self, lease: str, report: ProgressReport) -> Renewal:
        """Reports progress, without retries; the next report says more."""
        path = f"/v1/leases/{lease}/progress"
        return decode(self._ask("POST", path, encode(report), patience=0), Renewal)

    def release(self, lease: str, reason: str = "", *, patience: float = 0) -> None:
        """Gives the games of a lease back."""
        plain = "".join(letter if " " <= letter <= "~" else "?" for letter in reason)
        parameters = {"reason": plain[:200]} if reason else {}
        self._ask(
            "DELETE", f"/v1/leases/{lease}", parameters=parameters, patience=0, seconds=_QUICK
        )

    def upload(self, body: bytes, *, quickly: bool = False) -> Receipt:
        """Delivers an encoded Upload, without retries."""
        seconds = _QUICK if quickly else 0
        answer = self._ask("POST", "/v1/games", body, patience=0, seconds=seconds, expected=422)
        return decode(answer, Receipt)

    def net(self, sha256: str) -> bytes:
        """An encoded NetBundle with this SHA-256."""
        body = self._ask("GET", f"/v1/nets/{sha256}", most=MOST_NET_BYTES)
        if digest(body) != sha256:
            raise FleetError(f"{self.server} sent another net than {sha256}")
        return body

    # --- trainers --------------------------------------------------------------------------------

    def put_net(self, bundle: NetBundle) -> None:
        """Sends a net, unless the server has it."""
        body = encode(bundle)
        path = f"/v1/nets/{digest(body)}"
        try:
            self._ask("HEAD", path)
        except FleetError as error:
            if error.status != 404:
                raise
            self._ask("PUT", path, body, seconds=300)

    def put_order(self, order: TaskOrder) -> TaskState:
        """Orders the games of a task."""
        return decode(self._ask("PUT", f"/v1/tasks/{order.id}", encode(order)), TaskState)

    def deliveries(self, order: str, after: int, wait: float) -> Delivery:
        """Games of an order after those that were delivered; waits until there are some."""
        parameters = {"after": str(after), "wait": f"{wait:g}"}
        path = f"/v1/tasks/{order}/games"
        body = self._ask("GET", path, parameters=parameters, seconds=wait, most=2 * MOST_BYTES)
        return decode(body, Delivery)

    def workers(self, seconds: float) -> int:
        """The number of workers that the server has heard of in the last `seconds`."""
        body = self._ask("GET", "/v1/status")
        try:
            status = msgspec.json.decode(body, type=_Status)
        except msgspec.DecodeError as error:
            raise FleetError(f"{self.server} sent another status than expected") from error
        return sum(status.time - worker.seen <= seconds for worker in status.workers)

    def cancel(self, order: str) -> None:
        """Ends an order: no more games of it are played."""
        self._ask("DELETE", f"/v1/tasks/{order}", patience=0, seconds=_QUICK)

    def withdrawn(self, job: str) -> frozenset[str]:
        """The ids of the records that nets are no longer to learn from."""
        body = self._ask("GET", "/v1/withdrawn", parameters={"job": job}, most=MOST_NET_BYTES)
        return frozenset(decode(body, Withdrawn).records)

    # --- requests --------------------------------------------------------------------------------

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        parameters: dict[str, str] | None = None,
        patience: float = math.inf,  # seconds
        seconds: float = 0,  # that the server may take in addition
        most: int = MOST_BYTES,  # bytes of the answer
        expected: int = 200,  # a status that is no error, beside those of success
    ) -> bytes:
        """The body of the answer."""
        until, tries = time.monotonic() + patience, 0
        while True:
            try:
                request = self._http.build_request(
                    method,
                    path,
                    content=body,
                    params=parameters,
                    timeout=_timeout(seconds),
                )
                answer = self._send(request, most, expected)
            except _TemporaryError as error:
                left = until - time.monotonic()
                pause = pause_before(tries, error.pause)
                if left <= 0 or self._stop.is_set():
                    raise FleetError(error.words, error.status, error.pause) from error
                self._tell(f"{error.words}; trying again")
                self._stop.wait(min(pause, left))
                tries += 1
            else:
                self._tell("")
                return answer

    def _send(self, request: "httpx.Request", most: int, expected: int) -> bytes:
        import httpx

        found = bytearray()
        try:
            with contextlib.closing(self._http.send(request, stream=True)) as response:
                for piece in response.iter_raw():
                    found += piece
                    if len(found) > most:
                        raise FleetError(f"{self.server} sent more than {most} bytes")
        except httpx.HTTPError as error:
            if "WRONG_VERSION_NUMBER" in str(error):
                plain = self.server.replace("https://", "http://", 1)
                raise FleetError(
                    f"the server at {self.server} speaks http, without TLS: give {plain}"
                ) from error
            raise _TemporaryError(
                f"{self.server} cannot be reached ({_reason(error)}): check the address, the"
                " network, and that `rulezero serve` runs there"
            ) from error
        if response.is_success or response.status_code == expected:
            return bytes(found)
        status = response.status_code
        is_ours, said = _words(bytes(found))
        is_plain = is_ours and not is_temporary(status)  # the status would add nothing
        words = f"{self.server}{'' if is_plain else f' answered {status}'}: {said}"
        if is_temporary(status):
            asked = response.headers.get("Retry-After", "")
            pause = min(float(asked), _LONGEST_PAUSE) if re.fullmatch(r"[0-9.]{1,9}", asked) else 0
            raise _TemporaryError(words, status, pause)
        raise FleetError(words, status)

    def _tell(self, trouble: str) -> None:
        if bool(trouble) != self._is_in_trouble:
            self._is_in_trouble = bool(trouble)
            self._on_trouble(trouble)


class _TemporaryError(Exception):
    """A request that may succeed later."""

    def __init__(self, words: str, status: int = 0, pause: float = 0) -> None:
        super().__init__(words)
        self.words = words
        self.status = status
        self.pause = pause  # seconds that the server asks for


def is_temporary(status: int) -> bool:
    """Whether a request with this answer may succeed later; 0: there was no answer."""
    return status in (0, 408, 425, 429) or status >= 500


def pause_before(tries: int, asked: float = 0) -> float:
    """Seconds to wait before a retry: drawn at random, so that workers do not come all at once."""
    first, longest = _BACKOFF
    return asked + random.uniform(0, min(longest, first * 2 ** min(tries, 20)))


def read_address(server: str) -> str:
    """The address of a server without a slash at its end; FleetError if it is not one."""
    try:
        parts = urlsplit(server)
        is_right = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        is_right = False
    if not is_right:
        raise FleetError(
            f"'{server}' is not the address of a server: give one such as"
            " https://games.example.org or http://localhost:8642"
        )
    address = f"{parts.scheme}://{parts.netloc}"
    if server.rstrip("/") != address:
        raise FleetError(
            f"'{server}' has more than a server's address: give it without a path, as {address}"
        )
    return address


def read_token(text: str = "", option: str = "--token @FILE") -> str:
    """The token of a text, of the file FILE for @FILE, or of the environment if the text is empty.

    FleetError says what is missing; `option` is how a file is given.
    """
    given = text or os.environ.get(TOKEN, "")
    if given.startswith("@"):
        name = given[1:]
        if not name:
            raise FleetError(f"'@' names no file: give {option}, such as @token.txt")
        try:
            with Path(name).expanduser().open("rb") as file:
                given = file.read(1000).decode("ascii", "replace").strip()
        except OSError as error:
            raise FleetError(f"the token's file '{name}': {error.strerror}") from error
        if not given:
            raise FleetError(
                f"the token's file '{name}' is empty: put the line into it that `rulezero token"
                " new` printed"
            )
    if not given:
        raise FleetError(f"there is no token: give {option}, or set the variable {TOKEN}")
    if not re.fullmatch(r"[!-~]{8,200}", given):
        raise FleetError("this is not a token: copy the line that `rulezero token new` printed")
    return given


def _words(body: bytes) -> tuple[bool, str]:
    """Whether an answer is an error of rulezero's server, and its words or its beginning."""
    is_ours = True
    try:
        words = msgspec.json.decode(body, type=_Error).error
    except msgspec.DecodeError:
        is_ours, words = False, body[:_LONGEST_WORDS].decode("utf-8", "replace")
    words = " ".join(words.split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in words)
    return is_ours, shown[:_LONGEST_WORDS] or "no reason"


def _timeout(seconds: float) -> "httpx.Timeout":
    import httpx

    return httpx.Timeout(_SLOWEST + seconds, connect=min(_CONNECT, _SLOWEST + seconds))


class _Seen(msgspec.Struct):
    """A part of what a server says about a worker."""

    seen: float  # seconds since 1970


class _Status(msgspec.Struct):
    """A part of a server's status."""

    time: float  # now, by the server's clock
    workers: list[_Seen]


class _Error(msgspec.Struct):
    """An error as servers answer it."""

    error: str


def _reason(error: Exception) -> str:
    """Why there was no answer."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words[:_LONGEST_WORDS]
