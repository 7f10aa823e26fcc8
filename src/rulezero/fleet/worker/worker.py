"""Plays games of a server in this process."""

import platform
import random
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import msgspec

from rulezero._core import RulezeroError
from rulezero.fleet.canaries import differs
from rulezero.fleet.client import FATAL, Client
from rulezero.fleet.playing import Playing
from rulezero.fleet.protocol import (
    MOST_GAMES,
    FleetError,
    Lease,
    LeaseRequest,
    Machine,
)
from rulezero.fleet.worker.courier import Courier
from rulezero.fleet.worker.net_cache import Cached, NetCache
from rulezero.fleet.worker.spool import Spool
from rulezero.fleet.worker.trust import check_lease
from rulezero.nets.card import digest
from rulezero.nets.parity import cpu
from rulezero.play.nets import NetStore

_WAIT = 20.0  # seconds that the server may wait for games
_RESERVE_SECONDS = 1.0  # of play: games that have not begun last this long
_DECLINED = (5.0, 20.0)  # seconds before a worker asks again after a lease that it refused
_LINGER = 0.3  # seconds in which a worker that ends gives back what it is still offered
_TICK = 0.2  # seconds between two looks at whether to stop


class WorkerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker process needs."""

    server: str
    token: str
    name: str
    cache: str  # a folder, which other workers may share
    width: int = 64  # games that it plays at the same time


class WorkerReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker process says about itself."""

    games: int  # that it has finished
    waiting: int = 0  # finished games that the server does not have yet
    state: str = ""  # what it does, in a few words
    leases: list[str] = []  # that it has
    line: str = ""  # news for people; "": none
    is_fatal: bool = False  # it cannot go on, and neither could another one in its place


