"""Random batches, independent of any games."""

import numpy as np

from rulezero._core import Game
from rulezero.learn.batch import Batch


def any_batch(game: Game, size: int) -> Batch:
    """A batch with random planes, which take as long to fit as real ones."""
    slots = game.facts.slots
    policy = np.zeros((size, slots), np.float32)
    policy[:, 0] = 1
    return Batch(
        planes=np.random.default_rng(0).random((size, *game.facts.planes), np.float32),
        legal=np.ones((size, slots), bool),
        policy=policy,
        wdl=np.full((size, 3), 1 / 3, np.float32),
        value=np.zeros(size, np.float32),
        weight=np.ones(size, np.float32),
        plies_left=np.ones(size, np.float32),
    )
