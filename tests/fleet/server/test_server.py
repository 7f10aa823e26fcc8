"""A server gives games of tasks to workers, keeps what they upload, and hands it to the trainer."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import rulezero as rz
from rulezero.fleet.nets import nets_of, pack_net
from rulezero.fleet.protocol import (
    HANDSHAKE,
    PROTOCOL,
    Hello,
    Lease,
    LeaseAnswer,
    LeaseRequest,
    NetBundle,
    ProgressReport,
    Receipt,
    Renewal,
    Withdrawn,
    decode,
    encode,
    pack,
    unpack,
)
from rulezero.play.nets import PATHS
from rulezero.play.task import Task
from support import little_nets
from support.fleet_servers import (
    HAS_POSTGRESQL,
    JOB,
    MACHINE,
    NO_POSTGRESQL,
    Caller,
    ServerProcess,
    changed,
    indices,
    played,
    postgresql,
    serving,
    token,
)

TASK = Task(game="razzle", a="oneply", b="random", games=20, name="0001/self-play", seed=3)
JUDGED = Task(game="connect4", a="random", b="random", games=4, judge="oneply", opening=2)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The options of `serve` for a database."""
    if request.param == "sqlite":
        yield []
        return
    if not HAS_POSTGRESQL:
        pytest.skip(NO_POSTGRESQL)
    with postgresql() as url:
        yield ["--database", url]


@contextlib.contextmanager
def caller(server: ServerProcess, *scopes: str, name: str = "test") -> Iterator[Caller]:
    """A caller with a new token."""
    with Caller(server.url, token(server.run, *scopes, name=name)) as made:
        yield made


def test_games_go_from_workers_to_the_trainer(tmp_path: Path, database: list[str]) -> None:
    """All games of tasks, with notes, arrive once and unchanged, also over a restart."""
    url = database[1] if database else None
    both = token(tmp_path, "worker", "trainer", database=url)
    for task in TASK, JUDGED:
        finished = played(task)
        with serving(tmp_path, *database) as server, Caller(server.url, both) as me:
            task_id = me.order(task)
            leases = me.lease_all(task.games)
            for lease in leases[:2]:
                assert me.deliver(lease, finished).accepted == len(indices(lease))
        with serving(tmp_path, *database) as server, Caller(server.url, both) as me:
            assert me.order(task) == task_id  # the same task again changes nothing
            for lease in leases:
                receipt = me.deliver(lease, finished)  # leases are still valid
                known = len(indices(lease)) if lease in leases[:2] else 0
                assert (receipt.known, receipt.refused) == (known, [])
            first = me.games(task_id)
            assert first.next == first.state.finished == task.games
            found = [unpack(game) for game in first.games]
            assert sorted(found, key=lambda each: each.record.index) == [*finished]
            assert me.games(task_id, after=task.games - 1).games == first.games[-1:]
            assert me.http.delete(f"/v1/tasks/{task_id}").status_code == 204
    store = rz.Store(tmp_path / "fleet" / "records" / JOB)
    store.verify()
    assert len(store) == TASK.games + JUDGED.games
    assert len([*store.notes()]) == JUDGED.games


def test_slices_shrink_and_are_disjoint(tmp_path: Path) -> None:
    """Two workers get smaller and smaller parts of the oldest task, then of the next one."""
    with serving(tmp_path) as server, caller(server, "worker", "trainer") as me:
        first = me.order(TASK)
        second = me.order(JUDGED)
        leases: list[Lease] = []
        while not leases or leases[-1].task_id == first:
            leases.append(me.lease(worker=f"w{len(leases) % 2}"))
        sizes = [len(indices(lease)) for lease in leases[:-1]]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] == TASK.games // 2
        assert sizes[-1] == 1
        assert sorted(at for lease in leases[:-1] for at in indices(lease)) == [*range(TASK.games)]
        assert leases[-1].task_id == second
        assert me.lease(games=1).games == [(max(indices(leases[-1])) + 1, 1)]


def test_games_that_are_given_back_go_to_others(tmp_path: Path) -> None:
    """Games of a lease that ended are leased again; the lease says that it is not wanted."""
    with serving(tmp_path) as server, caller(server, "worker", "trainer") as me:
        me.order(JUDGED)
        leases = me.lease_all(JUDGED.games)
        for lease in leases:
            assert me.http.delete(f"/v1/leases/{lease.id}").status_code == 204
        again = me.lease_all(JUDGED.games)
        assert _all(again) == _all(leases)
        report = encode(ProgressReport(steps=1))
        for lease, is_wanted in (leases[0], False), (again[0], True):
            answer = me.http.post(f"/v1/leases/{lease.id}/progress", content=report)
            assert decode(answer.content, Renewal).is_wanted == is_wanted
        # The games of the first holder still count if they come first.
        assert me.deliver(leases[0], played(JUDGED)).accepted == len(indices(leases[0]))
        assert me.deliver(again[0], played(JUDGED)).known == len(indices(again[0]))