class Worker:
    """One thread plays, one fetches games before they are needed, and this one delivers them."""

    def __init__(self, settings: WorkerSettings, report: Callable[[WorkerReport], None]) -> None:
        self._settings = settings
        self._report = report
        self._stop = threading.Event()
        self._failure: FleetError | None = None
        self.is_hopeless = False  # whether another worker could not go on either
        self._games = 0
        self._state = "starting"
        self._pace = _Pace()
        self._playing = Playing(width=settings.width)
        self._client = Client(
            settings.server, settings.token, stop=self._stop, on_trouble=self._tell
        )
        cache = Path(settings.cache)
        self._nets = NetCache(cache / "nets", self._client.net)
        self._reproduced: set[str] = set()  # nets whose canaries this machine reproduces
        place = digest(f"{self._client.server}\n{settings.token}".encode())[:16]
        self._courier = Courier(
            self._client, Spool(cache / "spool" / place), self._playing, self._tell
        )
        self._machine = this_machine()
        self._said: WorkerReport | None = None  # its last report

    def stop(self) -> None:
        """Ends `run` soon. Can be called from a signal handler."""
        self._stop.set()

    def run(self) -> None:
        """Plays until `stop` is called. FleetError says why it cannot go on."""
        playing, fetching = (
            threading.Thread(target=self._guarded, args=(work,), daemon=True)
            for work in (self._play, self._fetch)
        )
        playing.start()
        fetching.start()
        self._guarded(self._deliver)
        self._courier.finish()
        fetching.join(_LINGER)
        self._say()
        if self._failure is not None:
            raise self._failure

    def _guarded(self, work: Callable[[], None]) -> None:
        """Runs a thread's work. An error in it ends the others."""
        try:
            work()
        except RulezeroError as error:
            self._fail(error if isinstance(error, FleetError) else FleetError(str(error)))
        except Exception as error:
            self._fail(FleetError(f"{type(error).__name__}: {error}"))
        finally:
            self._stop.set()

    def _fail(self, error: FleetError) -> None:
        if not self._stop.is_set():
            self._failure = error
            self.is_hopeless = self.is_hopeless or error.status in FATAL
            self._courier.leave(str(error))

    # --- the three threads -----------------------------------------------------------------------

    def _play(self) -> None:
        while not self._stop.is_set():
            if not self._playing.wait_for_games(_TICK):
                continue
            for task_id, finished in self._playing.finished():
                self._games += 1
                self._pace.add()
                self._courier.add(task_id, finished)
                if self._stop.is_set():
                    return

    def _fetch(self) -> None:
        self._client.hello()
        while not self._stop.is_set():
            reserve = min(MOST_GAMES // 2, max(self._settings.width // 2, self._pace.games))
            if not self._playing.wait_for_room(reserve // 2, _TICK):
                continue
            wanted = self._settings.width + reserve - self._courier.unfinished
            if self._courier.unfinished == 0:
                self._state = "waiting for games"
            request = LeaseRequest(
                worker=self._settings.name,
                machine=self._machine,
                games=max(1, min(MOST_GAMES, wanted)),
                wait=_WAIT,
            )
            asked = time.monotonic()
            answer = self._client.lease(request)
            if answer.lease is not None and self._stop.is_set():
                self._courier.release(answer.lease.id)
            elif answer.lease is not None:
                self._take(answer.lease)
            elif not self._stop.is_set():
                least = 0.0 if time.monotonic() - asked > 1 else 0.1  # never asks in a tight loop
                self._stop.wait(max(least, answer.retry * random.uniform(0.5, 1.5)))

    def _deliver(self) -> None:
        while not self._stop.is_set():
            self._courier.work(_TICK)
            self._say()

    # --- leases ----------------------------------------------------------------------------------

    def _take(self, lease: Lease) -> None:
        """Plays the games of a lease, or gives them back with the reason."""
        try:
            indices = check_lease(lease)
            found = {name: self._nets.find(sha256) for name, sha256 in lease.nets.items()}
        except RulezeroError as error:
            if isinstance(error, FleetError) and error.status in FATAL:
                raise
            self._courier.release(lease.id, str(error))
            self._say(f"games of {lease.task.game[:100]} are given back: {error}")
            self._stop.wait(random.uniform(*_DECLINED))
            return
        for name, net in found.items():
            self._test(name, net, lease)
        if self._stop.is_set():
            self._courier.release(lease.id)
            return
        new = self._courier.hold(lease, indices)
        self._say()
        copies = {name: net.path for name, net in found.items()}
        self._playing.add(lease.task_id, lease.task, NetStore(copies=copies), new)
        self._state = f"playing {lease.task.game}"

    def _test(self, name: str, net: Cached, lease: Lease) -> None:
        """Raises FleetError if a net's outputs on this machine are not those of the trainer's."""
        sha256 = lease.nets[name]
        if sha256 in self._reproduced:
            return
        reason = differs(net.canaries, name, NetStore(copies={name: net.path}))
        if reason is not None:
            self.is_hopeless = True
            self._courier.release(lease.id, reason)
            raise FleetError(reason)
        self._reproduced.add(sha256)

    # --- words -----------------------------------------------------------------------------------

    def _say(self, line: str = "") -> None:
        report = WorkerReport(
            games=self._games,
            waiting=self._courier.waiting,
            state=self._state,
            leases=self._courier.leases,
            line=line,
        )
        if report != self._said:
            self._said = report
            self._report(report)

    def _tell(self, trouble: str) -> None:
        """Reports trouble with the server, or its end."""
        self._say(trouble or "the server answers again")


class _Pace:
    """Counts the games that were finished in the last second."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._now = 0
        self.games = 0  # finished in the last whole second, or so far in this one if they are more

    def add(self) -> None:
        """Counts one more."""
        now = time.monotonic()
        if now - self._begun >= _RESERVE_SECONDS:
            self.games = round(self._now * _RESERVE_SECONDS / (now - self._begun))
            self._begun, self._now = now, 0
        self._now += 1
        self.games = max(self.games, self._now)


def this_machine() -> Machine:
    """What the last bits of a net's outputs depend on here."""
    words = f"{platform.machine()} {cpu()}"
    plain = "".join(letter if " " <= letter <= "~" else "?" for letter in words)
    return Machine(instructions=plain[:100], runtime=f"onnxruntime {version('onnxruntime')}")
