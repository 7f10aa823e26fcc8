"""Learners: every kind of net learns from a window, and fits are reproducible."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from rulezero.learn import learner as learners
from rulezero.learn.batch import Batch, Batches
from rulezero.learn.fit import Fit, FitSettings
from rulezero.learn.learner import Learner
from rulezero.learn.losses import losses
from rulezero.learn.measures import Answers, measure
from rulezero.learn.targets import TargetSettings
from rulezero.learn.window import Indices, Part, WindowSettings
from rulezero.nets.config import NetConfig
from rulezero.nets.heads import WdlHead
from rulezero.nets.tower import create
from support import little_nets, record_samples, samples, windows

FIT: dict[str, Any] = {
    "batch": 32,
    "samples_per_ply": 30,
    "rate": {"start": 0.01},
    "loss": {"moves_left": 1.0},
    "threads": 1,
}


def learner(config: NetConfig, **changes: Any) -> Learner:
    """A learner with an untrained net for Connect Four."""
    game = samples.game("connect4")
    return Learner(create(game, config, seed=1), game, FitSettings.model_validate(FIT | changes))


def batches(held_out: float = 0.0) -> Batches:
    """The batches of five random games."""
    records = record_samples.several("connect4", 5)
    window = windows.of(records, WindowSettings(held_out=held_out))
    return Batches(window, samples.game("connect4"), settings=TargetSettings(), mirrors=True)


def fit(learner: Learner, held_out: float = 0.0) -> Fit:
    """The result of fitting the learner to the games of `batches`."""
    dice = np.random.default_rng(3)
    return learner.learn_from(batches(held_out).window, 0, progress=(0.0, 1.0), dice=dice)


@pytest.mark.parametrize("option", little_nets.OPTIONS)
def test_every_net_learns(option: str) -> None:
    """The total loss falls on a few games, and the losses of value and plies left by half."""
    one = learner(little_nets.OPTIONS[option])
    told: list[dict[str, float]] = []
    one.learn_from(
        batches().window,
        0,
        progress=(0.0, 1.0),
        dice=np.random.default_rng(3),
        tell=lambda step, steps, losses: told.append(losses),
    )
    last = {name: np.mean([each[name] for each in told[-5:]]) for name in told[0]}
    assert last["total"] < 0.85 * told[0]["total"]
    assert last["value"] < 0.5 * told[0]["value"]
    if one.tower.config.moves_left:
        assert last["moves_left"] < 0.5 * told[0]["moves_left"]
    else:
        assert last["moves_left"] == 0
    assert not one.tower.training


def test_fits_are_reproducible() -> None:
    """A fit, including dropout, does not depend on torch's global random state."""
    states = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        one = learner(little_nets.OPTIONS["all"], samples_per_ply=3)
        fit(one)
        states.append(one.tower.state_dict())
    for name, tensor in states[0].items():
        assert torch.equal(tensor, states[1][name]), name


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_threads_are_the_fits_own(threads: int) -> None:
    """A fit does not depend on torch's number of threads, and restores it afterwards."""
    states = []
    before = torch.get_num_threads()
    try:
        for others in (1, 2):
            torch.set_num_threads(others)
            one = learner(little_nets.SMALL, samples_per_ply=3, threads=threads)
            fit(one)
            assert torch.get_num_threads() == others
            states.append(one.tower.state_dict())
    finally:
        torch.set_num_threads(before)
    for name, tensor in states[0].items():
        assert torch.equal(tensor, states[1][name]), name


@pytest.mark.parametrize("option", ["none", "tanh"])
def test_a_learner_judges_as_its_net_plays(option: str) -> None:
    """Probabilities sum to 1; a tanh value v means a win (1 + v) / 2 and a loss (1 - v) / 2."""
    one = learner(little_nets.OPTIONS[option])
    batch = batches().make(np.arange(20))
    answers = one.judge(batch)
    with torch.no_grad():
        said = one.tower.eval()(torch.from_numpy(batch.planes))
    np.testing.assert_allclose(answers.shares, torch.softmax(said.policy, 1).numpy(), atol=1e-5)
    np.testing.assert_allclose(answers.wdl.sum(1), 1, atol=1e-6)
    assert answers.has_draws == (option != "tanh")
    if option == "tanh":
        value = said.value.numpy()[:, 0]
        np.testing.assert_array_equal(answers.wdl[:, 1], 0)
        np.testing.assert_allclose(answers.wdl[:, 0], (1 + value) / 2, atol=1e-5)
        np.testing.assert_allclose(answers.wdl[:, 2], (1 - value) / 2, atol=1e-5)
    else:
        np.testing.assert_allclose(answers.wdl, torch.softmax(said.value, 1).numpy(), atol=1e-5)


def test_a_tanh_is_measured_by_its_squared_error() -> None:
    """A tanh head is compared with the best constant value; it cannot predict draws."""
    batch = batches().make(np.arange(20))
    batch = msgspec.structs.replace(
        batch, wdl=np.tile(np.array([0, 1, 0], np.float32), (20, 1)), value=np.zeros(20, np.float32)
    )
    wdl = np.tile(np.array([0.75, 0, 0.25], np.float32), (20, 1))
    shares = np.full((20, 7), 1 / 7, np.float32)
    found = measure(Answers(shares=shares, wdl=wdl, has_draws=False), batch)
    assert found.net.value == found.net.value_mse == pytest.approx(0.25)
    assert found.constant.value == 0
    assert measure(Answers(shares=shares, wdl=wdl), batch).net.value > 10


