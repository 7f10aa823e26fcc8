"""int8: complete, close to the net's outputs, and unused if it is not."""

import json
import shutil
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest

import rulezero as rz
from rulezero.nets import quantize
from rulezero.nets.card import beside
from rulezero.nets.config import NetConfig
from rulezero.nets.parity import Parity, compare, cpu, softmax
from rulezero.nets.positions import Sample, sample
from rulezero.nets.quantize import choose, float_layers, last_layers, measure
from rulezero.nets.runtime import Floats, Runtime
from rulezero.play.evaluators.onnx import OnnxEvaluator
from support import little_nets, samples

NET = NetConfig(blocks=2, channels=16)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A net without an int8 file."""
    original = little_nets.net("connect4", NET)
    for suffix in (".json", ".onnx"):
        shutil.copy(beside(original, suffix), tmp_path / f"net{suffix}")
    return tmp_path / "net"


@pytest.mark.parametrize("text", ["connect4", "razzle", "chess", "exchange"])
def test_all_layers_but_the_last_are_int8(text: str) -> None:
    """Also with few planes, where onnxruntime leaves convolutions in float by default."""
    config = NET if text in ("connect4", "razzle") else little_nets.TINY
    net = little_nets.net(text, config)
    model = quantize.quantize(net).read_bytes()
    left = float_layers(model)
    assert left <= last_layers(onnx.load(beside(net, ".onnx")))
    kinds = [node.op_type for node in onnx.load_from_string(model).graph.node]
    assert kinds.count("Conv") > 2 * config.blocks  # none of them in float
    assert len(left) <= 3  # the policy, its further slots, and the value


def test_a_float_layer_is_seen() -> None:
    """float_layers finds all layers of a float net, so the test above can fail."""
    model = beside(little_nets.net("connect4", NET), ".onnx").read_bytes()
    assert len(float_layers(model)) == 1 + 2 * NET.blocks + 2 + 3


def test_a_layer_that_stays_float_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer that stays in float raises a NetError that names it."""
    model = beside(little_nets.net("connect4", NET), ".onnx").read_bytes()
    monkeypatch.setattr(quantize, "float_layers", lambda _: {"node_conv2d_1"})
    with pytest.raises(rz.NetError, match="layers stayed float: node_conv2d_1"):
        quantize.quantized(model, little_nets.batch("connect4", 8))


