"""Checkpoints: they are loaded unchanged, or refused."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import safetensors.torch
import torch

import rulezero as rz
from rulezero.nets.card import beside, digest, read_card, resolve
from rulezero.nets.checkpoint import load, save
from rulezero.nets.config import NetConfig
from rulezero.nets.export import to_onnx
from rulezero.nets.tower import create
from rulezero.play.evaluators.onnx import OnnxEvaluator
from support import little_nets, samples


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A copy of a small net that a test may damage."""
    original = little_nets.net("connect4")
    for suffix in (".json", ".onnx", ".safetensors"):
        shutil.copy(beside(original, suffix), tmp_path / f"net{suffix}")
    return tmp_path / "net"


def rewrite(net: Path, **changes: Any) -> None:
    """Changes entries of a card."""
    path = beside(net, ".json")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes), encoding="utf-8")


def test_a_net_comes_back() -> None:
    """A loaded net has the same weights and config, and its card the right facts."""
    net, tower = little_nets.net("razzle"), little_nets.tower("razzle")
    back = load(net)
    assert back.config == tower.config
    assert not back.training
    for name, tensor in tower.state_dict().items():
        assert torch.equal(back.state_dict()[name], tensor), name
    card, facts = read_card(net), samples.game("razzle").facts
    assert (card.game, card.name, card.planes, card.slots) == (
        "razzle",
        "razzle",
        facts.planes,
        facts.slots,
    )
    assert (card.rules, card.encoding) == (facts.version, facts.encoding)
    assert (card.rulezero, card.metadata) == (rz.__version__, {"seed": 1})
    assert card.tower_config(net).value == "wdl"
    assert card.weights == digest(beside(net, ".safetensors").read_bytes())


def test_saving_leaves_three_files(tmp_path: Path) -> None:
    """Saving makes missing folders, keeps dots in the name, and leaves no temporary files."""
    save(tmp_path / "new" / "net.v2", little_nets.tower("connect4"), samples.game("connect4"))
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert names == ["net.v2.json", "net.v2.onnx", "net.v2.safetensors"]
    assert resolve(tmp_path / "new" / "net.v2") == tmp_path / "new" / "net.v2"


def test_a_net_can_be_saved_while_it_is_trained(tmp_path: Path) -> None:
    """Saving does not change the tower; the ONNX file answers as in eval mode."""
    game = samples.game("connect4")
    tower = create(game, little_nets.TINY).train()
    planes = little_nets.batch("connect4", 8)
    path = save(tmp_path / "net", tower, game)
    assert tower.training
    assert tower.stem.conv.bias is None  # BatchNorm is not folded into it
    with torch.inference_mode():
        policy = tower.eval()(torch.from_numpy(planes)).policy
    np.testing.assert_allclose(
        OnnxEvaluator(path).evaluate(planes).policy, policy.numpy(), atol=1e-4
    )


def test_a_tower_of_another_game_is_not_saved(tmp_path: Path) -> None:
    """A tower whose slots or planes do not fit the game raises, and no file is written."""
    with pytest.raises(rz.NetError, match="not made for 'monster'"):
        save(tmp_path / "net", little_nets.tower("connect4"), samples.game("monster"))
    assert not list(tmp_path.iterdir())


def test_onnx_files_are_plain() -> None:
    """ONNX files have no BatchNorm, no paths of this machine and no external data."""
    for text in little_nets.GAMES:
        data = beside(little_nets.net(text), ".onnx").read_bytes()
        model = onnx.load_from_string(data)
        onnx.checker.check_model(model)
        assert "BatchNormalization" not in {node.op_type for node in model.graph.node}
        assert [put.name for put in model.graph.input] == ["planes"]
        assert [put.name for put in model.graph.output] == ["policy", "wdl", "value", "draw"]
        assert not any(tensor.external_data for tensor in model.graph.initializer)
        assert str(Path(__file__).parents[2]).encode() not in data
        assert b".py" not in data


def test_a_later_export_has_the_weights_of_its_own_tower() -> None:
    """The export caches graphs, but never weights."""
    one, other = (create(samples.game("connect4"), little_nets.TINY, seed) for seed in (1, 2))
    assert to_onnx(one) == to_onnx(one)
    assert to_onnx(one) != to_onnx(other)


Spoil = Callable[[Path], object]

