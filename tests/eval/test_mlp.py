"""The core's perceptron: compared with numpy, its files, and damaged files."""

import itertools
import random
import struct

import numpy as np
import pytest
from numpy.typing import NDArray

import rulezero as rz
from rulezero._core import Mlp, NetError
from support import samples

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]  # weights [out, in], biases [out]

LINEAR, RELU, SIGMOID, TANH = range(4)


def words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def header(sizes: list[int], activations: list[int]) -> bytes:
    """The bytes of a file before the weights."""
    head = b"NNWB" + words(1, len(sizes), *sizes)
    return head + words(len(activations), *activations)


def body(layers: list[Layer]) -> bytes:
    """The bytes of weights and biases, with their counts."""
    parts = []
    for weights, biases in layers:
        parts += [words(weights.size), weights.astype("<f4").tobytes()]
        parts += [words(biases.size), biases.astype("<f4").tobytes()]
    return b"".join(parts)


def random_layers(sizes: list[int], seed: int = 0) -> list[Layer]:
    dice = np.random.default_rng(seed)
    return [
        (
            dice.normal(0, wide**-0.5, (out, wide)).astype(np.float32),
            dice.normal(0, 0.5, out).astype(np.float32),
        )
        for wide, out in itertools.pairwise(sizes)
    ]


def reference(layers: list[Layer], activations: list[int], features: Floats) -> NDArray[np.float64]:
    """The net's output by matrix products in double precision."""
    values = features.astype(np.float64)
    for (weights, biases), activation in zip(layers, [*activations, SIGMOID], strict=True):
        values = values @ weights.T.astype(np.float64) + biases
        if activation == RELU:
            values = np.maximum(values, 0)
        elif activation == SIGMOID:
            values = 1 / (1 + np.exp(-values))
        elif activation == TANH:
            values = np.tanh(values)
    return values


def example() -> bytes:
    sizes = [5, 4, 3, 1]
    return header(sizes, [RELU, TANH]) + body(random_layers(sizes))


@pytest.mark.parametrize(
    ("sizes", "activations"),
    [
        pytest.param([1, 1], [], id="the smallest"),
        pytest.param([7, 3], [], id="no hidden layer, three outputs"),
        pytest.param([6, 5, 1], [LINEAR], id="linear"),
        pytest.param([6, 5, 1], [RELU], id="relu"),
        pytest.param([6, 5, 1], [SIGMOID], id="sigmoid"),
        pytest.param([6, 5, 1], [TANH], id="tanh"),
        pytest.param([33, 17, 9, 5, 2], [RELU, TANH, SIGMOID], id="four layers"),
        pytest.param([781, 256, 128, 1], [RELU, RELU], id="chess"),
    ],
)
def test_the_net_is_the_textbooks(sizes: list[int], activations: list[int]) -> None:
    """Outputs agree with numpy's, for dense, sparse and zero features."""
    layers = random_layers(sizes, seed=len(sizes))
    net = Mlp.read(header(sizes, activations) + body(layers))
    assert net.sizes == tuple(sizes)
    dice = np.random.default_rng(7)
    dense = dice.normal(0, 1, (20, sizes[0])).astype(np.float32)
    sparse = (dense * (dice.random(dense.shape) < 0.1)).astype(np.float32)
    for features in (dense, sparse, np.zeros_like(dense)):
        answers = net.evaluate(features)
        assert answers.shape == (20, sizes[-1])
        assert answers.dtype == np.float32
        np.testing.assert_allclose(answers, reference(layers, activations, features), atol=1e-5)


def test_real_positions() -> None:
    """On chess positions (781 features), a net of the distill recipe's size agrees with numpy."""
    sizes = [781, 256, 128, 1]
    layers = random_layers(sizes, seed=3)
    net = Mlp.read(header(sizes, [RELU, RELU]) + body(layers))
    states = samples.states("chess:planes=features781")[:100]
    features = np.stack([state.planes().reshape(-1) for state in states])
    answers = net.evaluate(features)
    assert np.ptp(answers) > 0.01
    np.testing.assert_allclose(answers, reference(layers, [RELU, RELU], features), atol=1e-5)


def test_a_net_worked_out_by_hand() -> None:
    """Weights are stored row by row, one row for each output neuron."""
    layers = [
        (np.array([[1, 2], [-3, 4]], np.float32), np.array([0.5, -1], np.float32)),
        (np.array([[2, -1]], np.float32), np.array([0.25], np.float32)),
    ]
    net = Mlp.read(header([2, 2, 1], [RELU]) + body(layers))
    # Input: hidden layer -> output before the sigmoid
    # (1, 1): 3.5, 0 -> 7.25    (0, 1): 2.5, 3 -> 2.25    (1, 0): 1.5, 0 -> 3.25
    features = np.array([[1, 1], [0, 1], [1, 0]], np.float32)
    expected = 1 / (1 + np.exp(-np.array([[7.25], [2.25], [3.25]])))
    np.testing.assert_allclose(net.evaluate(features), expected, atol=1e-6)


def test_rows_do_not_mix() -> None:
    """A batch gives the same outputs as its rows one by one; an empty batch gives none."""
    net = Mlp.read(example())
    features = np.random.default_rng(1).normal(0, 1, (9, 5)).astype(np.float32)
    alone = np.concatenate([net.evaluate(features[i : i + 1]) for i in range(9)])
    assert np.array_equal(net.evaluate(features), alone)
    assert net.evaluate(features[:0]).shape == (0, 1)


