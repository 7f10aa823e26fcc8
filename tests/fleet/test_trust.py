"""A worker refuses everything that would run or read a file of its machine."""

import os
import time
from pathlib import Path
from typing import Any

import msgspec
import onnx
import pytest

import rulezero as rz
from rulezero.fleet.nets import pack_net
from rulezero.fleet.protocol import FleetError, Lease, NetBundle, encode
from rulezero.fleet.worker.net_cache import NetCache
from rulezero.fleet.worker.trust import check_lease, check_model
from rulezero.nets.card import beside
from rulezero.play.nets import PATHS
from rulezero.play.task import Task
from support import little_nets
from support.tictactoe import TicTacToe

SHA256 = "0" * 64


def lease(ranges: list[tuple[int, int]] | None = None, **fields: Any) -> Lease:
    """A lease of games of Connect Four, with other fields of its task."""
    task = Task(**{"game": "connect4", "a": "random", "b": "random", "games": 10, **fields})
    given = [(0, 2), (5, 1)] if ranges is None else ranges
    nets = {"n": SHA256}
    return Lease(id=SHA256, task_id=SHA256, task=task, nets=nets, games=given, seconds=60)


def test_a_harmless_lease_is_taken() -> None:
    """Its games are listed by their indices."""
    assert check_lease(lease()) == [0, 1, 5]
    assert check_lease(lease(a="puct:net=n,sims=4", b="alphabeta", judge="heuristic")) == [0, 1, 5]
    assert check_lease(lease(game="random_chess:pieces=custom")) == [0, 1, 5]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"game": "python:file=/tmp/x.py"}, "is not one of rulezero's own"),
        ({"game": "x.py"}, "not a name|is not one of rulezero's own"),
        ({"game": "tictactoe"}, "is not one of rulezero's own"),
        ({"game": f"python:file=x.py,sha={SHA256}"}, "is not one of rulezero's own"),
        ({"game": "random_chess:pieces=/etc/passwd"}, "would read a file"),
        ({"game": "random_chess:pieces=standard+pieces.yaml"}, "would read a file"),
        ({"a": "alphabeta:weights=/etc/passwd"}, "would read a file of this machine: weights="),
        ({"b": "puct:tables=/etc"}, "would read a file of this machine: tables="),
        ({"judge": "puct:tables=/etc"}, "would read a file of this machine: tables="),
        ({"a": "puct:net=runs/x"}, "has a net that the server does not send"),
        ({"judge": "policy:net=/etc/passwd"}, "has a net that the server does not send"),
        ({"a": "human"}, "human"),
        ({"format": 1}, "a task of format 1"),
        ({"a": "nonsense"}, "there is no player"),
        ({"games": 5}, "has games that its task of 5 has not"),
    ],
)
def test_dangerous_tasks_are_refused(fields: dict[str, Any], words: str) -> None:
    """The error is one line that says what the task would do."""
    rz.games.register(TicTacToe)  # also a game that this process happens to know
    with pytest.raises(FleetError, match=words) as caught:
        check_lease(lease(**fields))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "ranges", [[], [(0, 0)], [(0, 2), (1, 2)], [(0, 10**12)], [(-1, 2)], [(9, 2)], [(3, -1)]]
)
def test_impossible_games_are_refused(ranges: list[tuple[int, int]]) -> None:
    """No games, games twice, too many, or ones that are not in the task."""
    with pytest.raises(FleetError, match="a lease has"):
        check_lease(lease(ranges))


def bundle() -> NetBundle:
    """A net for Connect Four."""
    return NetBundle(net=pack_net(str(little_nets.net("connect4")), {".onnx"}, PATHS))


def test_models_that_read_files_are_refused(tmp_path: Path) -> None:
    """A model's tensors must not be in other files, wherever in the model they are."""
    packed = bundle().net
    model = onnx.load_model_from_string(packed.parts[".onnx"])
    check_model(packed.parts[".onnx"], "n")
    tensor = model.graph.initializer[0]
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "/etc/passwd"
    with pytest.raises(rz.NetError, match="would read files of this machine"):
        check_model(model.SerializeToString(), "n")
    constant = onnx.helper.make_node("Constant", [], ["x"], value=tensor)
    deep = onnx.load_model_from_string(packed.parts[".onnx"])
    deep.graph.node.append(constant)
    with pytest.raises(rz.NetError, match="would read files of this machine"):
        check_model(deep.SerializeToString(), "n")
    with pytest.raises(rz.NetError, match="is not an ONNX model"):
        check_model(b"\x80nonsense", "n")
    evil = msgspec.structs.replace(
        packed, parts={**packed.parts, ".onnx": model.SerializeToString()}
    )
    body = encode(NetBundle(net=evil))
    cache = NetCache(tmp_path, lambda _: body)
    with pytest.raises(rz.NetError, match="would read files of this machine"):
        cache.find(NetBundle(net=evil).digest)
    assert not list(tmp_path.rglob("*.onnx"))


def test_nets_are_fetched_once_and_damaged_ones_again(tmp_path: Path) -> None:
    """A second process finds the net in the folder, and fetches it again if it is damaged."""
    given = bundle()
    asked: list[str] = []

    def fetch(sha256: str) -> bytes:
        asked.append(sha256)
        return encode(given)

    for _ in range(2):
        cache = NetCache(tmp_path, fetch)
        assert cache.find(given.digest).path == cache.find(given.digest).path
    assert asked == [given.digest]
    path = NetCache(tmp_path, fetch).find(given.digest).path
    assert rz.net(path).evaluate([rz.load("connect4").start()])[0].shape == (1, 7)
    (tmp_path / f"{given.digest}.net").write_bytes(encode(given)[:-1])
    NetCache(tmp_path, fetch).find(given.digest)
    assert len(asked) == 2
    beside(path, ".json").unlink()
    assert beside(NetCache(tmp_path, fetch).find(given.digest).path, ".json").is_file()


def test_old_nets_make_room(tmp_path: Path) -> None:
    """The net that was not used for the longest time is removed; one in use never is."""
    nets = [
        NetBundle(net=msgspec.structs.replace(bundle().net, name=f"net{number}"))
        for number in range(3)
    ]
    bodies = {net.digest: encode(net) for net in nets}
    size = len(encode(nets[0]))
    cache = NetCache(tmp_path, bodies.__getitem__, most_bytes=5 * size)
    for number, net in enumerate(nets[:2]):
        cache.find(net.digest)
        then = time.time() - 3 * 3600 + number
        os.utime(tmp_path / f"{net.digest}.net", (then, then))
    cache.find(nets[2].digest)
    kept = {path.stem for path in tmp_path.glob("*.net")}
    assert kept == {nets[1].digest, nets[2].digest}
    cache.find(nets[1].digest)
    assert not (tmp_path / nets[0].digest).exists()
    cache.find(nets[0].digest)  # both others were used in the last hour, so both stay
    assert len([*tmp_path.glob("*.net")]) == 3
