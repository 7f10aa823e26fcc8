"""Fits with several processes: the loss curve of one process, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero.learn import terms
from rulezero.learn.fit import FitSettings
from rulezero.learn.learner import Learner
from rulezero.learn.window import WindowSettings
from rulezero.nets.config import NetConfig
from rulezero.nets.tower import create
from support import little_nets, record_samples, samples, windows

# Plain gradient descent: Adam divides by tiny gradients, which makes rounding visible sooner.
FIT: dict[str, Any] = {
    **{"batch": 32, "samples_per_ply": 10, "device": "cpu", "optimiser": "sgd"},
    **{"rate": {"start": 0.01}, "loss": {"moves_left": 1.0}},
}
NEAR = 1e-5  # relative; one rounding of a float32 is up to 6e-8


class Curve:
    """The losses of a fit, step by step, and its learner."""

    def __init__(self, config: NetConfig, **changes: Any) -> None:
        game = samples.game("connect4")
        settings = FitSettings.model_validate(FIT | changes)
        self.learner = Learner(create(game, config, seed=1), game, settings)
        self.losses: list[dict[str, float]] = []
        window = windows.of(record_samples.several("connect4", 5), WindowSettings(held_out=0.3))
        self.fit = self.learner.learn_from(
            window,
            0,
            progress=(0.0, 1.0),
            dice=np.random.default_rng(3),
            tell=lambda step, steps, losses: self.losses.append(losses),
        )

    def assert_near(self, other: "Curve") -> None:
        """The losses of two fits agree up to the rounding of sums.

        A sum that is rounded differently may change the sign of a number that a ReLU reads. Such a
        step and its successors differ by more, so only most steps are near.
        """
        assert len(self.losses) == len(other.losses) > 10
        far = [
            max(abs(one[name] - two[name]) / max(abs(one[name]), 1e-3) for name in one)
            for one, two in zip(self.losses, other.losses, strict=True)
        ]
        assert np.median(far) < NEAR
        assert max(far) < 1000 * NEAR
        assert (self.fit.steps, self.fit.samples) == (other.fit.steps, other.fit.samples)
        for name, tensor in self.learner.average.state_dict().items():
            found = other.learner.average.state_dict()[name]
            torch.testing.assert_close(found, tensor, rtol=1e-3, atol=1e-3)


def test_two_processes_learn_as_one() -> None:
    """All losses of all steps, with every option of a net."""
    one, two = (Curve(little_nets.OPTIONS["all"], processes=count) for count in (1, 2))
    one.assert_near(two)


def test_three_processes_with_every_option_of_a_fit() -> None:
    """Epochs whose last batch is too small to share, clipping, averages, patience, recomputing."""
    changes: dict[str, Any] = {
        **{"samples_per_ply": None, "epochs": 4, "patience": 2, "batch": 21, "clip": 0.4},
        **{"average": 0.9, "micro_batch": 4, "weight_decay": 0.01},
    }
    one, three = (Curve(little_nets.SMALL, processes=count, **changes) for count in (1, 3))
    assert one.fit.samples == one.fit.steps / 4 * (3 * 21 + 1)
    one.assert_near(three)
    assert one.fit.held_out is not None
    assert three.fit.held_out is not None
    assert three.fit.held_out.net.total == pytest.approx(one.fit.held_out.net.total, rel=1e-3)


def test_terms_of_this_process_alone_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes could not know them; a file that registers them can be named."""
    monkeypatch.setattr(terms, "_registered", {})
    rz.loss_term("small")(lambda said, examples: said.policy.square().mean())
    changes = ["fit.processes=2", "fit.device=cpu", "fit.loss.extra={small: 1.0}"]
    with pytest.raises(rz.RunError, match="'small', which is registered only in this one: put it"):
        rz.runs.check(rz.experiment("connect4", "tiny", changes))
    rz.runs.check(rz.experiment("connect4", "tiny", [*changes, "fit.processes=1"]))


def test_a_perceptron_is_refused() -> None:
    """The perceptrons of a distillation have no processes."""
    with pytest.raises(rz.RunError, match=r"distill does not read fit\.processes: leave"):
        rz.runs.check(rz.experiment("distill", "tiny", "fit.processes=2"))


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_each_process_needs_a_gpu(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If GPUs compute, there is one for each process."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    changes = [f"fit.device={device}", "fit.processes=3"]
    words = "fit.device: 3 processes need as many GPUs, but torch finds 2 here: use fewer processes"
    with pytest.raises(rz.NetError, match=words):
        rz.runs.check(rz.experiment("connect4", "tiny", changes))
    rz.runs.check(rz.experiment("connect4", "tiny", [*changes, "fit.processes=2"]))
    rz.runs.check(rz.experiment("connect4", "tiny", ["fit.device=cpu", "fit.processes=3"]))


def test_a_failing_helper_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a helper ends the fit with one line."""
    monkeypatch.setattr(terms, "_registered", {})
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "known"))
    hooks = tmp_path / "fails.py"
    hooks.write_text(
        "import multiprocessing\n"
        "import rulezero as rz\n"
        "@rz.loss_term('odd')\n"
        "def odd(said, examples):\n"
        "    if multiprocessing.parent_process() is not None:\n"
        "        raise KeyError('only here')\n"
        "    return said.policy.mean()\n",
        "utf-8",
    )
    game, extra = samples.game("connect4"), {"odd": 1.0}
    settings = FitSettings.model_validate(FIT | {"processes": 2, "loss": {"extra": extra}})
    odd = terms.chosen(str(hooks), extra)
    one = Learner(create(game, little_nets.TINY), game, settings, None, odd, str(hooks))
    window = windows.of(record_samples.several("connect4", 5))
    with pytest.raises(rz.RunError, match="the loss term 'odd' raised KeyError: 'only here'"):
        one.learn_from(window, 0, progress=(0.0, 1.0), dice=np.random.default_rng(3))
