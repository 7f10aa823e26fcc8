"""Evaluators: what they promise to the search."""

import hashlib

import numpy as np
import pytest
import torch

import little_nets
import samples
from rulezero.play.evaluators import (
    Evaluator,
    OnnxEvaluator,
    RandomEvaluator,
    UniformEvaluator,
)


def evaluators(text: str) -> dict[str, Evaluator]:
    """One of each kind."""
    slots = samples.game(text).facts.slots
    return {
        "onnx": OnnxEvaluator(little_nets.net(text)),
        "random": RandomEvaluator(slots, seed=3),
        "uniform": UniformEvaluator(slots),
    }


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_answers_have_their_shapes_and_ranges(text: str) -> None:
    """Policy [B, slots], value in [-1, 1], draw in [0, 1 - |value|], all float32."""
    planes = little_nets.batch(text, 20)
    for kind, evaluator in evaluators(text).items():
        policy, value, draw = evaluator.evaluate(planes)
        assert policy.shape == (20, samples.game(text).facts.slots), kind
        assert value.shape == draw.shape == (20,), kind
        assert {policy.dtype, value.dtype, draw.dtype} == {np.dtype(np.float32)}, kind
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
    """Within 1e-4, win minus loss as the value and the middle chance as the draw."""
    planes = little_nets.batch(text, 64)
    policy, value, draw = OnnxEvaluator(little_nets.net(text)).evaluate(planes)
    with torch.inference_mode():
        logits, wdl = little_nets.tower(text)(torch.from_numpy(planes))
    chances = torch.softmax(wdl, 1).numpy()
    np.testing.assert_allclose(policy, logits.numpy(), atol=1e-4)
    np.testing.assert_allclose(value, chances[:, 0] - chances[:, 2], atol=1e-4)
    np.testing.assert_allclose(draw, chances[:, 1], atol=1e-4)
    assert logits.std(0).max() > 1e-2  # positions are told apart, or all of this shows nothing


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
