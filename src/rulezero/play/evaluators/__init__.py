"""Evaluators: planes in, a policy and a value out. The search knows nothing else of a net.

This is where values belong to the mover; everywhere else they are seat 0's.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rulezero._core import Game
from rulezero.nets.card import beside, read_card, read_part, resolve
from rulezero.nets.config import Precision
from rulezero.nets.runtime import Floats, Runtime


class Evaluation(NamedTuple):
    """What an evaluator says of a batch: contiguous arrays, the caller's to keep."""

    policy: Floats  # [B, slots] logits, illegal slots among them
    value: Floats  # [B] the mover's expected result, in [-1, 1]
    draw: Floats  # [B] probability of a draw; at most 1 - |value|


class Evaluator(Protocol):
    """Anything that judges positions: a net of any framework, a guess, a cache, a wire."""

    @property
    def identity(self) -> str:
        """A text for records: equal only where the answers are."""

    def evaluate(self, planes: Floats) -> Evaluation:
        """The judgement of a batch, float32 [B, C, H, W] and contiguous.

        A position's answer depends on its planes alone, not on the rest of the batch.
        """


class OnnxEvaluator:
    """A net on one core of the CPU, without torch.

    precision is fp32, int8 or auto: see nets.quantize.choose. A game in a Python file must be
    given for the last two, which try the net on positions.
    """

    def __init__(
        self, net: str | Path, precision: Precision = "fp32", game: Game | None = None
    ) -> None:
        path = resolve(net)
        self.card = read_card(path)
        suffix, wanted = ".onnx", self.card.onnx
        if precision != "fp32":
            from rulezero.nets import quantize  # its imports take longer than all the rest

            if quantize.choose(path, precision, game) != beside(path, ".onnx"):
                suffix, wanted = ".int8.onnx", quantize.measure(path, game).int8
        self.identity = f"{path.name}{suffix[:-5]}#{wanted[:12]}"
        self._runtime = Runtime(read_part(path, suffix, wanted), f"{path}{suffix}")

    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's judgement of a batch."""
        return Evaluation(*self._runtime.run(planes))


class UniformEvaluator:
    """Knows nothing: every slot alike, value 0, no draws."""

    identity = "uniform"

    def __init__(self, slots: int) -> None:
        self._slots = slots

    def evaluate(self, planes: Floats) -> Evaluation:
        """Zeros."""
        batch = len(planes)
        return Evaluation(
            np.zeros((batch, self._slots), np.float32),
            np.zeros(batch, np.float32),
            np.zeros(batch, np.float32),
        )


class RandomEvaluator:
    """Random but settled: the same planes and seed get the same answer, on every machine.

    policy logits lie in [-2, 2); win, draw and loss are three random shares.
    """

    def __init__(self, slots: int, seed: int = 0) -> None:
        self.identity = f"random:seed={seed}"
        self._slots = slots
        self._key = seed.to_bytes(8, "little")

    def evaluate(self, planes: Floats) -> Evaluation:
        """Numbers drawn by a hash of each position's planes."""
        hashes = [
            hashlib.blake2b(row.tobytes(), digest_size=8, key=self._key).digest() for row in planes
        ]
        rows = np.frombuffer(b"".join(hashes), "<u8").reshape(-1, 1)
        numbers = _mixed(rows + np.arange(3 + self._slots, dtype=np.uint64) * _GOLDEN)
        uniform = ((numbers >> np.uint64(40)).astype(np.float32) + 0.5) / np.float32(1 << 24)
        shares = uniform[:, :3] / uniform[:, :3].sum(1, keepdims=True)
        win, draw, loss = shares.T.copy()
        return Evaluation(4 * uniform[:, 3:] - 2, win - loss, draw)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64's last steps: neighbouring numbers become unrelated ones."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
