"""The best constant answer, which a net must beat to have learned anything."""

import numpy as np
import pytest

from rulezero.learn.batch import Batch
from rulezero.learn.measures import best_constant, measure

SLOTS = 40


def batch(size: int, seed: int = 0) -> Batch:
    """Positions with five legal slots, of which one is played: slot 0 whenever it is legal."""
    dice = np.random.default_rng(seed)
    legal = np.zeros((size, SLOTS), bool)
    policy = np.zeros((size, SLOTS), np.float32)
    for row in range(size):
        slots = np.sort(dice.choice(SLOTS, 5, replace=False))
        legal[row, slots] = True
        policy[row, 0 if slots[0] == 0 else dice.choice(slots)] = 1
    wdl = np.eye(3, dtype=np.float32)[dice.choice(3, size, p=[0.5, 0.3, 0.2])]
    return Batch(
        planes=np.zeros((size, 1, 1, 1), np.float32),
        legal=legal,
        policy=policy,
        wdl=wdl,
        value=wdl[:, 0] - wdl[:, 2],
        weight=np.ones(size, np.float32),
        plies_left=np.ones(size, np.float32),
    )


def test_it_knows_what_is_played_and_how_games_end() -> None:
    """It finds the slot that is always played and the mean result, and uses legal slots only."""
    seen = batch(5000)
    answers = best_constant(seen)
    np.testing.assert_allclose(answers.wdl[0], seen.wdl.mean(0))
    np.testing.assert_allclose(answers.shares.sum(1), 1, rtol=1e-5)
    assert not answers.shares[~seen.legal].any()
    with_first = answers.shares[seen.legal[:, 0], 0]
    assert with_first.min() > 0.5 > 0.3 > answers.shares[:, 1:].max()


def test_it_does_not_know_few_positions_by_heart() -> None:
    """On a hundred random positions, it is hardly better than an even choice among legal slots."""
    few = batch(100, seed=1)
    keep = np.flatnonzero(~few.legal[:, 0])
    even = Batch(**{name: getattr(few, name)[keep] for name in few.__struct_fields__})
    found = measure(best_constant(even), even)
    assert found.constant.policy == pytest.approx(np.log(5), abs=0.12)
    assert found.constant.legal_mass == pytest.approx(1)
    assert found.net == found.constant
