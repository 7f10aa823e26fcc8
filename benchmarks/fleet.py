"""Measures a fleet's server: games a second, heartbeats, memory; and kills it.

    .venv/bin/python benchmarks/fleet.py [--quick] [--postgresql] [--kill]

The server is a process of its own, and what uploads to it another one. Other programs use the
machine, too, so the CPU seconds of the server for a game are given beside the games a second.
--kill uploads 5,000 games while the server is killed at random instants.
"""

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

import rulezero as rz
from rulezero.fleet.local import LocalFleet
from rulezero.fleet.protocol import (
    HANDSHAKE,
    LeaseAnswer,
    LeaseRequest,
    ProgressReport,
    Receipt,
    Upload,
    decode,
    encode,
    pack,
    unpack,
)
from rulezero.play.nets import PATHS
from rulezero.play.task import Task

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.fleet_servers import (
    MACHINE,
    Caller,
    ServerProcess,
    indices,
    postgresql,
    token,
)

_BATCH = 64  # games in an upload
_CALLERS = 3  # that upload at the same time
_WORKERS = 500  # that reconnect
_RECONNECT_SECONDS = 10.0
_LEASES = 1_000
_KILL_CALLERS = 8  # that upload single games while the server is killed
_TICK = os.sysconf("SC_CLK_TCK")


class Use(NamedTuple):
    """What a process has used."""

    cpu: float  # seconds
    memory: float  # MiB, at present


