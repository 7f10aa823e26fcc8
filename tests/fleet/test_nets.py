"""Nets travel to other machines as bytes, and give the same games there."""

from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero.fleet.local import LocalFleet
from rulezero.fleet.nets import PackedNet, nets_of, pack_net, unpack_net
from rulezero.nets.perceptron import create, to_nn
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.task import Task
from support import little_nets


def perceptron(folder: Path) -> Path:
    """A new perceptron for chess."""
    path = folder / "small.nn"
    path.write_bytes(to_nn(create()))
    return path


def records(task: Task, nets: NetStore) -> list[str]:
    """The ids of a task's records."""
    games = LocalFleet(nets, workers=1).run([task])
    return sorted(finished.record.id for _, finished in games)


def test_unpacked_nets_play_the_same_games(tmp_path: Path) -> None:
    """A task's records are the same where its nets are copies in another folder."""
    net, mlp = little_nets.net("connect4"), perceptron(tmp_path)
    for task in (
        Task(game="connect4", a=f"puct:net={net},sims=8", b="random", games=4),
        Task(game="chess:planes=features781", a=f"oneply:net={mlp}", b="random", games=2),
    ):
        named = nets_of([task])
        packed = {name: pack_net(name, suffixes, PATHS) for name, suffixes in named.items()}
        sent = msgspec.msgpack.encode(packed)
        got = msgspec.msgpack.decode(sent, type=dict[str, PackedNet])
        copies = {name: unpack_net(each, tmp_path / "far") for name, each in got.items()}
        assert all(path.is_relative_to(tmp_path / "far") for path in copies.values())
        assert records(task, NetStore(copies=copies)) == records(task, PATHS)


def test_the_files_that_backends_read_are_packed() -> None:
    """A net that two players compute with different backends is packed with both files."""
    net = str(little_nets.net("connect4"))
    task = Task(
        game="connect4", a=f"policy:net={net}", b=f"policy:net={net},backend=torch", games=2
    )
    assert nets_of([task]) == {net: {".onnx", ".safetensors"}}
    parts = pack_net(net, nets_of([task])[net], PATHS).parts
    assert set(parts) == {".json", ".onnx", ".safetensors"}


def test_a_digest_depends_on_every_byte_and_not_on_the_order() -> None:
    """Two nets with the same digest are the same net."""
    one = PackedNet(name="n", parts={".json": b"a", ".onnx": b"b"})
    assert one.digest == PackedNet(name="n", parts={".onnx": b"b", ".json": b"a"}).digest
    others = [
        PackedNet(name="m", parts=one.parts),
        PackedNet(name="n", parts={".json": b"a", ".onnx": b"c"}),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 3


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a\\b", "n\n", "x" * 300])
def test_names_that_leave_the_folder_are_refused(name: str) -> None:
    """The name of a packed net is one plain file name."""
    message = msgspec.msgpack.encode({"name": name, "parts": {"": b""}})
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(message, type=PackedNet)


@pytest.mark.parametrize(
    ("name", "suffixes"),
    [
        ("net", [".onnx"]),
        ("net", [".json"]),
        ("net", [".json", ".py"]),
        ("net", [""]),
        ("net.nn", [".json", ".onnx"]),
        ("net", [".json", "/../../x.onnx"]),
    ],
)
def test_other_parts_are_refused(tmp_path: Path, name: str, suffixes: list[str]) -> None:
    """Nothing is written for a net with other parts than a net has."""
    packed = PackedNet(name=name, parts=dict.fromkeys(suffixes, b""))
    with pytest.raises(rz.NetError, match="has the wrong parts"):
        unpack_net(packed, tmp_path)
    assert not list(tmp_path.iterdir())
