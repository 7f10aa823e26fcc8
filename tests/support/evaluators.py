"""Evaluators without a net, for tests and benchmarks of searches."""

import hashlib

import numpy as np
import numpy.typing as npt

from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation


class UniformEvaluator:
    """Equal logits for all slots, value 0 and draw 0 for every position."""

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
    """Reproducible random answers: the same for the same planes and seed, on every machine.

    policy logits are in [-2, 2); win, draw and loss are three random shares.
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
    """SplitMix64's finaliser, which turns similar numbers into unrelated ones."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
