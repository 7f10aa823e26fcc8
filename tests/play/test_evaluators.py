"""Evaluators: what they promise to the search."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero.nets.checkpoint import save
from rulezero.nets.heads import WdlHead
from rulezero.nets.tower import create
from rulezero.play.evaluators import Evaluator
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.evaluators.torch import TorchEvaluator
from support import little_nets, samples
from support.evaluators import RandomEvaluator, UniformEvaluator


def evaluators(text: str) -> dict[str, Evaluator]:
    """One of each kind whose answers are settled to the bit."""
    slots = samples.game(text).facts.slots
    return {
        "onnx": OnnxEvaluator(little_nets.net(text)),
        "int8": OnnxEvaluator(little_nets.net(text), "int8", samples.game(text)),
        "random": RandomEvaluator(slots, seed=3),
        "uniform": UniformEvaluator(slots),
    }


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_answers_have_their_shapes_and_ranges(text: str) -> None:
    """Policy [B, slots], value in [-1, 1], draw in [0, 1 - |value|], all float32."""
    planes = little_nets.batch(text, 20)
    reference = TorchEvaluator(little_nets.net(text))
    for kind, evaluator in {**evaluators(text), "torch": reference}.items():
        policy, value, draw = evaluator.evaluate(planes)
        assert policy.shape == (20, samples.game(text).facts.slots), kind
        assert value.shape == draw.shape == (20,), kind
        assert {policy.dtype, value.dtype, draw.dtype} == {np.dtype(np.float32)}, kind
        assert all(array.flags.c_contiguous for array in (policy, value, draw)), kind
        assert np.isfinite(policy).all()
        assert (draw >= 0).all()
        assert (np.abs(value) + draw <= 1 + 1e-6).all(), kind
        empty = evaluator.evaluate(planes[:0])
        assert (empty.policy.shape, empty.value.shape) == ((0, policy.shape[1]), (0,)), kind


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_answers_do_not_depend_on_the_batch(text: str) -> None:
    """To the bit, for batches of 1, 2, 3, 7 and 64, wherever a position stands in them."""
    planes = little_nets.batch(text, 64)
    for kind, evaluator in evaluators(text).items():
        whole = evaluator.evaluate(planes)
        for size in (1, 2, 3, 7):
            for first in (0, 64 - size):
                part = evaluator.evaluate(planes[first : first + size])
                for one, other in zip(part, whole, strict=True):
                    same = one.tobytes() == other[first : first + size].tobytes()
                    assert same, (kind, size, first)


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_onnx_agrees_with_torch(text: str) -> None:
    """Within 1e-4, in every game's head."""
    planes = little_nets.batch(text, 64)
    ours = OnnxEvaluator(little_nets.net(text)).evaluate(planes)
    reference = TorchEvaluator(little_nets.net(text)).evaluate(planes)
    for one, other in zip(ours, reference, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    assert ours.policy.std(0).max() > 1e-2  # positions are told apart, or this shows nothing


def test_chances_become_value_and_draw(tmp_path: Path) -> None:
    """A net that always says 60 % win, 30 % draw, 10 % loss: value 0.5, draw 0.3."""
    tower = create(samples.game("connect4"), little_nets.TINY)
    head = tower.value
    assert isinstance(head, WdlHead)
    with torch.no_grad():
        head.wdl.weight.zero_()
        head.wdl.bias.copy_(torch.tensor([0.6, 0.3, 0.1]).log())
    path = save(tmp_path / "constant", tower, samples.game("connect4"))
    for evaluator in (OnnxEvaluator(path), TorchEvaluator(path)):
        answers = evaluator.evaluate(little_nets.batch("connect4", 3))
        np.testing.assert_allclose(answers.value, 0.5, atol=1e-6)
        np.testing.assert_allclose(answers.draw, 0.3, atol=1e-6)


def test_identities_tell_nets_apart() -> None:
    """Net, precision and framework; never a folder."""
    net = little_nets.net("connect4")
    identities = [
        OnnxEvaluator(net).identity,
        OnnxEvaluator(net, "int8").identity,
        TorchEvaluator(net, "cpu").identity,
    ]
    kinds = [identity.partition("#")[0] for identity in identities]
    assert kinds == [net.name, f"{net.name}.int8", f"{net.name}.cpu"]
    assert not any("/" in identity for identity in identities)


def test_wrong_planes_are_one_clear_line() -> None:
    """Another game's planes, or numbers of another kind."""
    evaluator = OnnxEvaluator(little_nets.net("connect4"))
    for planes in (little_nets.batch("razzle", 2), np.zeros((2, 3, 6, 7)), np.zeros(3)):
        with pytest.raises(rz.NetError, match=r"takes float32 planes \[batch, 3, 6, 7\], not"):
            evaluator.evaluate(planes)  # type: ignore[arg-type]


def test_random_answers_are_settled() -> None:
    """They depend on planes and seed alone, and are the same on every machine."""
    planes = little_nets.batch("connect4", 8)
    one, other = RandomEvaluator(7, seed=1), RandomEvaluator(7, seed=2)
    assert (one.evaluate(planes).policy == one.evaluate(planes.copy()).policy).all()
    assert (one.evaluate(planes).policy != other.evaluate(planes).policy).all()
    assert one.identity != other.identity
    key = (1).to_bytes(8, "little")
    word = hashlib.blake2b(planes[0].tobytes(), digest_size=8, key=key).digest()
    policy = [4 * uniform(int.from_bytes(word, "little"), 3 + slot) - 2 for slot in range(7)]
    np.testing.assert_allclose(one.evaluate(planes).policy[0], policy, atol=1e-6)


def uniform(word: int, index: int) -> float:
    """The number that SplitMix64 draws, in Python's own whole numbers."""
    x = (word + index * 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return (((x ^ (x >> 31)) >> 40) + 0.5) / 2**24
