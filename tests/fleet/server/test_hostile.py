"""Hostile input is refused with its reason, logged and put into quarantine; nothing is stored."""

import hashlib
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest
import zstandard

import rulezero as rz
from rulezero.data.record import Record
from rulezero.data.shard import compress
from rulezero.data.thoughts import pack as pack_thoughts
from rulezero.fleet.protocol import (
    MOST_BYTES,
    MOST_UNPACKED,
    Lease,
    Receipt,
    TaskOrder,
    decode,
    encode,
    pack,
)
from rulezero.fleet.server.inspection import Opener, refusal, verify
from rulezero.play.resign import Resign
from rulezero.play.task import Task
from support.fleet_servers import (
    JOB,
    Caller,
    ServerProcess,
    changed,
    indices,
    played,
    serving,
    token,
)

TASK = Task(game="razzle", a="puct:sims=8", b="random", games=16, name="0001/self-play", seed=3)
GAMES = played(TASK)


class Scene:
    """A server with a leased task."""

    def __init__(self, server: ServerProcess, run: Path) -> None:
        self.server = server
        self.run = run
        self.worker = Caller(server.url, token(run, "worker", name="worker"))
        self.trainer = Caller(server.url, token(run, "trainer", name="trainer"))
        self.task_id = self.trainer.order(TASK)
        self.lease: Lease = self.worker.lease(games=8)
        self.honest = 0  # honest games of the task that tests have uploaded

    def stored(self) -> int:
        """The number of games that the trainer can get."""
        return self.trainer.games(self.task_id).state.finished

    def refuses(self, packed: bytes, lease: str = "") -> str:
        """The reason for which a game is refused, after checking that nothing is stored of it."""
        before, kept = self.stored(), self.kept()
        answer = self.worker.upload(lease or self.lease.id, [packed])
        assert answer.status_code == 422, answer.content
        receipt = decode(answer.content, Receipt)
        assert (receipt.accepted, receipt.known) == (0, 0)
        assert self.stored() == before
        [refused] = receipt.refused
        assert self.events()[-1]["reason"] == refused.reason
        assert self.events()[-1]["token"] == "worker"
        [new] = self.kept() - kept
        assert new.read_bytes() == packed
        assert json.loads(new.with_suffix(".json").read_bytes())["reason"] == refused.reason
        assert "\n" not in refused.reason
        return refused.reason

    def kept(self) -> set[Path]:
        """The games in quarantine."""
        return {*(self.run / "fleet" / "quarantine").glob("*.game")}

    def events(self) -> list[dict[str, Any]]:
        """The server's log."""
        return [json.loads(line) for line in self.server.log().splitlines()]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A server that all of these tests attack, one after the other."""
    run = tmp_path_factory.mktemp("run")
    with serving(run) as server:
        made = Scene(server, run)
        with made.worker, made.trainer:
            yield made
            # After all attacks, honest games are taken.
            assert made.stored() == made.honest
            assert made.worker.deliver(made.lease, GAMES).refused == []
            assert made.stored() == made.honest + len(indices(made.lease))


def plies(record: Record, **changes: Any) -> dict[str, Any]:
    """The packed columns of a record, some of them changed."""
    columns = record.columns()
    fields = {
        name: getattr(columns, name)
        for name in ("sims", "value", "raw_value", "draw", "surprise", "pair_actions")
    } | {"pair_weights": columns.pair_weights, "pair_targets": columns.pair_targets}
    counts = columns.offsets[1:] - columns.offsets[:-1]
    actions = changes.pop("actions", columns.actions)
    packed, thoughts = pack_thoughts(actions, **{**fields, "counts": counts, **changes})
    return {"actions": packed, "thoughts": thoughts}


def test_an_illegal_move(scene: Scene) -> None:
    """A game with an action that the rules do not allow."""
    record = GAMES[0].record
    actions = record.action_numbers().copy()
    actions[3] = actions[2]
    reason = scene.refuses(changed(GAMES[0], **plies(record, actions=actions)))
    assert "ply 3" in reason


def test_a_wrong_result(scene: Scene) -> None:
    """A loss that is claimed as a win."""
    reason = scene.refuses(changed(GAMES[0], outcome=-GAMES[0].record.outcome))
    assert "the rules say" in reason
    unknown = changed(GAMES[0], end_reason="boredom")
    assert "the rules say" in scene.refuses(unknown)
    assert "cannot end as 'interrupted'" in scene.refuses(
        changed(GAMES[0], end_reason="interrupted", outcome=0.0)
    )


def test_resignation_that_the_task_does_not_allow(scene: Scene) -> None:
    """A player who resigns where the task has no resignation."""
    reason = scene.refuses(changed(GAMES[0], end_reason="resigned"))
    assert reason == "a player resigned, which the task does not allow in this game"


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e300"])
def test_values_that_are_no_results(scene: Scene, value: str) -> None:
    """NaN, infinity, and numbers beyond 1."""
    fields = [*msgspec.structs.astuple(GAMES[0].record)]
    number = Record.__struct_fields__.index("outcome")
    fields[number] = float(value)
    packed = msgspec.msgpack.encode((compress(msgspec.msgpack.encode(fields)), None))
    assert "an outcome must be in [-1, 1]" in scene.refuses(packed)


def test_a_policy_on_an_illegal_move(scene: Scene) -> None:
    """A thought about an action that is not legal there."""
    record = GAMES[0].record
    actions = record.columns().pair_actions.copy()
    ply = int(record.columns().has_policy.nonzero()[0][0])
    begin = int(record.columns().offsets[ply])
    end = int(record.columns().offsets[ply + 1])
    legal = set(
        rz.load("razzle").replay(record.start, record.action_numbers().tolist()[:ply]).legal
    )
    free = set(range(rz.load("razzle").facts.actions)) - legal
    actions[begin:end] = sorted(free)[: end - begin]
    reason = scene.refuses(changed(GAMES[0], **plies(record, pair_actions=actions)))
    assert f"ply {ply}" in reason


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"version": 99}, "its rules version is 99"),
        ({"encoding": 99}, "its encoder version is 99"),
        ({"game": "razzle:x=1"}, "its game is"),
        ({"game": "python:file=/etc/passwd.py"}, "its game is"),
        ({"task": "other"}, "its task is 'other'"),
        ({"seed": 4}, "its seed is 4"),
        ({"iteration": 7}, "its iteration is 7"),
        ({"forced_result": 1.0}, "its forced_result is 1.0"),
        ({"purpose": "human"}, "its purpose is 'human'"),
        ({"source": "import:x"}, "its source is 'import:x'"),
        ({"is_given": True}, "its is_given is True"),
        ({"names": ("a", None)}, "its names is"),
        ({"players": ("random", "random")}, "its players is"),
        ({"opening": 1}, "its opening is 1"),
        ({"nets": ("../../etc/passwd#0123456789ab", None)}, "names the net"),
        ({"start": "nonsense"}, "its start is 'nonsense'"),
        ({"index": 999}, "game 999 of the task was not leased"),
        ({"index": (1 << 64) - 1}, "was not leased"),
    ],
)
def test_records_that_are_not_of_the_task(scene: Scene, fields: dict[str, Any], words: str) -> None:
    """Each field that the task, the rules or the lease decide."""
    assert words in scene.refuses(changed(GAMES[0], **fields))


def test_notes_without_a_judge(scene: Scene) -> None:
    """A task without a judge has no notes."""
    noted = msgspec.structs.replace(GAMES[0], note=GAMES[0].record.thoughts)
    assert scene.refuses(pack(noted)) == "it has a note, but the task has no judge"


def test_a_known_game_counts_once_and_another_is_refused(scene: Scene) -> None:
    """The same upload again is 200; other content for the same game is refused."""
    lease = scene.worker.lease(games=1)
    [index] = indices(lease)
    for known in range(2):
        receipt = scene.worker.deliver(lease, GAMES)
        assert (receipt.accepted, receipt.known) == (1 - known, known)
        scene.honest += receipt.accepted
    record = GAMES[index].record
    first = int(record.columns().has_policy.nonzero()[0][0])
    sims = record.columns().sims.copy()
    sims[first] += 1
    other = changed(GAMES[index], **plies(record, sims=sims))
    assert scene.refuses(other, lease.id) == "another game with this index is stored already"


def test_the_same_game_twice_in_an_upload(scene: Scene) -> None:
    """It is stored once, and the second is known."""
    run_task = Task(game="connect4", a="random", b="random", games=2, name="twice")
    scene.trainer.order(run_task, job=JOB[::-1])
    lease = next(
        lease
        for lease in iter(lambda: scene.worker.lease(games=16), None)
        if lease.task.name == "twice"
    )
    packed = pack(played(run_task)[indices(lease)[0]])
    answer = scene.worker.upload(lease.id, [packed, packed])
    receipt = decode(answer.content, Receipt)
    assert (receipt.accepted, receipt.known, receipt.refused) == (1, 1, [])


def test_somebody_elses_lease(scene: Scene) -> None:
    """A lease of another token is as unknown as one that never was."""
    with Caller(scene.server.url, token(scene.run, "worker", name="thief")) as thief:
        for lease in scene.lease.id, "0" * 32:
            answer = thief.upload(lease, [pack(GAMES[0])])
            assert (answer.status_code, answer.json()) == (
                404,
                {"error": "this token has no such lease"},
            )
            path = f"/v1/leases/{lease}"
            assert thief.http.delete(path).status_code == 404
            report = b"\x81\xa5steps\x01"
            assert thief.http.post(f"{path}/progress", content=report).status_code == 404
    assert scene.stored() == scene.honest


@pytest.mark.parametrize(
    "frame",
    [
        zstandard.ZstdCompressor().compress(bytes(MOST_UNPACKED + 1)),
        zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 24)),
        zstandard.ZstdCompressor().compress(bytes(1 << 24)) * 2,
        b"\x28\xb5\x2f\xfd" + bytes(20),
        b"\x50\x2a\x4d\x18\x04\x00\x00\x00evil",  # a skippable frame
        b"",
        bytes(4000),
    ],
    ids=["large", "no size", "two frames", "damaged", "skippable", "empty", "not a frame"],
)
def test_decompression_bombs(scene: Scene, frame: bytes) -> None:
    """Sizes are checked before anything is decompressed."""
    reason = scene.refuses(msgspec.msgpack.encode((frame, None)))
    assert reason.startswith("not a finished game: ")


def test_many_bombs_in_an_upload_share_one_limit(scene: Scene) -> None:
    """The games of an upload are limited together."""
    bomb = msgspec.msgpack.encode((zstandard.ZstdCompressor().compress(bytes(1 << 24)), None))
    answer = scene.worker.upload(scene.lease.id, [bomb] * 6)
    reasons = [each.reason for each in decode(answer.content, Receipt).refused]
    assert len(reasons) == 6
    assert sum("the games of an upload have more than" in reason for reason in reasons) >= 2


def test_padded_frames(scene: Scene) -> None:
    """A frame that is much longer than its content would fill the disk."""
    data = msgspec.msgpack.encode(GAMES[0].record)
    head = zstandard.ZstdCompressor(level=1).compress(data)[:6]
    padding = b"\x00\x00\x00" * 30_000  # empty blocks
    assert scene.refuses(msgspec.msgpack.encode((head + padding, None))).startswith("not a")


def test_records_in_another_form(scene: Scene) -> None:
    """The same record in other bytes: padded numbers, or the fields of the first form."""
    data = msgspec.msgpack.encode(GAMES[0].record)
    fields = [*msgspec.structs.astuple(GAMES[0].record)]
    forms = {
        "short": msgspec.msgpack.encode(fields[:16]),
        "long": msgspec.msgpack.encode([*fields, 1]),
        "wide": b"\xdd" + len(fields).to_bytes(4, "big") + data[3:],
    }
    for name, form in forms.items():
        packed = msgspec.msgpack.encode((compress(form), None))
        assert "not in the form" in scene.refuses(packed), name


def test_pickle(scene: Scene) -> None:
    """Pickled data is not a message, wherever it stands."""
    evil = pickle.dumps(print)
    answer = scene.worker.http.post("/v1/games", content=evil)
    assert answer.status_code == 400
    assert "the body is not a message Upload" in answer.json()["error"]
    assert scene.refuses(evil).startswith("not a finished game: ")
    assert scene.refuses(msgspec.msgpack.encode((compress(evil), None))).startswith("not a")


@pytest.mark.parametrize("is_honest", [True, False], ids=["announced", "streamed"])
def test_oversized_bodies(scene: Scene, is_honest: bool) -> None:
    """A body beyond the limit is not read to its end."""
    piece = bytes(1 << 20)

    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield piece

    try:
        content = bytes(MOST_BYTES + 1) if is_honest else endless()
        answer = scene.worker.http.post("/v1/games", content=content)
    except httpx.TransportError:
        assert not is_honest  # the server has closed the connection
    else:
        assert answer.status_code == 413


def test_too_many_games(scene: Scene) -> None:
    """An upload has at most 256 games, and at least one."""
    for games in [], [b"x"] * 257:
        body = msgspec.msgpack.encode({"lease": scene.lease.id, "games": games})
        assert scene.worker.http.post("/v1/games", content=body).status_code == 400


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"game": "python:file=/tmp/x.py"}, "not a built-in game"),
        ({"game": "python:file=x.py,sha=0123"}, "not a built-in game"),
        ({"game": "/tmp/x.py"}, "not a name"),
        ({"game": "random_chess:pieces=/etc/passwd"}, "would read a file"),
        ({"game": "random_chess:pieces=standard+../x.yaml"}, "would read a file"),
        ({"a": "alphabeta:tables=/etc"}, "would read a file"),
        ({"b": "heuristic:weights=/etc/passwd"}, "would read a file"),
        ({"judge": "oneply:weights=../x.yaml"}, "would read a file"),
        ({"a": "policy:net=../../etc/passwd"}, "the task names the nets"),
        ({"a": "human"}, "a human cannot play here"),
        ({"starts": ("nonsense",)}, "nonsense"),
        ({"games": 1_000_001}, "a server takes 1,000,000"),
        ({"game": "nosuch"}, "not a built-in game"),
    ],
)
def test_tasks_that_would_read_files_or_run_code(
    scene: Scene, fields: dict[str, Any], words: str
) -> None:
    """They are refused although the token is a trainer's."""
    order = TaskOrder(job=JOB, task=msgspec.structs.replace(TASK, **fields), nets={})
    answer = scene.trainer.http.put(f"/v1/tasks/{order.id}", content=encode(order))
    assert answer.status_code == 422, answer.text
    assert words in answer.json()["error"]


