"""Net options: parameter counts, training, saving, exporting and int8 for each of them."""

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import pytest
import torch
from torch import Tensor, nn

import rulezero as rz
from rulezero.nets import config as configs
from rulezero.nets.card import beside, read_card
from rulezero.nets.checkpoint import load, save
from rulezero.nets.config import NetConfig
from rulezero.nets.export import to_onnx
from rulezero.nets.heads import VALUE_HEADS, TanhHead, WdlHead
from rulezero.nets.parity import compare
from rulezero.nets.positions import sample
from rulezero.nets.quantize import float_layers, last_layers, quantized
from rulezero.nets.runtime import Runtime
from rulezero.nets.tower import Outputs, Tower, create
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.evaluators.torch import TorchEvaluator
from support import little_nets, samples

# One game for each policy head; two for from_to, whose further slots are per square or single.
GAMES = ["connect4", "chess", "exchange", "razzle"]
SMALLER = (
    "se",
    "pooling",
    "widths",
    "tanh",
    "value_pooled",
    "value_hidden",
)  # in the ONNX file
every_option = pytest.mark.parametrize("option", little_nets.OPTIONS)
every_head = pytest.mark.parametrize("text", GAMES)

# A tower of 10x128 for Razzle's 7 planes of 8x7, with a flat head to its 3137 slots:
STEM = 9 * 7 * 128 + 2 * 128  # convolution and BatchNorm
BLOCK = 2 * (9 * 128 * 128 + 2 * 128)
NARROWER = (9 * 128 + 9 * 64 + 128) * 64 + 3 * 2 * 64  # block from 128 to 64 channels
POLICY = 128 * 8 + 2 * 8 + (8 * 56) * 3137 + 3137
HIDDEN = 128 * 8 + 2 * 8 + (8 * 56) * 64 + 64  # of the value head
PLAIN = STEM + 10 * BLOCK + POLICY + HIDDEN + 64 * 3 + 3


@pytest.mark.parametrize(
    ("change", "parameters"),
    [
        ({}, 4_402_084),
        ({}, PLAIN),
        ({"se": 16}, PLAIN + 10 * (128 * 16 + 16 + 16 * 128 + 128)),
        ({"pooling": 4}, PLAIN + 2 * (9 * 128 * 32 + 2 * 32 + (2 * 32) * 128 + 128)),
        ({"widths": (128,) * 10}, PLAIN),
        ({"widths": (128,) * 9 + (64,)}, PLAIN - BLOCK + NARROWER - 64 * 8 * 2),
        ({"value": "tanh"}, PLAIN - 2 * 65),
        ({"value_pooled": True}, PLAIN - HIDDEN + 128 * 64 + 64),
        ({"value_hidden": (64,)}, PLAIN),
        ({"value_hidden": (64, 32, 16)}, PLAIN - 64 * 3 + 64 * 32 + 32 + 32 * 16 + 16 + 16 * 3),
        ({"moves_left": True}, PLAIN + HIDDEN + 65),
        ({"dropout": 0.5}, PLAIN),
        ({"head": "from_to"}, PLAIN - POLICY + 2 * (128 * 32 + 32) + 56 * 56 + 128 + 1),
    ],
)
def test_parameters_are_those_that_one_counts(change: dict[str, Any], parameters: int) -> None:
    """Each option changes the number of parameters as computed by hand."""
    config = NetConfig(**{"blocks": 10, "channels": 128, "head": "flat", **change})
    tower = create(samples.game("razzle"), config)
    assert sum(weight.numel() for weight in tower.parameters()) == parameters