def test_leases_without_progress_expire(tmp_path: Path) -> None:
    """A waiting worker gets the games of one that makes no progress."""
    with (
        serving(tmp_path, "--lease-seconds", "1") as server,
        caller(server, "worker", "trainer") as me,
    ):
        me.order(JUDGED)
        gone = me.lease_all(JUDGED.games)
        asked = LeaseRequest(worker="other", machine=MACHINE, games=64, wait=30)
        answer = me.http.post("/v1/leases", content=encode(asked))
        lease = decode(answer.content, LeaseAnswer).lease
        assert lease is not None
        assert set(indices(lease)) <= set(_all(gone))
        assert '"event":"expired"' in server.log()


def test_a_closed_task_is_not_played_until_it_is_ordered_again(tmp_path: Path) -> None:
    """Its leases are not wanted; what was delivered stays."""
    with serving(tmp_path) as server, caller(server, "worker", "trainer") as me:
        task_id = me.order(TASK)
        lease = me.lease(games=4)
        assert me.http.delete(f"/v1/tasks/{task_id}").status_code == 204
        request = encode(LeaseRequest(worker="w", machine=MACHINE, games=4))
        answer = me.http.post("/v1/leases", content=request)
        assert decode(answer.content, LeaseAnswer).lease is None
        assert me.deliver(lease, played(TASK)).accepted == 4
        me.order(TASK)
        assert me.games(task_id).state.finished == 4
        assert min(indices(me.lease(games=1))) == 4


def test_nets_are_kept_by_their_digest(tmp_path: Path) -> None:
    """A net is stored once it is what its name says; tasks need their nets to be there."""
    net = str(little_nets.net("connect4"))
    task = Task(game="connect4", a=f"policy:net={net}", b="random", games=2)
    packed = pack_net(net, nets_of([task])[net], PATHS)
    bundle = NetBundle(net=packed)
    with serving(tmp_path) as server, caller(server, "worker", "trainer") as me:
        path = f"/v1/nets/{bundle.digest}"
        assert me.http.head(path).status_code == 404
        with pytest.raises(AssertionError, match="upload it first"):
            me.order(task, {net: bundle.digest})
        assert me.http.put(f"/v1/nets/{'0' * 64}", content=encode(bundle)).status_code == 422
        forged = NetBundle(net=type(packed)(name=packed.name, parts={".onnx": b"x", ".json": b""}))
        answer = me.http.put(f"/v1/nets/{forged.digest}", content=encode(forged))
        assert (answer.status_code, [*(tmp_path / "fleet/nets").iterdir()]) == (422, [])
        assert me.http.put(path, content=encode(bundle)).status_code == 204
        assert me.http.head(path).status_code == 200
        assert decode(me.http.get(path).content, NetBundle) == bundle
        me.order(task, {net: bundle.digest})
        lease = me.lease(games=1)
        assert lease.nets == {net: bundle.digest}
        assert me.deliver(lease, played(task)).accepted == 1
        record = played(task)[1].record
        nets = tuple(f"{name[:-1]}z" if name else None for name in record.nets)
        other = changed(played(task)[1], nets=nets)
        [second] = me.lease_all(1)
        answer = me.upload(second.id, [other])
        assert "names the net" in decode(answer.content, Receipt).refused[0].reason


def test_the_handshake_introduces_both(tmp_path: Path) -> None:
    """A token learns its scopes; another protocol is refused in one line."""
    with serving(tmp_path) as server, caller(server, "worker", name="anna") as me:
        found = decode(me.http.get("/v1/hello").content, Hello)
        assert found == Hello(
            protocol=PROTOCOL, version=rz.__version__, scopes=["worker"], token="anna"
        )
        answer = me.http.get("/v1/hello", headers={"Rulezero": f"{PROTOCOL + 1} 9.9"})
        assert answer.status_code == 426
        assert "use the same version of rulezero on both sides" in answer.json()["error"]
        del me.http.headers["Rulezero"]  # as people ask, with curl
        assert "the request names none" in me.http.get("/v1/hello").json()["error"]
        assert me.http.get("/v1/status").status_code == 200


def test_admins_manage_tokens_over_http_and_on_disk(tmp_path: Path) -> None:
    """What one way changes, the other shows; a revoked token is refused within a second."""
    with serving(tmp_path) as server:
        boss = token(tmp_path, "admin", name="boss")
        with rz.fleets.tokens(server=server.url, token=boss) as remote:
            made = remote.new("anna", ["worker"])
            assert [each.name for each in remote.all()] == ["boss", "anna"]
            assert remote.flag("anna", "too good").flag == "too good"
            assert remote.withdraw("anna") == 0
            with Caller(server.url, made.secret) as anna:
                assert anna.http.get("/v1/hello").status_code == 200
                assert remote.revoke("anna").revoked is not None
                assert anna.http.get("/v1/hello").status_code == 401  # at once
            with pytest.raises(rz.RunError, match="there is no token 'bob'"):
                remote.revoke("bob")
        other = token(tmp_path, "worker", name="bob")
        with Caller(server.url, other) as bob, rz.fleets.tokens(tmp_path) as local:
            assert bob.http.get("/v1/hello").status_code == 200
            local.revoke("bob")
            for _ in range(1000):  # the server reads its tokens twice a second
                if bob.http.get("/v1/hello").status_code == 401:
                    break
            else:
                pytest.fail("a revoked token is still accepted")
        with rz.fleets.tokens(tmp_path) as local:
            assert {each.name: each.state for each in local.all()} == {
                "boss": "active",
                "anna": "revoked, withdrawn, flagged: too good",
                "bob": "revoked",
            }


