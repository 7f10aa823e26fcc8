"""Warnings about a fit, and their documentation."""

import re
from typing import Literal

import msgspec
import numpy as np
import pytest

from rulezero.learn.batch import Batch
from rulezero.learn.fit import Fit, LossSettings
from rulezero.learn.measures import Answers, measure
from rulezero.training.warnings import about_fit, constant_outputs
from support.documents import ROOT

POSITIONS, SLOTS = 60, 4


def batch() -> Batch:
    """Positions whose best move and winner depend on their index."""
    numbers = np.arange(POSITIONS)
    policy = np.full((POSITIONS, SLOTS), 0.1, np.float32)
    policy[numbers, numbers % SLOTS] = 0.7
    wdl = np.zeros((POSITIONS, 3), np.float32)
    wdl[numbers, 2 * (numbers % 2)] = 1
    return Batch(
        planes=np.zeros((POSITIONS, 1, 1, 1), np.float32),
        legal=np.ones((POSITIONS, SLOTS), np.bool_),
        policy=policy,
        wdl=wdl,
        value=wdl[:, 0] - wdl[:, 2],
        weight=np.ones(POSITIONS, np.float32),
        plies_left=np.ones(POSITIONS, np.float32),
    )


def right() -> Answers:
    """The answers of a net that knows the best moves and winners."""
    return Answers(shares=batch().policy, wdl=(batch().wdl + 0.5) / 2.5)


def stuck() -> Answers:
    """The answers of a net that does not distinguish the positions."""
    return Answers(
        shares=np.full((POSITIONS, SLOTS), 1 / SLOTS, np.float32),
        wdl=np.full((POSITIONS, 3), 1 / 3, np.float32),
    )


def fit(answers: Answers) -> Fit:
    """A fit whose net gives these answers."""
    held_out = measure(answers, batch())
    return Fit(steps=1, samples=1, seconds=1, waiting=0, rate=1, train={}, held_out=held_out)


def test_spreads_by_hand() -> None:
    """Values alternate between 0.4 and -0.4; shares of 0.7 and 0.1 differ from their mean 0.25."""
    measured = measure(right(), batch())
    assert measured.value_spread == pytest.approx(0.4)
    assert measured.policy_spread == pytest.approx((0.45 + 3 * 0.15) / 2)
    measured = measure(stuck(), batch())
    assert (measured.value_spread, measured.policy_spread) == (0, 0)


def test_constant_outputs_are_warned_of() -> None:
    """Constant values, policies or both give a warning; differing answers do not."""
    usual = LossSettings()
    assert about_fit(fit(right()), usual) == {}
    assert "values and policies hardly differ" in about_fit(fit(stuck()), usual)["constant"]
    half = Answers(shares=right().shares, wdl=stuck().wdl)
    assert constant_outputs(measure(half, batch())) == "values"
    half = Answers(shares=stuck().shares, wdl=right().wdl)
    assert constant_outputs(measure(half, batch())) == "policies"
    assert "fit.rate.start" in about_fit(fit(half), usual)["constant"]


@pytest.mark.parametrize(
    ("over", "illegal", "is_warned"),
    [("legal", 1.0, True), ("all", 0.0, True), ("legal", 0.0, False)],
)
def test_illegal_moves_are_warned_of_where_legality_is_taught(
    over: Literal["legal", "all"], illegal: float, is_warned: bool
) -> None:
    """The net ranks legal moves correctly, but gives most of its policy to an illegal one."""
    shares, legal = right().shares.copy(), np.ones((POSITIONS, SLOTS + 1), np.bool_)
    legal[:, SLOTS] = False
    elsewhere = np.hstack([0.1 * shares, np.full((POSITIONS, 1), 0.9, np.float32)])
    policy = np.hstack([batch().policy, np.zeros((POSITIONS, 1), np.float32)])
    seen = msgspec.structs.replace(batch(), legal=legal, policy=policy)
    held_out = measure(Answers(shares=elsewhere, wdl=right().wdl), seen)
    done = msgspec.structs.replace(fit(right()), held_out=held_out)
    found = about_fit(done, LossSettings(policy_over=over, illegal=illegal))
    assert list(found) == (["legal_mass"] if is_warned else [])


def test_every_warning_is_documented() -> None:
    """docs/troubleshooting.md has a section for each warning."""
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    source = (ROOT / "src" / "rulezero" / "training" / "warnings.py").read_text(encoding="utf-8")
    names = re.findall(r'found\["(\w+)"\]', source)
    assert len(names) >= 6
    assert sorted(re.findall(r"\*Warning `(\w+)`\.\*", text)) == sorted(names)