def test_a_learner_goes_on_where_it_was(tmp_path: Path) -> None:
    """Saving and loading between two fits changes neither weights, averages nor steps."""
    config = little_nets.OPTIONS["all"].model_copy(update={"dropout": 0.0})
    whole, first, second = (learner(config, samples_per_ply=2, average=0.9) for _ in range(3))
    fit(whole)
    fit(whole)
    fit(first)
    second.load(tmp_path, first.save(tmp_path))
    fit(second)
    assert second.step == whole.step
    for one, other in ((whole.tower, second.tower), (whole.average, second.average)):
        for name, tensor in one.state_dict().items():
            assert torch.equal(tensor, other.state_dict()[name]), name


def test_held_out_positions_of_all_ages_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most _MOST_MEASURED positions are measured, spread over all held-out positions."""
    held_out = batches(held_out=0.999)
    count = len(held_out.window.positions(Part.HELD_OUT))
    seen: list[int] = []
    make = held_out.make

    def watched(positions: Indices) -> Batch:
        seen.extend(positions.tolist())
        return make(positions)

    monkeypatch.setattr(learners, "_MOST_MEASURED", count // 2 + 1)
    monkeypatch.setattr(held_out, "make", watched)
    found = learner(little_nets.TINY).measure(held_out)
    assert found is not None
    assert found.positions == len(seen) <= count // 2 + 1
    assert seen[0] == 0
    assert seen[-1] >= count - 2


def test_without_positions_nothing_is_learned() -> None:
    """If all games were interrupted, the fit has no steps and the weights stay."""
    one = learner(little_nets.TINY)
    before = {name: tensor.clone() for name, tensor in one.tower.state_dict().items()}
    record = record_samples.made("connect4", end_reason="interrupted")
    found = one.learn_from(
        windows.of([record]), 0, progress=(0.0, 1.0), dice=np.random.default_rng(0)
    )
    assert (found.steps, found.samples, found.train, found.held_out) == (0, 0, {}, None)
    for name, tensor in one.tower.state_dict().items():
        assert torch.equal(tensor, before[name]), name


def test_the_loss_of_a_batch_is_what_is_fitted() -> None:
    """`loss` uses the recipe's weights and powers, and computes in slices the same total."""
    one = learner(little_nets.TINY, batch=7, loss={"policy": 0.5, "value_power": 2.5})
    made = batches()
    batch = made.make(made.window.positions(Part.TRAINING))
    said = one.average.eval()(torch.from_numpy(batch.planes))
    wanted = losses(said, one._gradients.examples(batch), one.settings.loss, WdlHead).total
    assert one.loss(batch) == pytest.approx(float(wanted.detach()), rel=1e-4)


def test_a_fit_that_gets_no_better_ends_with_its_best_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fit ends after `patience` epochs without a lower loss on the held-out games."""
    one = learner(
        little_nets.TINY, patience=2, samples_per_ply=None, epochs=60, rate={"start": 0.03}
    )
    told: list[float] = []
    measured = one.loss

    def noted(batch: Batch) -> float:
        told.append(measured(batch))
        return told[-1]

    monkeypatch.setattr(one, "loss", noted)
    some = batches(held_out=0.5)
    one.learn_from(some.window, 0, progress=(0.0, 1.0), dice=np.random.default_rng(3))
    assert 3 <= len(told) < 60
    assert np.argmin(told) == len(told) - 3
    apart = some.make(some.window.positions(Part.HELD_OUT))
    assert measured(apart) == pytest.approx(min(told), rel=1e-5)


def test_patience_without_held_out_games_waits() -> None:
    """Without held-out games, `patience` has no effect and all epochs are run."""
    changes: dict[str, Any] = {"samples_per_ply": None, "epochs": 4}
    patient, plain = (
        learner(little_nets.TINY, patience=1, **changes),
        learner(little_nets.TINY, **changes),
    )
    assert fit(patient).steps == fit(plain).steps
    for name, tensor in plain.tower.state_dict().items():
        assert torch.equal(tensor, patient.tower.state_dict()[name]), name


@pytest.mark.parametrize("option", ["all", "tanh"])
@pytest.mark.parametrize("micro_batch", [1, 16, 31])
def test_a_micro_batch_changes_no_step(option: str, micro_batch: int) -> None:
    """Weights and batch-norm statistics are bit-identical with micro_batch, also with dropout.

    It saves memory by recomputing activations; the batch itself is not split.
    """
    config = little_nets.OPTIONS[option]
    whole, small = (
        learner(config, micro_batch=each, samples_per_ply=1) for each in (None, micro_batch)
    )
    assert small._gradients.recomputed(32) > 0
    assert small._gradients.recomputed(micro_batch) == whole._gradients.recomputed(32) == 0
    assert fit(whole).train == fit(small).train
    for name, tensor in whole.tower.state_dict().items():
        assert torch.equal(tensor, small.tower.state_dict()[name]), name


def test_a_micro_batch_keeps_fewer_activations() -> None:
    """With a quarter of the batch, 2 of 8 blocks keep activations; the others keep their input."""
    config = NetConfig(blocks=8, channels=32)
    batch = batches().make(np.arange(64))

    def kept(micro_batch: int | None) -> int:
        one, sizes = learner(config, batch=64, micro_batch=micro_batch), {}

        def note(tensor: torch.Tensor) -> torch.Tensor:
            sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            planes = one._gradients.tensor(batch.planes)
            outputs = one.tower.train()(planes, one._gradients.recomputed(64))
        assert outputs.policy.requires_grad
        return sum(sizes.values())

    assert kept(64) == kept(None)
    assert kept(16) < 0.6 * kept(None)
    assert kept(1) < 0.45 * kept(None)
