"""Learning rate schedules, against values computed by hand."""

import pytest
from pydantic import ValidationError

from rulezero.learn.fit import RateSettings


def test_constant() -> None:
    """The rate is always `start`."""
    rate = RateSettings(start=0.02)
    assert rate.at(0, 0, 0.0) == rate.at(10**6, 99, 1.0) == 0.02


def test_cosine() -> None:
    """Half a cosine over the run, from `start` to `start * end`."""
    rate = RateSettings(start=0.1, kind="cosine", end=0.2)
    assert rate.at(0, 0, 0.0) == pytest.approx(0.1)
    assert rate.at(5, 3, 1 / 3) == pytest.approx(0.1 * (0.2 + 0.8 * 0.75))
    assert rate.at(5, 3, 0.5) == pytest.approx(0.1 * (0.2 + 0.8 * 0.5))
    assert rate.at(5, 3, 2 / 3) == pytest.approx(0.1 * (0.2 + 0.8 * 0.25))
    assert rate.at(5, 3, 1.0) == rate.at(5, 3, 1.5) == pytest.approx(0.02)


def test_exponential() -> None:
    """The rate is multiplied by `factor` after each iteration."""
    rate = RateSettings(start=0.08, kind="exponential", factor=0.5)
    assert [rate.at(7, iteration, 0.3) for iteration in range(4)] == pytest.approx(
        [0.08, 0.04, 0.02, 0.01]
    )


def test_exponential_by_epochs() -> None:
    """The rate is multiplied by `factor` after each epoch; every fit begins with `start`."""
    rate = RateSettings(start=2e-3, kind="exponential", factor=0.95, every="epoch")
    assert [rate.at(7, 3, 0.3, epoch) for epoch in range(3)] == pytest.approx(
        [2e-3, 2e-3 * 0.95, 2e-3 * 0.95**2]
    )


def test_steps() -> None:
    """The rate is multiplied by `factor` at each listed step; steps are counted from 0."""
    rate = RateSettings(start=0.2, kind="steps", factor=0.1, steps=(100, 300))
    found = [rate.at(step, 0, 0.0) for step in (0, 99, 100, 299, 300, 10**6)]
    assert found == pytest.approx([0.2, 0.2, 0.02, 0.02, 0.002, 0.002])


@pytest.mark.parametrize("kind", ["constant", "cosine", "exponential", "steps"])
def test_warm_up(kind: str) -> None:
    """The rate rises linearly to its value without warm-up; the first step's is above 0."""
    settings = {"start": 0.1, "kind": kind, "steps": (2,), "end": 0.5}
    plain = RateSettings.model_validate(settings)
    warm = RateSettings.model_validate({**settings, "warm_up": 4})
    for step, share in enumerate([0.25, 0.5, 0.75, 1, 1, 1]):
        assert warm.at(step, 2, 0.4) == pytest.approx(share * plain.at(step, 2, 0.4))


@pytest.mark.parametrize(
    "wrong", [{"start": 0}, {"kind": "linear"}, {"factor": 1.5}, {"warm_up": -1}, {"speed": 1}]
)
def test_wrong_rates_are_refused(wrong: dict[str, object]) -> None:
    """Wrong settings raise ValidationError."""
    with pytest.raises(ValidationError):
        RateSettings.model_validate(wrong)
