"""Nets are found by name, SHA-256 and path, in every process."""

import pickle
import shutil
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.fleet.local import LocalFleet
from rulezero.nets.card import beside, digest
from rulezero.nets.perceptron import create, to_nn
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.task import Task
from support import little_nets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a net and its int8 file, a perceptron, and an unreadable card."""
    net = little_nets.net("razzle")
    for suffix in ".json", ".onnx", ".safetensors":
        shutil.copy(beside(net, suffix), tmp_path / f"iter_3{suffix}")
    (tmp_path / "iter_3.int8.onnx").write_bytes(b"eight bits")
    (tmp_path / "iter_3.int8.json").write_text("[]")
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / "damaged.onnx").write_bytes(b"")
    (tmp_path / "iter_4.nn").write_bytes(to_nn(create()))
    return tmp_path


def test_a_net_is_found_by_name_sha256_and_path(folder: Path) -> None:
    """The SHA-256 is that of the .onnx or .nn file; names in the folder come before paths."""
    nets = NetStore(folder)
    tower, perceptron = folder / "iter_3", folder / "iter_4.nn"
    assert nets.path_of("iter_3") == tower
    assert nets.path_of("iter_4") == nets.path_of("iter_4.nn") == perceptron
    assert nets.path_of(digest((folder / "iter_3.onnx").read_bytes())) == tower
    assert nets.path_of(digest(perceptron.read_bytes())) == perceptron
    elsewhere = little_nets.net("connect4")
    for store in nets, PATHS:
        assert store.path_of(str(elsewhere)) == elsewhere
        assert store.path_of(f"{elsewhere}.json") == elsewhere


def test_an_unknown_net_is_one_clear_line(folder: Path) -> None:
    """The error names the net that was looked up, and the folder."""
    for net, words in {
        "iter_9": f"there is no net 'iter_9': .* nor is it a net in '{folder}'",
        "lost.nn": f"there is no net 'lost.nn': .* nor is it a net in '{folder}'",
        "ab" * 32: f"there is no net with the SHA-256 {'ab' * 32} in '{folder}'",
    }.items():
        with pytest.raises(rz.NetError, match=words) as caught:
            NetStore(folder).path_of(net)
        assert "\n" not in str(caught.value)
    with pytest.raises(rz.NetError, match="there is no net 'iter_3'"):
        PATHS.path_of("iter_3")


def test_worker_processes_find_the_same_nets(folder: Path) -> None:
    """With nets by name and by SHA-256, two processes play the same games as one."""
    nets = NetStore(folder)
    assert pickle.loads(pickle.dumps(nets)) == nets
    sha256 = digest((folder / "iter_3.onnx").read_bytes())
    task = Task(game="razzle", a="policy:net=iter_3", b=f"policy:net={sha256}", games=4, opening=2)
    games = [
        {each.record.index: each for _, each in LocalFleet(nets, workers=workers).run([task])}
        for workers in (1, 2)
    ]
    assert games[0] == games[1]
    assert len(games[0]) == 4
    (identity,) = {name for each in games[0].values() for name in each.record.nets}
    assert identity is not None
    assert identity.startswith("iter_3#")
