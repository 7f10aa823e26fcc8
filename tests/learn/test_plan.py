"""Plans: every position as often as it weighs."""

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
    """Three games of generation 0 and two of generation 1, one of these a person's."""
    *records, last = record_samples.several("connect4", 5)
    records.append(msgspec.structs.replace(last, source="human"))
    wanted = WindowSettings.model_validate({"held_out": 0, **settings})
    return windows.of(records, wanted, generations=[0, 0, 0, 1, 1])


def planned(window: Window, **settings: Any) -> list[list[Indices]]:
    """The epochs of a fit to it."""
    fit = FitSettings.model_validate({"batch": 16, **settings})
    return list(plan(window, 1, fit, np.random.default_rng(0)))


def counted(window: Window, batches: list[Indices]) -> npt.NDArray[np.int64]:
    """How often each position is in the batches."""
    return np.bincount(np.concatenate(batches), minlength=len(window))


def test_an_epoch_goes_once_through_the_window() -> None:
    """Each time in another order."""
    window = window_of()
    epochs = planned(window, samples_per_ply=None, epochs=3)
    assert len(epochs) == 3
    for batches in epochs:
        assert (counted(window, batches) == 1).all()
        assert [len(batch) for batch in batches[:-1]] == [16] * (len(batches) - 1)
    assert not np.array_equal(epochs[0][0], epochs[1][0])


def test_an_epoch_takes_weights_as_they_are() -> None:
    """Of a weight of 1.7, once or twice; and as many samples as there are positions."""
    window = window_of(surprise=0.8)
    weight = window.at(np.arange(len(window))).weight.astype(np.float64)
    expected = weight * len(window) / weight.sum()
    assert expected.max() > 1.5
    for batches in planned(window, samples_per_ply=None, epochs=5):
        found = counted(window, batches)
        assert found.sum() == len(window)
        assert (np.abs(found - expected) < 1 + 1e-6).all()


def test_what_weighs_forty_comes_forty_times() -> None:
    """And everything else once, as if those games had been written down so often."""
    window = window_of(always={"human": 40})
    (batches,) = planned(window, samples_per_ply=None)
    is_human = window.at(np.arange(len(window))).game == len(window.games) - 1
    assert is_human.any()
    assert (counted(window, batches) == np.where(is_human, 40, 1)).all()


def test_samples_are_drawn_by_weight() -> None:
    """So many for each new position, each in proportion to its weight."""
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
    """In every way to draw; an epoch goes through the new ones once then."""
    window = window_of(mix=0.25)
    (batches,) = planned(window, **settings)
    fresh = window.positions(Part.TRAINING, 1)
    found = counted(window, batches)
    assert 1 - found[fresh].sum() / found.sum() == pytest.approx(0.25, abs=0.05)
    if settings["samples_per_ply"] is None:
        assert (found[fresh] == 1).all()
