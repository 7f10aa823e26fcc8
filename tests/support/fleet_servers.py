"""Servers of fleets as processes, and a small client that can say anything to them."""

import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import httpx
import msgspec

import rulezero as rz
from rulezero.fleet.local import LocalFleet
from rulezero.fleet.protocol import (
    HANDSHAKE,
    Delivery,
    Lease,
    LeaseAnswer,
    LeaseRequest,
    Machine,
    Receipt,
    TaskOrder,
    TaskState,
    Upload,
    decode,
    encode,
    pack,
)
from rulezero.fleet.server.database import open_database
from rulezero.play.nets import PATHS
from rulezero.play.table import Finished
from rulezero.play.task import Task

MACHINE = Machine(instructions="x", runtime="y")
JOB = "abcdef0123456789"


class ServerProcess:
    """A server as a process of its own, which can be killed and started again."""

    def __init__(self, run: Path, *options: str, port: int = 0) -> None:
        self.run = run
        words = ["serve", "--fleet", str(run), "--port", str(port), *options]
        run.mkdir(parents=True, exist_ok=True)
        self._log = run / f"server_{len([*run.glob('server_*')])}.log"
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rulezero", *words],
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if " at http://" not in line:
            self.kill()
            raise AssertionError(f"it does not serve: {line}{self.log()}")
        self.url = line.split()[-1]

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return int(self.url.rpartition(":")[2])

    def log(self) -> str:
        """What it has written to stderr so far."""
        return self._log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """Stops it gracefully; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self._close()
        return code

    def kill(self) -> None:
        """Kills it at once."""
        self.process.kill()
        self.process.wait()
        self._close()

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextlib.contextmanager
def serving(run: Path, *options: str) -> Iterator[ServerProcess]:
    """A server, stopped at the end."""
    server = ServerProcess(run, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def token(run: Path, *scopes: str, name: str = "", database: str | None = None) -> str:
    """A new token's secret; a server need not have been started before."""
    open_database(run / "fleet", database).dispose()
    with rz.fleets.tokens(run, database=database) as tokens:
        name = name or f"test {len(tokens.all())}"
        return tokens.new(name, [rz.fleets.scope_of(scope) for scope in scopes]).secret


@dataclasses.dataclass
class Caller:
    """Sends requests to a server with one token."""

    url: str
    secret: str
    http: httpx.Client = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        """Opens the connection."""
        headers = {"Authorization": f"Bearer {self.secret}", "Rulezero": HANDSHAKE}
        self.http = httpx.Client(base_url=self.url, headers=headers, timeout=60)

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def order(self, task: Task, nets: dict[str, str] | None = None, job: str = JOB) -> str:
        """Orders the games of a task; returns its id."""
        order = TaskOrder(job=job, task=task, nets=nets or {})
        answer = self.http.put(f"/v1/tasks/{order.id}", content=encode(order))
        assert answer.status_code == 200, answer.text
        assert decode(answer.content, TaskState).games == task.games
        return order.id

    def lease(self, games: int = 64, worker: str = "w") -> Lease:
        """Leases games, of which there must be some."""
        request = LeaseRequest(worker=worker, machine=MACHINE, games=games)
        answer = self.http.post("/v1/leases", content=encode(request))
        assert answer.status_code == 200, answer.text
        lease = decode(answer.content, LeaseAnswer).lease
        assert lease is not None
        return lease

    def lease_all(self, games: int) -> list[Lease]:
        """Leases until these games are leased."""
        leases: list[Lease] = []
        while sum(len(indices(lease)) for lease in leases) < games:
            leases.append(self.lease())
        return leases

    def upload(self, lease: str, games: Sequence[bytes]) -> httpx.Response:
        """Uploads packed games."""
        return self.http.post("/v1/games", content=encode(Upload(lease=lease, games=[*games])))

    def deliver(self, lease: Lease, finished: Sequence[Finished]) -> Receipt:
        """Uploads the games of a lease, which must be taken."""
        games = [pack(finished[index]) for index in indices(lease)]
        answer = self.upload(lease.id, games)
        assert answer.status_code == 200, receipt_or_text(answer)
        return decode(answer.content, Receipt)

    def games(self, task_id: str, after: int = 0, wait: float = 0) -> Delivery:
        """A delivery of a task's games."""
        answer = self.http.get(f"/v1/tasks/{task_id}/games", params={"after": after, "wait": wait})
        assert answer.status_code == 200, answer.text
        return decode(answer.content, Delivery)


def receipt_or_text(answer: httpx.Response) -> object:
    """What a server has answered to an upload, for people."""
    with contextlib.suppress(rz.FleetError):
        return decode(answer.content, Receipt)
    return answer.text


def indices(lease: Lease) -> list[int]:
    """The indices of a lease's games."""
    return [at for first, number in lease.games for at in range(first, first + number)]


@cache
def played(task: Task) -> tuple[Finished, ...]:
    """The games of a task, in order."""
    games = [finished for _, finished in LocalFleet(PATHS, workers=1).run([task])]
    return tuple(sorted(games, key=lambda finished: finished.record.index))


def changed(finished: Finished, **fields: object) -> bytes:
    """A packed game with other fields in its record."""
    return pack(
        msgspec.structs.replace(finished, record=msgspec.structs.replace(finished.record, **fields))
    )


_BIN = sorted(Path("/usr/lib/postgresql").glob("*/bin")) if shutil.which("su") else []
HAS_POSTGRESQL = bool(_BIN)
NO_POSTGRESQL = "NOT TESTED: a server with PostgreSQL, whose programs are not installed"


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty database in a real PostgreSQL server, which listens to a socket only."""
    with tempfile.TemporaryDirectory(prefix="rz_pg_") as place:
        folder = Path(place)
        folder.chmod(0o777)
        data = folder / "data"
        _postgres(f"{_BIN[-1]}/initdb -D {data} -A trust -U rulezero")
        settings = f"-k {folder} -c listen_addresses= -c max_connections=50"
        _postgres(f"{_BIN[-1]}/pg_ctl -D {data} -l {folder}/log -w -o '{settings}' start")
        try:
            yield f"postgresql://rulezero@/postgres?host={folder}"
        finally:
            _postgres(f"{_BIN[-1]}/pg_ctl -D {data} -m immediate -w stop")


def _postgres(command: str) -> None:
    """Runs a command of PostgreSQL, which refuses to be run by root."""
    words = ["su", "postgres", "-c", command] if os.geteuid() == 0 else ["sh", "-c", command]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", cwd="/", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
