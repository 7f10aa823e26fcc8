"""The nets of the recipes' full presets: parameter counts, saving, exporting and int8."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from rulezero.nets.checkpoint import load, save
from rulezero.nets.config import NetConfig, sized
from rulezero.nets.parity import compare
from rulezero.nets.positions import sample
from rulezero.nets.quantize import float_layers, last_layers, quantized
from rulezero.nets.runtime import Runtime
from rulezero.nets.tower import tower_for
from support import little_nets, samples

MONSTER = NetConfig(
    channels=64,
    widths=(64, 64, 128, 128),
    head="flat",
    policy_channels=2,
    value="tanh",
    value_pooled=True,
    value_hidden=(128, 64),
    dropout=0.3,
)
SCALAR: dict[str, Any] = {"value": "tanh", "value_channels": 1, "value_hidden": 256}
DENSE: dict[str, Any] = {"head": "dense", "policy_channels": 32, **SCALAR}


def block(wide: int, out: int) -> int:
    """Parameters of two 3x3 convolutions with BatchNorm, and of a projection if widths differ."""
    projection = 0 if wide == out else wide * out + 2 * out
    return 9 * wide * out + 2 * out + 9 * out * out + 2 * out + projection


def stem(planes: int, channels: int) -> int:
    """Parameters of the first convolution with its BatchNorm."""
    return 9 * planes * channels + 2 * channels


def scalar(channels: int) -> int:
    """Parameters of a value head with one channel of 64 squares and a hidden layer of 256."""
    return channels + 2 + (64 + 1) * 256 + 256 + 1


def dense(channels: int) -> int:
    """Parameters of EXCHANGE's policy: 32 channels, 72 planes, a dense layer of 4608 slots."""
    return channels * 32 + 2 * 32 + (32 + 1) * 72 + (4608 + 1) * 4608


DUAL_HEAD = (
    stem(15, 64)
    + 2 * block(64, 64)
    + block(64, 128)
    + block(128, 128)
    + (128 + 1) * 128
    + (128 + 1) * 64
    + 64
    + 1
    + 128 * 2
    + 2 * 2
    + (2 * 64 + 1) * 4096
)


@pytest.mark.parametrize(
    ("text", "config", "counted", "parameters"),
    [
        ("monster", MONSTER, DUAL_HEAD, 1_235_781),
        (
            "exchange",
            NetConfig(**sized({"size": "medium"}), **DENSE),
            stem(75, 64) + 4 * block(64, 64) + scalar(64) + dense(64),
            21_598_987,
        ),
        (
            "exchange",
            NetConfig(**sized({"size": "full"}), **DENSE),
            stem(75, 256) + 12 * block(256, 256) + scalar(256) + dense(256),
            35_607_435,
        ),
        *(
            (
                "random_chess",
                NetConfig(blocks=blocks, channels=channels, **SCALAR),
                stem(119, channels)
                + blocks * block(channels, channels)
                + scalar(channels)
                + (channels + 1) * 73,
                parameters,
            )
            for blocks, channels, parameters in (
                (10, 128, 3_118_028),
                (15, 192, 10_201_996),
                (19, 256, 22_743_372),
            )
        ),
    ],
)
def test_parameters_are_those_that_one_counts(
    text: str, config: NetConfig, counted: int, parameters: int
) -> None:
    """The number of parameters agrees with the count by layers and with a fixed number."""
    with torch.device("meta"):
        tower = tower_for(samples.game(text).facts, config)
    assert sum(weight.numel() for weight in tower.parameters()) == counted == parameters


@pytest.mark.parametrize(
    ("text", "config"),
    [
        pytest.param("monster", MONSTER, id="monster's dual head"),
        pytest.param(
            "exchange", NetConfig(**sized({"size": "tiny"}), **DENSE), id="exchange's dense head"
        ),
        pytest.param("tictactoe", little_nets.SMALL.model_copy(update=DENSE), id="a little one"),
    ],
)
def test_exact_nets_are_saved_exported_and_made_int8(
    text: str, config: NetConfig, tmp_path: Path
) -> None:
    """They load unchanged, ONNX agrees with torch, and int8 (except last layers) is close."""
    game, tower = samples.game(text), little_nets.tower(text, config)
    net = save(tmp_path / "net", tower, game)
    back = load(net)
    assert back.config == tower.config == config
    for name, tensor in tower.state_dict().items():
        assert torch.equal(back.state_dict()[name], tensor), name
    model = (tmp_path / "net.onnx").read_bytes()
    planes = little_nets.batch(text, 16)
    with torch.no_grad():
        said = back(torch.from_numpy(planes))
    found = Runtime(model, "net").run(planes)
    answers = said.policy, *tower.value.value_and_draw(said.value)
    for one, other in zip(found, answers, strict=True):
        np.testing.assert_allclose(one, other.numpy(), atol=1e-4)
    positions = sample(game, 64, seed=0)
    made = quantized(model, positions.planes)
    assert float_layers(made) <= last_layers(onnx.load_from_string(model))
    near = compare(Runtime(model, "net"), Runtime(made, "int8"), positions)
    assert near["agreement"] >= 0.95
    assert near["policy"] < 0.03
    assert near["worst_value"] < 0.05