SPOILT: dict[str, tuple[Spoil, str]] = {
    "no card": (lambda net: beside(net, ".json").unlink(), "there is no net"),
    "card is no JSON": (
        lambda net: beside(net, ".json").write_bytes(b"\x80\x04nonsense"),
        "is not the card of a net",
    ),
    "card is cut": (
        lambda net: beside(net, ".json").write_bytes(beside(net, ".json").read_bytes()[:100]),
        "is not the card of a net",
    ),
    "card is a pickle": (
        lambda net: beside(net, ".json").write_bytes(pickle.dumps({"game": "connect4"})),
        "is not the card of a net",
    ),
    "card is huge": (
        lambda net: beside(net, ".json").write_bytes(b" " * (1 << 21)),
        "larger than 1 MiB",
    ),
    "card is deep": (
        lambda net: beside(net, ".json").write_bytes(b'{"metadata": ' + b"[" * 100_000),
        "is not the card of a net",
    ),
    "unknown key": (lambda net: rewrite(net, colour="red"), "key 'colour' is unknown in Card"),
    "huge config": (
        lambda net: rewrite(net, config={"channels": 10**9}),
        "config.channels is 1000000000; give a whole number",
    ),
    "other value head": (lambda net: rewrite(net, config={"value": "elo"}), "elo"),
}

SPOILT_FOR_PLAY: dict[str, tuple[Spoil, str]] = {
    **SPOILT,
    "no onnx": (lambda net: beside(net, ".onnx").unlink(), "is incomplete: net.onnx is missing"),
    "onnx is cut": (
        lambda net: beside(net, ".onnx").write_bytes(beside(net, ".onnx").read_bytes()[:-1]),
        "not the file its card names",
    ),
    "onnx is another's": (
        lambda net: shutil.copy(beside(little_nets.net("razzle"), ".onnx"), beside(net, ".onnx")),
        "not the file its card names",
    ),
    "onnx is none": (lambda net: forge(net, ".onnx", b"nonsense"), "is not an ONNX model"),
    "onnx is no net": (
        lambda net: forge(net, ".onnx", stranger()),
        "is not a net: it needs the input planes",
    ),
}

SPOILT_FOR_TRAINING: dict[str, tuple[Spoil, str]] = {
    **SPOILT,
    "no weights": (lambda net: beside(net, ".safetensors").unlink(), "is incomplete"),
    "weights are cut": (
        lambda net: beside(net, ".safetensors").write_bytes(b"short"),
        "not the file its card names",
    ),
    "weights are a pickle": (
        lambda net: forge(net, ".safetensors", pickle.dumps([0.0] * 100_000)),
        "does not hold this net's weights",
    ),
    "weights of another size": (
        lambda net: rewrite(net, config={"blocks": 100, "channels": 2048}),
        "too small for the net that its card describes",
    ),
    "weights without names": (
        lambda net: forge(net, ".safetensors", safetensors.torch.save({"x": torch.zeros(10**6)})),
        "does not hold this net's weights",
    ),
    "game does not exist": (lambda net: rewrite(net, game="chequers"), "no game 'chequers'"),
    "game is another": (lambda net: rewrite(net, game="razzle"), "for connect4, not for razzle"),
    "game is a file to run": (
        lambda net: rewrite(net, game="python:file=evil.py"),
        "a game in a Python file: give the game, too",
    ),
    "encoding is older": (
        lambda net: rewrite(net, encoding=0),
        "needs encoding 0 of connect4, but the game now has encoding 1",
    ),
}


def forge(net: Path, suffix: str, data: bytes) -> None:
    """Replaces a file, and its digest on the card."""
    beside(net, suffix).write_bytes(data)
    rewrite(net, **{"onnx" if suffix == ".onnx" else "weights": digest(data)})


def stranger() -> bytes:
    """A valid ONNX model that is not a net."""
    number = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    other = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1])
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [number], [other])
    opset = onnx.helper.make_opsetid("", 20)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10)
    data: bytes = model.SerializeToString()
    return data


@pytest.mark.parametrize("how", SPOILT_FOR_PLAY)
def test_a_spoilt_net_does_not_play(net: Path, how: str) -> None:
    """A damaged net raises a one-line NetError that says what is wrong."""
    spoil, message = SPOILT_FOR_PLAY[how]
    spoil(net)
    with pytest.raises(rz.NetError, match=message) as error:
        OnnxEvaluator(net)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("how", SPOILT_FOR_TRAINING)
def test_a_spoilt_net_is_not_trained_on(net: Path, how: str) -> None:
    """Loading a damaged net raises a one-line error that says what is wrong."""
    spoil, message = SPOILT_FOR_TRAINING[how]
    spoil(net)
    with pytest.raises(rz.RulezeroError, match=message) as error:
        load(net)
    assert "\n" not in str(error.value)


