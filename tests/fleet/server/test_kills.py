"""The server is killed at random instants: every confirmed game is there exactly once."""

import random
import threading
from collections import Counter
from pathlib import Path

import httpx
import pytest

import rulezero as rz
from rulezero.data.writer import Writer
from rulezero.fleet.protocol import Receipt, Upload, decode, encode, pack, unpack
from rulezero.play.task import Task
from support.fleet_servers import (
    HAS_POSTGRESQL,
    JOB,
    NO_POSTGRESQL,
    Caller,
    ServerProcess,
    indices,
    played,
    postgresql,
    serving,
    token,
)

TASK = Task(game="connect4", a="random", b="random", games=240, name="k", seed=1)
KILLS = 2


def survives(run: Path, options: list[str], seed: int) -> None:
    """Uploads all games one by one while the server is killed, and checks what is stored."""
    secret = token(run, "worker", "trainer", database=options[1] if options else None)
    finished = played(TASK)
    with serving(run, *options) as first, Caller(first.url, secret) as me:
        task_id = me.order(TASK)
        leases = {index: lease.id for lease in me.lease_all(TASK.games) for index in indices(lease)}
    draw = random.Random(seed)
    left = draw.sample(sorted(leases), len(leases))
    confirmed: list[int] = []
    for kill in range(KILLS + 1):
        server = ServerProcess(run, *options)
        with Caller(server.url, secret) as me:
            check(me, task_id, set(confirmed))  # after the kill before
            timer = threading.Timer(draw.uniform(0.05, 0.5), server.process.kill)
            if kill < KILLS:
                timer.start()
            try:
                while left:
                    some = left[: draw.randint(1, 3)]
                    games = [pack(finished[index]) for index in some]
                    owners = {leases[index] for index in some}
                    for lease in sorted(owners):
                        mine = [
                            game
                            for game, at in zip(games, some, strict=True)
                            if leases[at] == lease
                        ]
                        body = encode(Upload(lease=lease, games=mine))
                        answer = me.http.post("/v1/games", content=body)
                        assert answer.status_code == 200
                        receipt = decode(answer.content, Receipt)
                        assert receipt.accepted + receipt.known == len(mine)
                    confirmed += some
                    del left[: len(some)]
            except httpx.TransportError:
                pass  # it was killed: the same games are uploaded again
            finally:
                timer.cancel()
                server.kill()
    assert not left
    with serving(run, *options) as last, Caller(last.url, secret) as me:
        check(me, task_id, set(confirmed))
    store = rz.Store(run / "fleet" / "records" / JOB)
    store.verify()
    assert sorted(record.index for record in store) == [*range(TASK.games)]
    assert _values(run) == TASK.games


def check(me: Caller, task_id: str, confirmed: set[int]) -> None:
    """Every confirmed game is delivered once, and no game twice."""
    found: list[int] = []
    while (delivery := me.games(task_id, after=len(found))).games:
        found += [unpack(game).record.index for game in delivery.games]
        assert delivery.next == len(found)
    assert max(Counter(found).values(), default=1) == 1
    assert confirmed <= set(found)


def _values(run: Path) -> int:
    """The number of games in all shards, without leaving out copies."""
    from rulezero.data.shard import Reader

    total = 0
    for path in (run / "fleet" / "records" / JOB).iterdir():
        with Reader(path) as reader:
            total += reader.end()[1]
    return total


def test_kills_of_a_server_with_sqlite(tmp_path: Path) -> None:
    """SQLite and the shards agree after each kill."""
    survives(tmp_path, [], 1)


def test_kills_of_a_server_with_postgresql(tmp_path: Path) -> None:
    """PostgreSQL and the shards agree after each kill."""
    if not HAS_POSTGRESQL:
        pytest.skip(NO_POSTGRESQL)
    with postgresql() as url:
        survives(tmp_path, ["--database", url], 2)


def test_what_was_not_confirmed_is_cut_off(tmp_path: Path) -> None:
    """Games behind the last one in the database are removed from a shard when a server starts."""
    secret = token(tmp_path, "worker", "trainer")
    finished = played(TASK)
    server = ServerProcess(tmp_path)
    with Caller(server.url, secret) as me:
        me.order(TASK)
        lease = me.lease(games=8)
        me.deliver(lease, finished)
        server.kill()
    [part] = (tmp_path / "fleet" / "records" / JOB).glob("*.part")
    before = part.stat().st_size
    with part.open("ab") as file:  # as if the server had been killed before the commit
        file.write(part.read_bytes()[-300:])
    with serving(tmp_path) as again, Caller(again.url, secret) as me:
        assert me.deliver(lease, finished).known == 8
    [sealed] = (tmp_path / "fleet" / "records" / JOB).iterdir()
    assert sealed.name == part.name.removesuffix(".part")
    assert _values(tmp_path) == 8
    assert before < sealed.stat().st_size < before + 200  # the trailer


def test_writers_append_ready_frames(tmp_path: Path) -> None:
    """Frames get the places at which readers find them."""
    from rulezero.data.shard import Header, Reader, compress

    writer = Writer(tmp_path, Header(kind="notes"))
    places = writer.add_frames([compress(b"one"), compress(b"two")])
    writer.sync()
    places += writer.add_frames([compress(b"three")])
    writer.close()
    with Reader(writer.path) as reader:
        assert [reader.value_at(at) for at in places] == [b"one", b"two", b"three"]
        assert reader.frame_at(places[1]) == compress(b"two")
        assert reader.end() == (writer.size, 3, False)
