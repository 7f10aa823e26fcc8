"""Plans: every position is used in proportion to its weight."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from rulezero.learn.fit import FitSettings
from rulezero.learn.plan import plan
from rulezero.learn.window import Indices, Part, Window, WindowSettings
from support import record_samples, windows


def window_of(**settings: Any) -> Window:
    """Three games of generation 0 and two of generation 1, the last one a person's."""
    *records, last = record_samples.several("connect4", 5)
    records.append(msgspec.structs.replace(last, source="human"))
    wanted = WindowSettings.model_validate({"held_out": 0, **settings})
    return windows.of(records, wanted, generations=[0, 0, 0, 1, 1])


def planned(window: Window, **settings: Any) -> list[list[Indices]]:
    """The epochs of a fit to this window, as lists of batches."""
    fit = FitSettings.model_validate({"batch": 16, **settings})
    return list(plan(window, 1, fit, np.random.default_rng(0)))


def counted(window: Window, batches: list[Indices]) -> npt.NDArray[np.int64]:
    """The number of occurrences of each position in the batches."""
    return np.bincount(np.concatenate(batches), minlength=len(window))


def test_an_epoch_goes_once_through_the_window() -> None:
    """Each epoch has every position once, in a different order."""
    window = window_of()
    epochs = planned(window, samples_per_ply=None, epochs=3)
    assert len(epochs) == 3
    for batches in epochs:
        assert (counted(window, batches) == 1).all()
        assert [len(batch) for batch in batches[:-1]] == [16] * (len(batches) - 1)
    assert not np.array_equal(epochs[0][0], epochs[1][0])


def test_an_epoch_takes_weights_as_they_are() -> None:
    """A weight of 1.7 gives one or two samples; the total is the number of positions."""
    window = window_of(surprise=0.8)
    weight = window.at(np.arange(len(window))).weight.astype(np.float64)
    expected = weight * len(window) / weight.sum()
    assert expected.max() > 1.5
    for batches in planned(window, samples_per_ply=None, epochs=5):
        found = counted(window, batches)
        assert found.sum() == len(window)
        assert (np.abs(found - expected) < 1 + 1e-6).all()


def test_what_weighs_forty_comes_forty_times() -> None:
    """A game of weight 40 comes 40 times in an epoch, and all other games once."""
    window = window_of(always={"human": 40})
    (batches,) = planned(window, samples_per_ply=None)
    is_human = window.at(np.arange(len(window))).game == len(window.games) - 1
    assert is_human.any()
    assert (counted(window, batches) == np.where(is_human, 40, 1)).all()


def test_samples_are_drawn_by_weight() -> None:
    """samples_per_ply samples per new position are drawn, in proportion to the weights."""
    window = window_of(surprise=0.8)
    fresh = len(window.positions(Part.TRAINING, 1))
    (batches,) = planned(window, samples_per_ply=400)
    assert {len(batch) for batch in batches} == {16}
    assert len(batches) == round(400 * fresh / 16)
    weight = window.at(np.arange(len(window))).weight
    shares = counted(window, batches) / (16 * len(batches))
    np.testing.assert_allclose(shares, weight / weight.sum(), atol=0.005)


@pytest.mark.parametrize("settings", [{"samples_per_ply": 100}, {"samples_per_ply": None}])
def test_a_mix_has_its_share_of_older_games(settings: dict[str, Any]) -> None:
    """Older games have the share `mix`, drawn or in epochs; an epoch has new positions once."""
    window = window_of(mix=0.25)
    (batches,) = planned(window, **settings)
    fresh = window.positions(Part.TRAINING, 1)
    found = counted(window, batches)
    assert 1 - found[fresh].sum() / found.sum() == pytest.approx(0.25, abs=0.05)
    if settings["samples_per_ply"] is None:
        assert (found[fresh] == 1).all()