def test_a_python_game_can_be_given(net: Path) -> None:
    """If the caller gives the game, the game text on the card is not loaded."""
    rewrite(net, game="python:file=anywhere.py")
    assert load(net, samples.game("connect4")).slots == 7


@pytest.fixture
def run(tmp_path: Path, net: Path) -> Path:
    """A run folder with nets of iterations 2 and 12."""
    nets = tmp_path / "run" / "nets"
    nets.mkdir(parents=True)
    for name in ("iter_2", "iter_12"):
        for suffix in (".json", ".onnx"):
            shutil.copy(beside(net, suffix), nets / f"{name}{suffix}")
    (nets / "best").write_text("iter_2\n", encoding="utf-8")
    (nets / "latest").write_text("iter_12", encoding="utf-8")
    return tmp_path / "run"


def test_texts_find_their_nets(run: Path, net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path may have a suffix or not; RUN is its best net; RUN@latest, RUN@best and RUN@12."""
    for suffix in ("", ".json", ".onnx", ".safetensors", ".int8.onnx"):
        assert resolve(f"{net}{suffix}") == net
    assert resolve(run) == resolve(f"{run}/") == resolve(f"{run}@best") == run / "nets" / "iter_2"
    assert resolve(f"{run}@latest") == resolve(f"{run}@12") == run / "nets" / "iter_12"
    assert resolve(f"{run}/nets/iter_12") == run / "nets" / "iter_12"
    assert OnnxEvaluator(f"{run}@latest").identity.startswith("iter_12#")
    monkeypatch.chdir(run.parent)
    assert resolve("run@12") == Path("run/nets/iter_12")


def test_texts_find_perceptrons(run: Path) -> None:
    """A perceptron is one .nn file; if a run has a card of the same name, the card is used."""
    nets = run / "nets"
    for name in ("iter_12", "iter_15"):
        (nets / f"{name}.nn").write_bytes(b"NNWB")
    assert resolve(f"{run}@12") == resolve(f"{run}@latest") == nets / "iter_12"
    assert resolve(nets / "iter_12.nn") == nets / "iter_12.nn"
    assert resolve(f"{run}@15") == nets / "iter_15.nn"
    for pointer in ("best", "latest"):
        (nets / pointer).write_text("iter_15", encoding="utf-8")
        assert resolve(f"{run}@{pointer}") == nets / "iter_15.nn"
    assert resolve(run) == nets / "iter_15.nn"
    with pytest.raises(rz.NetError, match="no net of iteration 3; its newest is 15"):
        resolve(f"{run}@3")
    with pytest.raises(rz.NetError, match=r"iter_15.nn' is a \.nn file, which has no"):
        OnnxEvaluator(run)
    with pytest.raises(rz.NetError, match="which has no policy"):
        load(resolve(run))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{run}/nets/iter_3.nn", "there is no net '.*iter_3.nn': there is no such file"),
        ("{run}@3.nn", "after the @, give"),
        ("{run}x@3.nn", "there is no such file"),
        ("{run}/nothing", "neither a checkpoint .*nothing.json'. nor a run folder"),
        ("{run}/nets/iter_3.onnx", "there is no net '.*iter_3.onnx'"),
        ("{run}@3", "no net of iteration 3; its newest is 12"),
        ("{run}@newest", "after the @, give best, latest or an iteration's number"),
        ("{run}x@best", "there is no run folder '.*runx'"),
        ("{run}/nets", "has no best net: there is no file"),
        ("", "there is no net ''"),
        ("best", "there is no net 'best'"),
    ],
)
def test_texts_that_find_none(run: Path, text: str, message: str) -> None:
    """The error says what is missing, and where."""
    with pytest.raises(rz.NetError, match=message):
        resolve(text.format(run=run))


@pytest.mark.parametrize("name", ["", "../../net", "/etc/passwd", "iter_3", "a\nb", "\x80" * 300])
def test_pointers_stay_in_their_folder(run: Path, name: str) -> None:
    """A pointer file must contain the plain name of an existing net of the run."""
    (run / "nets" / "best").write_text(name, encoding="latin-1")
    with pytest.raises(rz.NetError, match=r"must hold the name of a net|there is no '.*json'"):
        resolve(run)


def test_configs_are_values() -> None:
    """Configs can be compared and hashed, because graphs are cached by config."""
    assert NetConfig(blocks=2) == NetConfig(blocks=2)
    assert len({NetConfig(blocks=2), NetConfig(blocks=2), NetConfig(blocks=3)}) == 2