def use_of(pid: int) -> Use:
    """What a process has used so far; Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    cpu = (int(fields[11]) + int(fields[12])) / _TICK
    return Use(cpu, pages * os.sysconf("SC_PAGE_SIZE") / 2**20)


def razzle(games: int) -> tuple[Task, dict[int, bytes]]:
    """A task of self-play, and its packed games by index."""
    task = Task(
        game="razzle",
        a="puct:sims=32,noise=0.25,temperature=1",
        b="puct:sims=32,noise=0.25,temperature=1",
        games=games,
        name="0001/self-play",
        purpose="self-play",
        source="selfplay",
        iteration=1,
        swap=False,
    )
    playing = LocalFleet(PATHS, workers=2).run([task])
    return task, {finished.record.index: pack(finished) for _, finished in playing}


def bodies(me: Caller, task: Task, games: dict[int, bytes], job: str) -> list[tuple[bytes, int]]:
    """Uploads of all games of a task that is ordered and leased now, each with its games."""
    me.order(task, job=job)
    found, left = [], task.games
    while left:
        lease = me.lease(_BATCH)
        mine = indices(lease)
        left -= len(mine)
        upload = Upload(lease=lease.id, games=[games[index] for index in mine])
        found.append((encode(upload), len(mine)))
    return found


def throughput(
    run: Path, options: list[str], task: Task, games: dict[int, bytes], jobs: int
) -> None:
    """Prints how fast games are verified and stored."""
    secret = token(run, "worker", "trainer", database=options[1] if options else None)
    server = ServerProcess(run, *options)
    try:
        with Caller(server.url, secret) as me:
            work = [body for job in range(jobs) for body in bodies(me, task, games, f"{job:08x}")]
            random.Random(1).shuffle(work)
            pieces = [work[number::_CALLERS] for number in range(_CALLERS)]
            before, begun = use_of(server.process.pid), time.perf_counter()
            with ThreadPoolExecutor(_CALLERS) as callers:
                taken = callers.map(lambda piece: _upload(server.url, secret, piece), pieces)
                latencies = [seconds for each in taken for seconds in each]
            seconds = time.perf_counter() - begun
            after = use_of(server.process.pid)
            total = sum(count for _, count in work)
            size = sum(len(body) for body, _ in work)
            cpu = (after.cpu - before.cpu) / total
            print(
                f"  {total / seconds:,.0f} games/s ({total:,} games, {len(work)} uploads,"
                f" {_CALLERS} at a time); server: {cpu * 1000:.2f} ms of CPU a game,"
                f" so {1 / cpu:,.0f} games/s on one core; {after.memory:.0f} MiB"
            )
            print(
                f"  {size / total:,.0f} bytes a game; an upload takes"
                f" {statistics.median(latencies) * 1000:.0f} ms (median)"
            )
    finally:
        server.stop()


def _upload(url: str, secret: str, work: list[tuple[bytes, int]]) -> list[float]:
    taken = []
    with Caller(url, secret) as me:
        for body, games in work:
            begun = time.perf_counter()
            answer = me.http.post("/v1/games", content=body)
            taken.append(time.perf_counter() - begun)
            receipt = decode(answer.content, Receipt)
            assert receipt.accepted == games, receipt
    return taken


class Wire:
    """A worker's connection, with as little work for this process as possible."""

    def __init__(self, port: int, secret: str) -> None:
        self._port = port
        self._head = (
            f"Host: x\r\nAuthorization: Bearer {secret}\r\nRulezero: {HANDSHAKE}\r\n"
        ).encode()

    async def open(self) -> None:
        """Connects."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """The status and the body of an answer."""
        length = f"Content-Length: {len(body)}\r\n\r\n".encode()
        self._writer.write(f"{method} {path} HTTP/1.1\r\n".encode() + self._head + length + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = next(
            (
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            ),
            0,
        )
        return int(head.split(b" ", 2)[1]), await self._reader.readexactly(size)

    def close(self) -> None:
        """Closes the connection."""
        self._writer.close()


async def reconnect(port: int, secret: str) -> list[float]:
    """The seconds that heartbeats take while 500 workers reconnect, lease and report."""
    heartbeats: list[float] = []
    busy = 0

    async def beat(wire: Wire, lease: str, steps: int) -> None:
        begun = time.perf_counter()
        body = encode(ProgressReport(steps=steps))
        status, _ = await wire.ask("POST", f"/v1/leases/{lease}/progress", body)
        heartbeats.append(time.perf_counter() - begun)
        assert status == 200, status

    async def lease_by(wire: Wire, name: str) -> str:
        nonlocal busy
        while True:
            asked = LeaseRequest(worker=name, machine=MACHINE, games=4)
            status, body = await wire.ask("POST", "/v1/leases", encode(asked))
            if status == 200:
                lease = decode(body, LeaseAnswer).lease
                assert lease is not None
                return lease.id
            busy += 1
            await asyncio.sleep(1 + random.random())

    async def worker(number: int) -> None:
        await asyncio.sleep(random.random() * _RECONNECT_SECONDS)
        wire = Wire(port, secret)
        await wire.open()
        await wire.ask("GET", "/v1/hello")
        lease = await lease_by(wire, f"w{number}")
        for steps in range(1, 4):
            await beat(wire, lease, steps)
            await asyncio.sleep(2)
        wire.close()

    await asyncio.gather(*(worker(number) for number in range(_WORKERS)))
    print(f"  {busy} requests for games were answered 'busy'")
    return sorted(heartbeats)


def pressure(run: Path) -> None:
    """Prints how long heartbeats take, and the memory with many leases."""
    secret = token(run, "worker", "trainer")
    server = ServerProcess(run)
    try:
        with Caller(server.url, secret) as me:
            empty = use_of(server.process.pid).memory
            me.order(Task(game="razzle", a="random", b="random", games=1_000_000, name="many"))
            before = use_of(server.process.pid)
            taken = asyncio.run(reconnect(server.port, secret))
            after = use_of(server.process.pid)
            at = [taken[int(len(taken) * share)] * 1000 for share in (0.5, 0.9, 0.99)]
            print(
                f"  {_WORKERS} workers reconnect in {_RECONNECT_SECONDS:g} s: {len(taken):,}"
                f" heartbeats take {at[0]:.1f} ms (median), {at[1]:.1f} ms (90 %),"
                f" {at[2]:.1f} ms (99 %); server: {after.cpu - before.cpu:.1f} s of CPU"
            )
            for number in range(_LEASES - _WORKERS):
                me.lease(64, worker=f"more{number}")
            status = me.http.get("/v1/status").json()
            memory = use_of(server.process.pid).memory
            print(f"  {status['leases']:,} leases: {memory:.0f} MiB ({empty:.0f} at the start)")
    finally:
        server.stop()


def kills(run: Path, games: int) -> None:
    """Uploads games while the server is killed; every confirmed game must be there once."""
    task = Task(game="connect4", a="random", b="random", games=games, name="kills")
    packed = {f.record.index: pack(f) for _, f in LocalFleet(PATHS, workers=1).run([task])}
    secret = token(run, "worker", "trainer")
    server = ServerProcess(run)
    with Caller(server.url, secret) as me:
        task_id = me.order(task)
        leases: list[tuple[str, int]] = []
        while len(leases) < games:
            lease = me.lease(256)
            leases += [(lease.id, index) for index in indices(lease)]
    server.stop()
    random.seed(7)
    random.shuffle(leases)
    confirmed, number = set[int](), 0
    while len(confirmed) < games:
        server = ServerProcess(run)
        left = deque(each for each in leases if each[1] not in confirmed)
        timer = threading.Timer(random.uniform(0.02, 6.0), server.process.kill)
        timer.start()
        with ThreadPoolExecutor(_KILL_CALLERS) as callers:
            done = [
                callers.submit(_upload_each, server.url, secret, left, packed)
                for _ in range(_KILL_CALLERS)
            ]
        for each in done:
            confirmed |= each.result()
        timer.cancel()
        number += len(confirmed) < games
        server.kill()
    server = ServerProcess(run)
    with Caller(server.url, secret) as me:
        found: list[int] = []
        while (delivery := me.games(task_id, after=len(found))).games:
            found += [unpack(game).record.index for game in delivery.games]
    server.stop()
    [folder] = (run / "fleet" / "records").iterdir()
    stored = sorted(record.index for record in rz.Store(folder))
    assert sorted(found) == stored == sorted(confirmed) == [*range(games)]
    print(f"  {games:,} uploads, {number} kills: every confirmed game is there exactly once")


def _upload_each(
    url: str, secret: str, left: deque[tuple[str, int]], packed: dict[int, bytes]
) -> set[int]:
    """Uploads games one by one until none is left or the server is killed: those confirmed."""
    confirmed = set[int]()
    try:
        with Caller(url, secret) as me:
            while True:
                lease_id, index = left.popleft()
                answer = me.upload(lease_id, [packed[index]])
                assert answer.status_code == 200, answer.text
                confirmed.add(index)
    except (httpx.TransportError, IndexError):
        return confirmed


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder on this disk."""
    with tempfile.TemporaryDirectory(prefix="rulezero_fleet_") as place:
        yield Path(place)


def main() -> None:
    """Measures what the options ask for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few games, for a test")
    parser.add_argument("--postgresql", action="store_true", help="with PostgreSQL, too")
    parser.add_argument("--kill", action="store_true", help="only kill the server")
    given = parser.parse_args()
    if given.kill:
        print("killing the server")
        with folder() as run:
            kills(run, 200 if given.quick else 5_000)
        return
    print("playing Razzle games")
    task, games = razzle(64 if given.quick else 1_500)
    jobs = 1 if given.quick else 6
    print("uploads into SQLite")
    with folder() as run:
        throughput(run, [], task, games, jobs)
    if given.postgresql:
        print("uploads into PostgreSQL")
        with folder() as run, postgresql() as url:
            throughput(run, ["--database", url], task, games, jobs)
    if not given.quick:
        print("many workers")
        with folder() as run:
            pressure(run)


if __name__ == "__main__":
    main()