@pytest.mark.parametrize("name", ["../up", "a/b", "..%2f..", ".hidden", "n\x00", "ABCDEF01"])
def test_path_tricks_in_names(scene: Scene, name: str) -> None:
    """Names that are part of paths have a fixed form, in requests and in messages."""
    quoted = name.replace("/", "%2F").replace("\x00", "%00")
    for path in f"/v1/nets/{quoted}", f"/v1/tasks/{quoted}/games", f"/v1/nets/../../{quoted}":
        assert scene.trainer.http.get(path).status_code in (400, 404), path
    order = {"job": name, "task": msgspec.to_builtins(TASK), "nets": {}}
    answer = scene.trainer.http.put("/v1/tasks/abcdef0123", content=msgspec.msgpack.encode(order))
    assert answer.status_code == 400
    bundle = {"net": {"name": name, "parts": {"": b""}}}
    body = msgspec.msgpack.encode(bundle)
    path = f"/v1/nets/{hashlib.sha256(body).hexdigest()}"
    assert scene.trainer.http.put(path, content=body).status_code == 422
    assert not [*(scene.run / "fleet" / "nets").iterdir()]


@pytest.mark.parametrize("secret", ["rz_", "rz_" + "a" * 43, "x" * 5000, "\xff\xfe", "a b"])
def test_no_token(scene: Scene, secret: str) -> None:
    """Requests without a valid token get 401 on every route, and nothing happens."""
    headers = {"Rulezero": "1 0", "Authorization": f"Bearer {secret}".encode("latin-1")}
    for method, path in (
        ("GET", "/v1/hello"),
        ("POST", "/v1/games"),
        ("POST", "/v1/leases"),
        ("GET", "/v1/tokens"),
        ("PUT", f"/v1/nets/{'0' * 64}"),
    ):
        answer = httpx.request(method, scene.server.url + path, headers=headers)  # type: ignore[arg-type]
        assert answer.status_code == 401, path
        assert set(answer.json()) == {"error"}