def test_a_comparison_is_made_once(net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison is saved next to the net, and repeated for another CPU."""
    found = measure(net)
    assert (found.cpu, found.agreement) == (cpu(), 1.0)
    assert found.policy < 0.02
    assert found.worst_value < 0.05
    assert found.speed > 0
    made = beside(net, ".int8.onnx").read_bytes()

    def never(*_: object) -> dict[str, float]:
        raise AssertionError("compared again")

    with monkeypatch.context() as patch:
        patch.setattr(quantize, "compare", never)
        assert measure(net) == found
        patch.setattr(quantize, "cpu", lambda: "another")
        with pytest.raises(AssertionError, match="compared again"):
            measure(net)
    monkeypatch.setattr(quantize, "cpu", lambda: "another")
    measure(net)
    notes = json.loads(beside(net, ".int8.json").read_bytes())
    assert [note["cpu"] for note in notes] == [cpu(), "another"]
    assert beside(net, ".int8.onnx").read_bytes() == made  # one file serves all CPUs


def test_a_strange_int8_file_is_made_anew(net: Path) -> None:
    """A changed or missing int8 file, and unreadable notes, are made again."""
    found = measure(net)
    path, notes = beside(net, ".int8.onnx"), beside(net, ".int8.json")
    path.write_bytes(b"nonsense")
    assert measure(net).int8 == found.int8
    path.unlink()
    assert measure(net).int8 == found.int8
    notes.write_bytes(b"nonsense")
    assert measure(net).int8 == found.int8
    assert OnnxEvaluator(net, "int8").identity == f"net.int8#{found.int8[:12]}"


def remember(net: Path, **figures: float) -> None:
    """Writes a comparison with these figures, and the speed 2, into the notes of a net."""
    notes = beside(net, ".int8.json")
    found = msgspec.structs.replace(measure(net), speed=2.0)
    changed = msgspec.structs.replace(found, **figures)
    notes.write_bytes(msgspec.json.encode([changed]))


def test_int8_is_chosen_where_it_is_good_and_faster(net: Path) -> None:
    """auto needs int8 to be close and faster; int8 needs it to be close; fp32 never uses it."""
    exact, quick = beside(net, ".onnx"), beside(net, ".int8.onnx")
    assert choose(net, "fp32") == exact
    assert not quick.exists()
    remember(net)
    assert choose(net) == choose(net, "int8") == quick
    assert choose(net, speed=3.0) == exact
    remember(net, speed=0.9)
    assert choose(net, "auto") == exact
    assert choose(net, "int8") == quick
    assert OnnxEvaluator(net, "auto").identity.startswith("net#")
    with pytest.raises(rz.NetError, match="there is no precision 'fp16'"):
        choose(net, "fp16")


@pytest.mark.parametrize(
    ("figure", "value", "message"),
    [
        ("agreement", 0.9, "agreement of the favourites is 0.9, must be at least 0.95"),
        ("policy", 0.1, "mean difference of the policies is 0.1, must be at most 0.03"),
        ("value", float("inf"), "mean difference of the values is inf, must be at most 0.03"),
        ("worst_value", 0.5, "greatest difference of the values is 0.5, must be at most 0.2"),
    ],
)
def test_int8_that_is_too_far_is_refused(
    net: Path, figure: str, value: float, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With int8, the error names the figure; with auto, the float net is used."""
    changed = msgspec.structs.replace(measure(net), **{figure: value})
    monkeypatch.setattr(quantize, "measure", lambda *_: changed)
    with pytest.raises(rz.NetError, match=message):
        choose(net, "int8")
    assert choose(net, "auto") == beside(net, ".onnx")


class Fixed(Runtime):
    """A model with constant outputs."""

    def __init__(self, policy: list[float], value: float) -> None:
        self.policy, self.value = policy, value

    def run(self, planes: Floats) -> tuple[Floats, Floats, Floats]:
        batch = len(planes)
        value = np.full(batch, self.value, np.float32)
        return np.tile(np.array(self.policy, np.float32), (batch, 1)), value, value


def test_comparisons_look_at_legal_slots() -> None:
    """Illegal slots are ignored, and favourites with nearly equal logits count as agreement."""
    positions = Sample(np.zeros((4, 3, 6, 7), np.float32), [np.array([0, 1])] * 4)
    exact = Fixed([1.0, 0.0, 0.0], 0.25)

    def figures(policy: list[float], value: float) -> list[float]:
        found = compare(exact, Fixed(policy, value), positions)
        return [found[name] for name in ("agreement", "policy", "value", "worst_value")]

    assert figures([1.0, 0.0, 9.0], 0.25) == [1, 0, 0, 0]
    swapped = softmax(np.array([1.0, 0.0], np.float32))
    assert figures([0.0, 1.0, 0.0], -0.25) == pytest.approx([0, swapped[0] - swapped[1], 0.5, 0.5])
    exact = Fixed([0.01, 0.0, 0.0], 0.25)
    agreement, policy, *_ = figures([0.0, 0.01, 0.0], 0.25)
    assert agreement == 1
    assert policy == pytest.approx(0.005, abs=1e-4)


@pytest.mark.parametrize("text", samples.GAMES)
def test_samples_are_real_positions(text: str) -> None:
    """A sample has the wanted number of positions with legal slots, and depends on the seed."""
    game = samples.game(text)
    one, same, other = (sample(game, 20, seed) for seed in (1, 1, 2))
    assert one.planes.shape == (20, *game.facts.planes)
    assert len(one.legal) == 20
    assert all(0 <= slots.min() <= slots.max() < game.facts.slots for slots in one.legal)
    assert (one.planes == same.planes).all()
    assert not (one.planes == other.planes).all()


def test_parities_are_figures_and_where_they_hold() -> None:
    """The names in the notes are part of the file format."""
    assert Parity.__struct_fields__ == (
        *("cpu", "onnxruntime", "net", "int8"),
        *("agreement", "policy", "value", "worst_value", "speed"),
    )