def test_games_of_a_token_are_withdrawn(tmp_path: Path) -> None:
    """The trainer learns which records nets are not to learn from; they stay stored."""
    with serving(tmp_path) as server, caller(server, "worker", "trainer", name="good") as me:
        task_id = me.order(TASK)
        me.deliver(me.lease(games=3), played(TASK))
        with caller(server, "worker", name="bad") as other:
            lease = other.lease(games=4)
            other.deliver(lease, played(TASK))
        with rz.fleets.tokens(tmp_path) as tokens:
            assert tokens.withdraw("bad") == 4
        answer = me.http.get("/v1/withdrawn", params={"job": JOB})
        wanted = sorted(played(TASK)[index].record.id for index in indices(lease))
        assert decode(answer.content, Withdrawn).records == wanted
        assert len(me.games(task_id).games) == 7
        answer = me.http.get("/v1/withdrawn", params={"job": JOB[::-1]})
        assert decode(answer.content, Withdrawn).records == []


def test_secrets_are_not_stored(tmp_path: Path) -> None:
    """The database has a hash of a token only."""
    secret = token(tmp_path, "worker")
    assert secret.startswith("rz_")
    with contextlib.closing(sqlite3.connect(tmp_path / "fleet/fleet.sqlite")) as connection:
        dump = "\n".join(connection.iterdump())
    assert "test" in dump
    assert secret not in dump


def test_people_and_programs_can_watch(tmp_path: Path) -> None:
    """Health, metrics, status and log say what happens; the log is JSON, a line for each event."""
    with serving(tmp_path) as server, caller(server, "worker", "trainer", name="anna") as me:
        assert httpx.get(f"{server.url}/healthz").json() == {
            "status": "ok",
            "version": rz.__version__,
        }
        me.order(TASK)
        me.deliver(me.lease(games=2), played(TASK))
        me.lease(games=5)
        status = me.http.get("/v1/status").json()
        assert (status["games"], status["leases"], status["refused"]) == (2, 1, 0)
        assert status["workers"][0] | {"seen": 0} == {
            "name": "w", "token": "anna", "leases": 1, "games": 5, "seen": 0,
        }  # fmt: skip
        [task] = status["tasks"]
        assert (task["finished"], task["leased"], task["games"]) == (2, 5, 20)
        metrics = httpx.get(f"{server.url}/metrics").text
        assert 'rulezero_games_total{outcome="stored"} 2.0' in metrics
        assert "rulezero_leases 1.0" in metrics
        assert 'rulezero_request_seconds_count{route="POST /v1/games",status="200"} 1.0' in metrics
        assert server.stop() == 0
    events = [json.loads(line)["event"] for line in server.log().splitlines()]
    assert events == ["started", "task", "stored", "stopped"]


def test_a_disk_that_does_not_work(tmp_path: Path) -> None:
    """What cannot be stored is not confirmed; the same upload is taken when the disk works."""
    with serving(tmp_path) as server, caller(server, "worker", "trainer") as me:
        task_id = me.order(TASK)
        lease = me.lease(games=3)
        obstacle = tmp_path / "fleet" / "records" / JOB
        obstacle.parent.mkdir(exist_ok=True)
        obstacle.write_text("a file where the folder must be")
        answer = me.upload(lease.id, [pack(played(TASK)[index]) for index in indices(lease)])
        assert answer.status_code == 503
        assert answer.json()["error"].startswith("the server cannot store anything")
        assert int(answer.headers["Retry-After"]) >= 1
        assert me.games(task_id).state.finished == 0
        obstacle.unlink()
        assert me.deliver(lease, played(TASK)).accepted == 3
        assert me.games(task_id).state.finished == 3
        assert "the writer could not store games" in server.log()


def test_a_folder_has_one_server(tmp_path: Path) -> None:
    """A second server on the same data is refused in one line."""
    with serving(tmp_path), pytest.raises(AssertionError, match="another server uses"):
        ServerProcess(tmp_path)


def test_headers_have_the_handshake() -> None:
    """The handshake is the protocol's number and the version."""
    assert f"{PROTOCOL} {rz.__version__}" == HANDSHAKE


def _all(leases: list[Lease]) -> list[int]:
    return sorted(at for lease in leases for at in indices(lease))
