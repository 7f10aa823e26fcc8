"""Runs worker processes for a server, and replaces those that die."""

import contextlib
import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from rulezero.fleet.attached import Attached, Death
from rulezero.fleet.client import Client, read_token
from rulezero.fleet.protocol import FleetError
from rulezero.fleet.worker.worker import WorkerReport, WorkerSettings
from rulezero.machine import check_workers, cores

_PATIENCE = 60.0  # seconds; then the leases of a dead worker have ended
_UNTOLD_SECONDS = 10.0  # in which others may end for the same reason
_TICK = 0.25  # seconds between two calls of on_status


class WorkStatus(NamedTuple):
    """What the workers of this machine do."""

    workers: int
    games: int  # finished so far
    waiting: int  # finished games and uploads that the server does not have yet
    state: str  # what most workers do, in a few words


class Workers:
    """Worker processes. They end when this process does, and those that die are replaced.

    `tell` gets lines for people, from threads.
    """

    def __init__(
        self, client: Client, settings: WorkerSettings, count: int, tell: Callable[[str], None]
    ) -> None:
        self._client = client
        self._tell = tell
        self._changed = threading.Condition()  # guards what follows
        self._newest: dict[int, WorkerReport] = {}
        self._games: Counter[int] = Counter()  # of processes that have ended, by number
        self._ended: dict[int, str] = {}  # numbers of those that cannot go on, with the reason
        self._untold: dict[int, float] = {}  # those of them that are not reported yet: since when
        self._deaths = 0  # in a row, without a finished game
        self._processes = [
            self._start(msgspec.structs.replace(settings, name=f"{settings.name}-{number}"), number)
            for number in range(1, count + 1)
        ]

    def _start(self, settings: WorkerSettings, number: int) -> Attached:
        return Attached(
            lambda: (),
            first=msgspec.json.encode(settings) + b"\n",
            on_line=lambda line: self._hear(number, line),
            on_death=lambda death: self._replace(number, death),
        )

    @property
    def status(self) -> WorkStatus:
        """What they do now."""
        with self._changed:
            reports = [*self._newest.values()]
            states = Counter(report.state for report in reports)
            return WorkStatus(
                workers=len(self._processes) - len(self._ended),
                games=self._games.total() + sum(report.games for report in reports),
                waiting=sum(report.waiting for report in reports),
                state=states.most_common(1)[0][0] if states else "starting",
            )

    @property
    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [pid for each in self._processes if (pid := each.pid) is not None]

    def check(self, most_deaths: int | None = None) -> None:
        """FleetError if no worker can go on, or if too many died in a row without a game."""
        with self._changed:
            if self._processes and len(self._ended) == len(self._processes):
                raise FleetError(next(iter(self._ended.values())))
            # When all of them end for one reason, as for a revoked token, it is an error, once.
            before = time.monotonic() - _UNTOLD_SECONDS
            late = [number for number, since in self._untold.items() if since < before]
            for number in late:
                del self._untold[number]
                self._tell(f"worker {number} has ended: {self._ended[number]}")
            if most_deaths is not None and self._deaths > most_deaths:
                raise FleetError(
                    f"{self._deaths} worker processes in a row died without finishing a game;"
                    " finished games are kept"
                )

    def stop(self) -> None:
        """Ends them; what is finished is delivered, or kept in the spool."""
        for each in self._processes:
            each.stop()
        for each in self._processes:
            each.join()

    def _hear(self, number: int, line: bytes) -> None:
        try:
            report = msgspec.json.decode(line, type=WorkerReport)
        except msgspec.DecodeError:
            return  # something that a library has printed
        with self._changed:
            before = self._newest.get(number)
            if report.games > (0 if before is None else before.games):
                self._deaths = 0
            if report.is_fatal:
                self._ended[number] = report.line
                self._untold[number] = time.monotonic()
            self._newest[number] = report
        if report.line and not report.is_fatal:
            self._tell(f"worker {number}: {report.line}")

    def _replace(self, number: int, death: Death) -> bool:
        """Whether another process takes the place of one that died."""
        with self._changed:
            last = self._newest.pop(number, None)
            self._deaths += 1
            is_ended = number in self._ended
        if last is not None:
            self._games[number] += last.games
            given_back = (last.leases, f"its worker {death.how}")
            threading.Thread(target=self._give_back, args=given_back, daemon=True).start()
        if not is_ended:
            self._tell(f"worker {number} {death.how}; another one takes its place")
        return not is_ended

    def _give_back(self, leases: Sequence[str], reason: str) -> None:
        """Gives the games of a dead worker back, so that others need not wait for their end."""
        for lease in leases:
            with contextlib.suppress(FleetError, RuntimeError):  # of a client that was closed
                self._client.release(lease, reason, patience=_PATIENCE)


def work(
    server: str,
    token: str = "",
    *,
    workers: int = 0,
    name: str = "",
    cache: str | Path | None = None,
    width: int = 64,
    on_status: Callable[[WorkStatus], None] = lambda _: None,
    on_line: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
) -> None:
    """Plays games for a server in worker processes until it is interrupted, by Ctrl-C for example.

    `token` is one of scope worker, or @FILE for a file with one (default: the variable
    RULEZERO_TOKEN). `workers=0` starts one process per core. `name` is shown at the server
    (default: the host's). `cache` is a folder for nets, and for finished games while the server is
    away. `on_status` is called several times a second, and `on_line` gets news for people.
    FleetError says why nothing can be played.
    """
    check_workers(workers)
    folder = Path(cache).expanduser() if cache else default_cache()
    _make_cache(folder)
    client = Client(server, token, on_trouble=lambda trouble: on_line(trouble) if trouble else None)
    with contextlib.closing(client):
        hello = client.hello()
        if "worker" not in hello.scopes:
            raise FleetError(
                f"the token '{hello.token}' is not for workers: make one with `rulezero token new"
                " NAME --scope worker`"
            )
        settings = WorkerSettings(
            server=client.server,
            token=read_token(token),
            name=_plain(name or socket.gethostname()),
            cache=str(folder),
            width=width,
        )
        processes = Workers(client, settings, workers or cores(), on_line)
        waiting = threading.Event()
        try:
            while True:
                processes.check()
                on_status(processes.status)
                waiting.wait(_TICK)
        finally:
            processes.stop()
            on_status(processes.status)


def _make_cache(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FleetError(
            f"the cache '{folder}' cannot be used ({error.strerror}): give --cache with a folder"
            " that you may write to"
        ) from error


def default_cache() -> Path:
    """The folder for what can be fetched again."""
    given = os.environ.get("XDG_CACHE_HOME")
    return Path(given) / "rulezero" if given else Path.home() / ".cache" / "rulezero"


def _plain(name: str) -> str:
    """A name of printable ASCII characters, with room for a number behind it."""
    return "".join(letter if " " <= letter <= "~" else "?" for letter in name)[:90] or "worker"