def test_scopes(scene: Scene) -> None:
    """A worker's token cannot do a trainer's or an admin's work, and the other way round."""
    for me, requests in (
        (
            scene.worker,
            [
                ("GET", "/v1/tokens"),
                ("POST", "/v1/tokens"),
                ("DELETE", "/v1/tokens/abcdef01"),
                ("POST", "/v1/tokens/abcdef01/withdraw"),
                ("POST", "/v1/tokens/abcdef01/flag"),
                ("PUT", f"/v1/nets/{'0' * 64}"),
                ("PUT", f"/v1/tasks/{'0' * 32}"),
                ("DELETE", f"/v1/tasks/{scene.task_id}"),
                ("GET", f"/v1/tasks/{scene.task_id}/games"),
                ("GET", f"/v1/withdrawn?job={JOB}"),
            ],
        ),
        (scene.trainer, [("POST", "/v1/leases"), ("POST", "/v1/games"), ("GET", "/v1/tokens")]),
    ):
        for method, path in requests:
            answer = me.http.request(method, path)
            assert answer.status_code == 403, path
            assert "the token has no scope" in answer.json()["error"]


def test_a_revoked_token(scene: Scene) -> None:
    """The games of a revoked token are refused, and what it had leased goes to others."""
    with Caller(scene.server.url, token(scene.run, "worker", name="gone")) as gone:
        lease = gone.lease(games=1)
        with rz.fleets.tokens(scene.run) as tokens:
            tokens.revoke("gone")
        for _ in range(1000):
            if gone.http.get("/v1/hello").status_code == 401:
                break
        answer = gone.upload(lease.id, [pack(GAMES[indices(lease)[0]])])
        assert answer.status_code == 401
    assert "was revoked" in answer.json()["error"]


def test_resignations_follow_from_the_values() -> None:
    """A player can resign only on its own turn, after choices with values that are low enough."""
    task = Task(
        game="connect4",
        a="puct:sims=64",
        b="puct:sims=64",
        games=20,
        name="r",
        resign=Resign(value=0.3, choices=2, audit=0.0),
    )
    order, game = TaskOrder(job=JOB, task=task, nets={}), rz.load("connect4")

    def found(packed: bytes) -> str:
        opened = Opener().open(packed)
        return refusal(opened, order, game, {}) or verify([opened], task, game)[0]

    resigned = [each for each in played(task) if each.record.end_reason == "resigned"]
    assert resigned
    for each in resigned:
        assert found(pack(each)) == ""
        assert "a player resigned" in found(changed(each, outcome=-each.record.outcome))
        calm = np.zeros(each.record.plies)
        assert "a player resigned" in found(changed(each, **plies(each.record, value=calm)))