def targets(text: str, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Planes of positions and targets: a slot, a result (0 for a win), and a length in [0, 1]."""
    states = little_nets.positions(text, count)
    slots = torch.tensor([state.slot(state.legal[0]) for state in states])
    planes = torch.from_numpy(little_nets.batch(text, count))
    return planes, slots, torch.arange(count) % 3, torch.arange(count) / count


def loss(said: Outputs, slots: Tensor, results: Tensor, length: Tensor) -> Tensor:
    """The sum of the losses of policy, value and, if there is one, moves left."""
    whole = nn.functional.cross_entropy(said.policy, slots)
    if said.value.shape[1] == 3:
        whole = whole + nn.functional.cross_entropy(said.value, results)
    else:
        whole = whole + ((said.value[:, 0] - (1.0 - results)) ** 2).mean()
    if said.moves_left is not None:
        whole = whole + ((said.moves_left[:, 0] - length) ** 2).mean()
    return whole


@every_option
@every_head
def test_one_batch_can_be_learnt(text: str, option: str) -> None:
    """A net with any option can overfit one batch, measured in eval mode without dropout."""
    planes, *wanted = targets(text, 8)
    tower = create(samples.game(text), little_nets.OPTIONS[option]).train()
    optimiser = torch.optim.Adam(tower.parameters(), 1e-2)
    before = float(loss(tower(planes), *wanted).detach())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for _ in range(80):
            optimiser.zero_grad()
            loss(tower(planes), *wanted).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    with torch.no_grad():
        after = float(loss(tower.eval()(planes), *wanted))
    assert before > 2
    assert after < 0.2


@every_option
@every_head
def test_gradients_reach_every_parameter(text: str, option: str) -> None:
    """Every parameter is used: its gradient is not 0."""
    planes, *wanted = targets(text, 8)
    tower = create(samples.game(text), little_nets.OPTIONS[option]).train()
    loss(tower(planes), *wanted).backward()  # type: ignore[no-untyped-call]
    for name, weight in tower.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 0, name


@every_option
@every_head
def test_answers_do_not_depend_on_the_batch(text: str, option: str) -> None:
    """In eval mode, a single position gets the same outputs as in a batch of 64."""
    tower = little_nets.tower(text, little_nets.OPTIONS[option])
    planes = torch.from_numpy(little_nets.batch(text, 64))
    with torch.no_grad():
        whole = tower(planes)
        for row in (0, 40, 63):
            alone = tower(planes[row : row + 1])
            for one, other in zip(alone, whole, strict=True):
                if other is not None:
                    torch.testing.assert_close(one[0], other[row], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("value", VALUE_HEADS)
def test_dropout_hides_from_the_value_in_training_only(value: str) -> None:
    """In training, two passes over one batch differ in the value, but not in other outputs."""
    for text in GAMES:
        planes = torch.from_numpy(little_nets.batch(text, 4))
        config = little_nets.OPTIONS["all"].model_copy(update={"value": value})
        tower = create(samples.game(text), config)
        with torch.no_grad():
            quiet = [tower(planes) for _ in range(2)]
            noisy = [tower.train()(planes) for _ in range(2)]
        for name, one, other in zip(Outputs._fields[:3], *quiet, strict=False):
            assert torch.equal(one, other), name
        for name, one, other in zip(Outputs._fields[:3], *noisy, strict=False):
            assert torch.equal(one, other) == (name != "value"), name


def test_dropout_comes_after_each_hidden_layer() -> None:
    """Dropout follows every hidden layer of the value head."""
    config = NetConfig(blocks=1, channels=8, value_hidden=(6, 5, 4), dropout=0.3)
    head = create(samples.game("tictactoe"), config).value
    seen: list[int] = []
    head.dropout.register_forward_hook(lambda _, given, __: seen.append(given[0].shape[1]))
    head(torch.zeros(2, 8, 3, 3))
    assert seen == [6, 5, 4]


@pytest.mark.parametrize(
    ("text", "option"),
    [
        *(("connect4", option) for option in little_nets.OPTIONS if option != "all"),
        *((text, "none") for text in GAMES if text != "connect4"),
        *((text, "all") for text in GAMES),
    ],
)
def test_onnx_says_what_torch_says(text: str, option: str) -> None:
    """ONNX Runtime and torch agree within 1e-4, with every head and with every option."""
    tower = little_nets.tower(text, little_nets.OPTIONS[option])
    planes = little_nets.batch(text, 64)
    found = Runtime(to_onnx(tower), "net").run(planes)
    with torch.no_grad():
        said = tower(torch.from_numpy(planes))
    answers = said.policy, *tower.value.value_and_draw(said.value)
    for one, other in zip(found, answers, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other.numpy(), atol=1e-4)
    assert found[0].std(0).max() > 1e-2  # outputs differ between positions, as they must here


@pytest.mark.parametrize(
    ("text", "option"),
    [*(("connect4", option) for option in SMALLER), *((t, "all") for t in GAMES)],
)
def test_options_are_made_int8(text: str, option: str) -> None:
    """All layers but the last ones of the heads are int8, and the outputs are close."""
    model = to_onnx(little_nets.tower(text, little_nets.OPTIONS[option]))
    positions = sample(samples.game(text), 64, seed=0)
    made = quantized(model, positions.planes)
    left = float_layers(made)
    assert left <= last_layers(onnx.load_from_string(model))
    assert len(left) <= 3
    kinds = [node.op_type for node in onnx.load_from_string(made).graph.node]
    assert kinds.count("Conv") > 2 * little_nets.SMALL.blocks
    found = compare(Runtime(model, "net"), Runtime(made, "int8"), positions)
    assert found["agreement"] >= 0.95
    assert found["policy"] < 0.03
    assert found["worst_value"] < 0.05


def test_what_plays_is_settled_to_the_bit() -> None:
    """Outputs are bit-identical for any batch size, in float and int8."""
    net = little_nets.net("razzle", little_nets.OPTIONS["all"])
    planes = little_nets.batch("razzle", 64)
    for precision in ("fp32", "int8"):
        evaluator = OnnxEvaluator(net, precision)
        whole = evaluator.evaluate(planes)
        for size in (1, 2, 3, 7):
            for first in (0, 64 - size):
                part = evaluator.evaluate(planes[first : first + size])
                for one, other in zip(part, whole, strict=True):
                    assert one.tobytes() == other[first : first + size].tobytes()


def test_what_only_training_needs_does_not_play() -> None:
    """With or without moves_left and dropout, a net exports to the same bytes."""
    game = samples.game("connect4")
    for value in ("wdl", "tanh"):
        plain = little_nets.SMALL.model_copy(update={"value": value})
        more = plain.model_copy(update={"moves_left": True, "dropout": 0.3})
        one, other = (to_onnx(create(game, config, seed=1)) for config in (plain, more))
        assert one == other
        outputs = [put.name for put in onnx.load_from_string(one).graph.output]
        assert outputs == ["policy", *(["wdl"] if value == "wdl" else []), "value", "draw"]


@every_option
def test_options_come_back(option: str) -> None:
    """Config and weights are loaded unchanged; both backends agree on the saved net."""
    config = little_nets.OPTIONS[option]
    net, tower = little_nets.net("razzle", config), little_nets.tower("razzle", config)
    back = load(net)
    assert back.config == read_card(net).config == tower.config
    assert back.config == config.model_copy(update={"head": "from_to"})
    assert back.state_dict().keys() == tower.state_dict().keys()
    for name, tensor in tower.state_dict().items():
        assert torch.equal(back.state_dict()[name], tensor), name
    planes = little_nets.batch("razzle", 16)
    ours, reference = OnnxEvaluator(net).evaluate(planes), TorchEvaluator(net).evaluate(planes)
    for one, other in zip(ours, reference, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_cards_from_before_the_options_are_read(tmp_path: Path) -> None:
    """Keys that are missing on an old card get their old values; unknown keys raise."""
    original = little_nets.net("connect4")
    for suffix in (".json", ".onnx", ".safetensors"):
        shutil.copy(beside(original, suffix), tmp_path / f"net{suffix}")
    path = tmp_path / "net.json"
    card = json.loads(path.read_bytes())
    assert card["config"]["value_hidden"] == 64  # a single number is not written as a list
    for name in ("se", "pooling", "moves_left", "dropout", "widths", "value_pooled"):
        del card["config"][name]
    path.write_text(json.dumps(card), encoding="utf-8")
    assert load(tmp_path / "net").config == load(original).config
    card["config"]["attention"] = 4
    path.write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(rz.NetError, match="key 'attention' is unknown in config"):
        load(tmp_path / "net")


LAYERS = "give a whole number from 1 to 8,192, or a list of up to 8 of them"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"se": -1}, "se is -1; give a whole number from 0 to 2,048"),
        ({"se": 1.5}, "se is 1.5; give a whole number from 0 to 2,048"),
        ({"se": True}, "se is True; give a whole number from 0 to 2,048"),
        ({"pooling": 101}, "pooling is 101; give a whole number from 0 to 100"),
        ({"pooling": 5}, "pooling is 5; give at most 4, the number of blocks"),
        ({"widths": (64, 64)}, "widths has length 2 for 4 blocks; give a width for each block"),
        (
            {"blocks": 0, "widths": (64,)},
            "widths has length 1 for 0 blocks; give a width for each block",
        ),
        ({"widths": (64, 64, 64, 0)}, "widths.3 is 0; give a whole number from 1 to 2,048"),
        ({"widths": (64, 64, 64, 4096)}, "widths.3 is 4096; give a whole number from 1 to 2,048"),
        ({"widths": (64, 64, 64, "64")}, "widths.3 is '64'; give a whole number from 1 to 2,048"),
        ({"widths": 64}, "widths is 64; give a list, in [brackets] or after dashes"),
        ({"head": "round"}, "head is 'round'; give one of auto, flat, planes, from_to, dense"),
        ({"value_pooled": 1}, "value_pooled is 1; give true or false"),
        ({"value_hidden": 0}, f"value_hidden is 0; {LAYERS}"),
        ({"value_hidden": (64, 8193)}, f"value_hidden is (64, 8193); {LAYERS}"),
        ({"value_hidden": ()}, f"value_hidden is (); {LAYERS}"),
        ({"value_hidden": (8,) * 9}, f"value_hidden is (8, 8, 8, 8, 8, 8, 8, 8, 8); {LAYERS}"),
        ({"value": "elo"}, "value is 'elo'; give one of wdl, tanh"),
        ({"moves_left": 1}, "moves_left is 1; give true or false"),
        ({"dropout": 1.0}, "dropout is 1.0; give less than 1.0"),
        ({"dropout": -0.1}, "dropout is -0.1; give 0.0 or more"),
        ({"dropout": float("nan")}, "dropout is nan; give a finite number"),
        ({"dropout": "much"}, "dropout is 'much'; give a finite number"),
    ],
)
def test_illegal_options_are_one_clear_line(change: dict[str, Any], message: str) -> None:
    """A wrong option raises a one-line NetError, from Python and from a file."""
    with pytest.raises(rz.NetError) as error:
        NetConfig(**change)
    assert str(error.value) == message
    with pytest.raises(rz.NetError) as decoding:
        NetConfig(**msgspec.json.decode(msgspec.json.encode(change)))
    assert "\n" not in str(decoding.value)


def test_a_tanh_tells_its_value_and_no_draws(tmp_path: Path) -> None:
    """The constant value 0.5 means a win with probability 0.75, a loss with 0.25, and no draw."""
    game = samples.game("connect4")
    tower = create(game, little_nets.TINY.model_copy(update={"value": "tanh"}))
    head = tower.value
    assert isinstance(head, TanhHead)
    with torch.no_grad():
        head.value.weight.zero_()
        head.value.bias.fill_(float(np.arctanh(0.5)))
    path = save(tmp_path / "constant", tower, game)
    for evaluator in (OnnxEvaluator(path), TorchEvaluator(path)):
        answers = evaluator.evaluate(little_nets.batch("connect4", 3))
        np.testing.assert_allclose(answers.value, 0.5, atol=1e-6)
        np.testing.assert_array_equal(answers.draw, 0)
    state = game.start()
    told = rz.net(path).chances([state, state.apply(3)])
    np.testing.assert_allclose(told, [[0.75, 0, 0.25], [0.25, 0, 0.75]], atol=1e-6)


def test_every_value_head_is_listed_without_torch() -> None:
    """The torch-free config lists the same heads; a head's chances and values are consistent."""
    assert VALUE_HEADS.keys() == configs.VALUE_HEADS.keys()
    for name, head in VALUE_HEADS.items():
        made = create(samples.game("connect4"), NetConfig(blocks=1, channels=8, value=name))
        assert type(made.value) is head
        with torch.no_grad():
            out = made(torch.from_numpy(little_nets.batch("connect4", 8))).value
        wdl, (value, draw) = head.chances(out), head.value_and_draw(out)
        torch.testing.assert_close(wdl.sum(1), torch.ones(8))
        torch.testing.assert_close(wdl[:, 0] - wdl[:, 2], value)
        torch.testing.assert_close(wdl[:, 1], draw)
        assert bool(draw.any()) == NetConfig(value=name).has_draws
        assert head.loss(out, wdl, 3.0).tolist() == pytest.approx([0] * 8, abs=1e-6)


def test_both_value_heads_become_chances() -> None:
    """Win, draw and loss are the softmax of logits, or (1 + v) / 2, 0 and (1 - v) / 2."""
    logits = torch.tensor([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]).log()
    torch.testing.assert_close(WdlHead.chances(logits), logits.exp())
    value, draw = WdlHead.value_and_draw(logits)
    torch.testing.assert_close(value, torch.tensor([0.5, -0.4]))
    torch.testing.assert_close(draw, torch.tensor([0.3, 0.2]))
    values = torch.tensor([[1.0], [-0.5]])
    assert TanhHead.chances(values).tolist() == [[1, 0, 0], [0.25, 0, 0.75]]
    assert [each.tolist() for each in TanhHead.value_and_draw(values)] == [[1, -0.5], [0, 0]]


def test_lengths_are_never_negative() -> None:
    """moves_left is at least 0 for an untrained net and extreme planes."""
    tower: Tower = little_nets.tower("connect4", little_nets.OPTIONS["moves_left"])
    with torch.no_grad():
        said = tower(100 * torch.from_numpy(little_nets.batch("connect4", 64)))
    assert said.moves_left is not None
    assert said.moves_left.shape == (64, 1)
    assert (said.moves_left >= 0).all()