@pytest.mark.parametrize("width", [0, 4, 6, 781])
def test_features_of_another_width(width: int) -> None:
    """A wrong number of features raises a NetError that names both numbers."""
    with pytest.raises(NetError, match=f"rows of 5 features, not of {width}"):
        Mlp.read(example()).evaluate(np.zeros((2, width), np.float32))


def test_the_chess_net_has_the_original_size() -> None:
    """A 781-256-128-1 net is a file of 932,932 bytes, which is written back unchanged."""
    sizes = [781, 256, 128, 1]
    file = header(sizes, [RELU, RELU]) + body(random_layers(sizes))
    assert len(file) == 932_932
    assert Mlp.read(file).write() == file


def test_a_file_comes_back_byte_for_byte() -> None:
    """Files are written back unchanged, also with -0.0, subnormal and very large weights."""
    dice = np.random.default_rng(5)
    for _ in range(50):
        sizes = [int(size) for size in dice.integers(1, 9, dice.integers(2, 6))]
        activations = [int(a) for a in dice.integers(0, 4, len(sizes) - 2)]
        layers = random_layers(sizes, seed=int(dice.integers(1000)))
        for weights, _ in layers:
            weights.flat[0] = dice.choice(np.array([-0.0, 1e-45, 3.4e38, -3.4e38], np.float32))
        file = header(sizes, activations) + body(layers)
        assert Mlp.read(file).write() == file


BROKEN = {
    "nothing": (b"", "cut off"),
    "magic": (b"NNWA" + example()[4:], "begins with NNWB, not 'NNWA'"),
    "version": (b"NNWB" + words(2) + example()[8:], "version 2; only version 1"),
    "big-endian": (b"NNWB" + struct.pack(">I", 1) + example()[8:], "version 16777216"),
    "no layers": (b"NNWB" + words(1, 0, 0), "2 to 64 layer sizes, not 0"),
    "one layer": (b"NNWB" + words(1, 1, 5, 0), "2 to 64 layer sizes, not 1"),
    "many layers": (b"NNWB" + words(1, 2**32 - 1, 5, 0), "2 to 64 layer sizes, not 4294967295"),
    "a layer of nobody": (header([5, 0, 1], [RELU]), "1 to 1048576 neurons, not 0"),
    "a layer of everybody": (header([5, 2**31, 1], [RELU]), "neurons, not 2147483648"),
    "a bomb": (header([2**20] * 64, [RELU] * 62), "bytes, but its layer sizes need"),
    "too few activations": (header([5, 4, 3, 1], [RELU]), "1 hidden activations, but"),
    "too many activations": (header([5, 1], [RELU]), "1 hidden activations, but"),
    "unknown activation": (header([5, 4, 1], [4]), r"2 \(sigmoid\) or 3 \(tanh\), not 4"),
    "short": (example()[:-1], "bytes, but its layer sizes need"),
    "long": (example() + b"\0", "bytes, but its layer sizes need"),
    "weights": (header([1, 1], []) + words(2, 0, 1, 0), "2 weights, but its layer sizes need 1"),
    "biases": (header([1, 1], []) + words(1, 0, 2, 0), "2 biases, but its layer sizes need 1"),
    "nan": (header([1, 1], []) + words(1, 0x7FC00000, 1, 0), "weight that is not a finite number"),
    "inf": (header([1, 1], []) + words(1, 0, 1, 0xFF800000), "bias that is not a finite number"),
}


@pytest.mark.sanitize
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_clear_line(name: str) -> None:
    """A broken file raises a one-line NetError that says what is wrong."""
    file, message = BROKEN[name]
    with pytest.raises(NetError, match=message) as error:
        Mlp.read(file)
    assert "\n" not in str(error.value)
    assert isinstance(error.value, rz.RulezeroError)


@pytest.mark.sanitize
def test_every_truncation_is_refused() -> None:
    """Every truncated file is refused."""
    file = example()
    for length in range(len(file)):
        with pytest.raises(NetError):
            Mlp.read(file[:length])


@pytest.mark.sanitize
def test_every_flipped_bit_of_the_header() -> None:
    """A changed header is refused, unless it names another valid activation."""
    file = example()
    head = len(header([5, 4, 3, 1], [RELU, TANH]))
    activations = range(head - 8, head)
    for at in range(head):
        for bit in range(8):
            flipped = bytearray(file)
            flipped[at] ^= 1 << bit
            try:
                net = Mlp.read(bytes(flipped))
            except NetError:
                continue
            assert at in activations
            assert net.write() == bytes(flipped)


@pytest.mark.sanitize
def test_random_bytes_and_random_damage() -> None:
    """Damaged files raise NetError, or give a net that evaluates and is written back unchanged."""
    dice = random.Random(11)
    file = example()
    for _ in range(3000):
        broken = bytearray(file)
        for _ in range(dice.randrange(1, 6)):
            broken[dice.randrange(len(broken))] = dice.randrange(256)
        if dice.random() < 0.2:
            del broken[dice.randrange(len(broken)) :]
        try:
            net = Mlp.read(bytes(broken))
        except NetError:
            continue
        assert net.write() == bytes(broken)
        assert net.evaluate(np.ones((1, 5), np.float32)).shape == (1, 1)
    for _ in range(300):
        with pytest.raises(NetError):
            Mlp.read(b"NNWB" + words(1) + dice.randbytes(dice.randrange(200)))
