"""Mixed precision: convolutions in fewer bits; weights, losses and saved nets in float32."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rulezero import config
from rulezero.learn.fit import FitSettings
from rulezero.learn.gradients import kind_of
from rulezero.learn.learner import Learner
from rulezero.nets.tower import create
from support import little_nets, record_samples, samples, windows

KINDS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def learner(precision: str, **changes: Any) -> Learner:
    """A learner on the CPU."""
    settings = FitSettings.model_validate(
        {"precision": precision, "batch": 32, "samples_per_ply": 10, "device": "cpu", **changes}
    )
    game = samples.game("connect4")
    return Learner(create(game, little_nets.OPTIONS["all"], seed=1), game, settings)


def fit(one: Learner) -> list[float]:
    """The total loss of each step of a fit."""
    found: list[float] = []
    one.learn_from(
        windows.of(record_samples.several("connect4", 5)),
        0,
        progress=(0.0, 1.0),
        dice=np.random.default_rng(3),
        tell=lambda step, steps, losses: found.append(losses["total"]),
    )
    return found


@pytest.mark.parametrize("precision", KINDS)
def test_fewer_bits_learn_nearly_the_same(precision: str) -> None:
    """The losses are near those of float32 but not equal, and the weights keep float32."""
    exact, short = learner("float32"), learner(precision)
    wanted, found = fit(exact), fit(short)
    assert found[0] == pytest.approx(wanted[0], rel=0.02)
    assert found[0] != wanted[0]
    assert np.mean(found[-5:]) == pytest.approx(np.mean(wanted[-5:]), rel=0.15)
    assert np.mean(found[-5:]) < 0.9 * found[0]
    kinds = {tensor.dtype for tensor in short.tower.state_dict().values()}
    assert kinds == {torch.float32, torch.int64}


def test_auto_is_float32_on_a_cpu() -> None:
    """On a GPU it is bfloat16."""
    exact, auto = learner("float32"), learner("auto")
    assert fit(exact) == fit(auto)
    assert kind_of(auto.settings, torch.device("cuda")) is torch.bfloat16
    for precision, kind in KINDS.items():
        for device in ("cpu", "cuda"):
            settings = FitSettings.model_validate({"precision": precision})
            assert kind_of(settings, torch.device(device)) is kind


def test_float16_skips_steps_that_overflow_and_resumes(tmp_path: Path) -> None:
    """An overflow halves the scale and changes no weight; a snapshot has the scale."""
    whole, first, second = (learner("float16", samples_per_ply=2) for _ in range(3))
    for each in (whole, first):
        each.scaler.load_state_dict({**each.scaler.state_dict(), "scale": 2.0**100})
        before = {name: weight.clone() for name, weight in each.tower.named_parameters()}
        fit(each)
        assert each.scaler.get_scale() == 2.0 ** (100 - each.step)
        for name, weight in each.tower.named_parameters():
            assert torch.equal(weight, before[name]), name
        each.scaler.update(1024.0)
        fit(each)
    second.load(tmp_path, first.save(tmp_path))
    assert second.scaler.state_dict() == first.scaler.state_dict()
    fit(whole)
    fit(second)
    assert second.scaler.get_scale() == whole.scaler.get_scale() <= 1024
    for name, tensor in whole.tower.state_dict().items():
        assert torch.equal(tensor, second.tower.state_dict()[name]), name


@pytest.mark.parametrize(("before", "now"), [("true", "auto"), ("false", "float32")])
def test_older_recipes_say_mixed(before: str, now: str) -> None:
    """`mixed` was a switch for bfloat16 on GPUs."""
    experiment = config.load("connect4", "tiny", f"fit.mixed={before}")
    assert experiment.fit.precision == now
    assert experiment == config.load("connect4", "tiny", f"fit.precision={now}")
