"""Losses: compared with slow formulas, and the directions of their gradients."""

import math

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from rulezero.learn.fit import LossSettings
from rulezero.learn.losses import (
    MOVES_LEFT_UNIT,
    Examples,
    illegal_mass,
    legal_log_shares,
    losses,
)
from rulezero.nets.heads import TanhHead, ValueHead, WdlHead
from rulezero.nets.tower import Outputs

BATCH, SLOTS = 6, 9
Doubles = npt.NDArray[np.float64]


def random_examples(seed: int = 0) -> Examples:
    """Positions with some legal slots; the last one has no policy target."""
    dice = np.random.default_rng(seed)
    legal = dice.random((BATCH, SLOTS)) < 0.5
    legal[:, 0] = True
    policy = np.where(legal, dice.random((BATCH, SLOTS)), 0)
    policy[-1] = 0
    policy /= np.maximum(policy.sum(1, keepdims=True), 1e-9)
    wdl = dice.dirichlet([1, 1, 1], BATCH)
    return Examples(
        planes=torch.zeros(BATCH, 1, 1, 1),
        legal=torch.from_numpy(legal),
        policy=torch.from_numpy(policy).float(),
        wdl=torch.from_numpy(wdl).float(),
        weight=torch.from_numpy(dice.random(BATCH) + 0.1).float(),
        plies_left=torch.from_numpy(dice.integers(1, 200, BATCH)).float(),
    )


def random_outputs(seed: int = 1, *, head: type[ValueHead] = WdlHead) -> Outputs:
    """Random outputs of a net."""
    dice = torch.Generator().manual_seed(seed)
    value = torch.randn(BATCH, 1 if head is TanhHead else 3, generator=dice)
    return Outputs(
        3 * torch.randn(BATCH, SLOTS, generator=dice),
        torch.tanh(value) if head is TanhHead else value,
        torch.rand(BATCH, 1, generator=dice),
    )


def slow_softmax(logits: Tensor) -> list[list[float]]:
    """The softmax of each row, computed with Python floats."""
    found = []
    for row in logits.tolist():
        powers = [math.exp(logit) for logit in row]
        found.append([power / sum(powers) for power in powers])
    return found


def slow_policy(logits: Tensor, examples: Examples) -> Doubles:
    """The cross-entropies over legal moves, [B]."""
    found = np.zeros(len(logits))
    for row in range(len(logits)):
        legal = [slot for slot in range(SLOTS) if examples.legal[row, slot]]
        total = sum(math.exp(float(logits[row, slot])) for slot in legal)
        for slot in legal:
            share = math.exp(float(logits[row, slot])) / total
            found[row] -= float(examples.policy[row, slot]) * math.log(share)
    return found


def mean(of: npt.ArrayLike, weight: npt.ArrayLike) -> float:
    """The weighted mean."""
    return float(np.average(np.asarray(of, np.float64), weights=np.asarray(weight, np.float64)))


def test_policies_are_compared_among_legal_moves() -> None:
    """The policy loss is a masked cross-entropy over the positions with a policy target."""
    said, examples = random_outputs(), random_examples()
    found = losses(said, examples, LossSettings(), WdlHead)
    wanted = slow_policy(said.policy, examples)
    assert float(found.policy) == pytest.approx(mean(wanted[:-1], examples.weight[:-1]), rel=1e-5)
    shares = legal_log_shares(said.policy, examples.legal)
    torch.testing.assert_close((shares.exp() * examples.legal).sum(1), torch.ones(BATCH))
    assert (shares[~examples.legal] == 0).all()


def test_illegal_mass_is_what_lies_on_illegal_slots() -> None:
    """illegal_mass is the share of the unmasked policy on illegal slots."""
    said, examples = random_outputs(), random_examples()
    mass = [
        sum(share for share, legal in zip(row, mask, strict=True) if not legal)
        for row, mask in zip(slow_softmax(said.policy), examples.legal.tolist(), strict=True)
    ]
    assert illegal_mass(said.policy, examples.legal).tolist() == pytest.approx(mass, rel=1e-5)
    found = losses(said, examples, LossSettings(), WdlHead)
    assert float(found.illegal) == pytest.approx(mean(mass, examples.weight), rel=1e-5)


def gradient(settings: LossSettings) -> tuple[Tensor, Tensor]:
    """The gradient of the total loss by the policy logits [B, slots], and the legal mask."""
    said, examples = random_outputs(), random_examples()
    logits = said.policy.clone().requires_grad_()
    losses(Outputs(logits, said.value), examples, settings, WdlHead).total.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    return logits.grad, examples.legal


def test_the_penalty_alone_pushes_illegal_moves_down() -> None:
    """With the penalty every illegal logit has a positive gradient; without it, a gradient of 0."""
    pushed, legal = gradient(LossSettings(policy=1, illegal=1))
    assert (pushed[~legal] > 0).all()
    torch.testing.assert_close(pushed.sum(1), torch.zeros(BATCH), atol=1e-6, rtol=0)
    left, _ = gradient(LossSettings(policy=1, illegal=0))
    assert (left[~legal] == 0).all()
    twice, _ = gradient(LossSettings(policy=1, illegal=2))
    torch.testing.assert_close(twice - pushed, pushed - left)


def test_learning_the_penalty_empties_illegal_slots() -> None:
    """Gradient descent on illegal_mass brings it below 0.01."""
    examples = random_examples()
    logits = random_outputs().policy.clone().requires_grad_()
    optimiser = torch.optim.SGD([logits], lr=20.0)
    before = float(illegal_mass(logits.detach(), examples.legal).mean())
    for _ in range(300):
        optimiser.zero_grad()
        illegal_mass(logits, examples.legal).mean().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert before > 0.2
    assert float(illegal_mass(logits.detach(), examples.legal).mean()) < 0.01


def test_win_draw_loss_is_a_cross_entropy() -> None:
    """The loss is the cross-entropy of the three probabilities, in nats."""
    said, examples = random_outputs(), random_examples()
    wanted = [
        -sum(aim * math.log(share) for aim, share in zip(aims, shares, strict=True))
        for aims, shares in zip(examples.wdl.tolist(), slow_softmax(said.value), strict=True)
    ]
    assert WdlHead.loss(said.value, examples.wdl).tolist() == pytest.approx(wanted, rel=1e-5)
    found = losses(said, examples, LossSettings(), WdlHead)
    assert float(found.value) == pytest.approx(mean(wanted, examples.weight), rel=1e-5)


def test_a_tanh_is_a_squared_error() -> None:
    """The loss is the squared error of the expected result, p(win) - p(loss)."""
    said, examples = random_outputs(head=TanhHead), random_examples()
    aims = examples.wdl.numpy().astype(np.float64)
    wanted = (said.value.numpy()[:, 0] - (aims[:, 0] - aims[:, 2])) ** 2
    np.testing.assert_allclose(TanhHead.loss(said.value, examples.wdl).numpy(), wanted, rtol=1e-5)
    found = losses(said, examples, LossSettings(), TanhHead)
    assert float(found.value) == pytest.approx(mean(wanted, examples.weight), rel=1e-5)


def test_moves_left_are_a_huber_loss() -> None:
    """The Huber loss is in units of MOVES_LEFT_UNIT; without a moves-left head it is 0."""
    said, examples = random_outputs(), random_examples()
    assert said.moves_left is not None
    error = np.abs(said.moves_left.numpy()[:, 0] - examples.plies_left.numpy() / MOVES_LEFT_UNIT)
    wanted = np.where(error < 1, error**2 / 2, error - 0.5)
    assert 0 < (error < 1).sum() < BATCH
    found = losses(said, examples, LossSettings(), WdlHead)
    assert float(found.moves_left) == pytest.approx(mean(wanted, examples.weight), rel=1e-5)
    without = losses(
        Outputs(said.policy, said.value), examples, LossSettings(moves_left=1), WdlHead
    )
    assert float(without.moves_left) == 0


def test_parts_count_as_set() -> None:
    """total = policy * (cross-entropy + illegal * mass) + value * ... + moves_left * ..."""
    said, examples = random_outputs(), random_examples()
    settings = LossSettings(policy=0.5, illegal=3.0, value=2.0, moves_left=0.25)
    found = losses(said, examples, settings, WdlHead)
    wanted = (
        0.5 * (found.policy + 3.0 * found.illegal) + 2.0 * found.value + 0.25 * found.moves_left
    )
    torch.testing.assert_close(found.total, wanted)


@pytest.mark.parametrize("head", [WdlHead, TanhHead])
def test_weights_of_samples_count(head: type[ValueHead]) -> None:
    """A sample of weight 2 counts as two samples of weight 1, one of weight 0 as none."""
    said, examples = random_outputs(head=head), random_examples()
    weighed = examples._replace(weight=torch.tensor([2.0, 1, 0, 1, 1, 1]))
    rows = [0, 0, 1, 3, 4, 5]
    repeated = Examples(*(part[rows] for part in examples))._replace(weight=torch.ones(6))
    assert said.moves_left is not None
    spread = Outputs(said.policy[rows], said.value[rows], said.moves_left[rows])
    settings = LossSettings(moves_left=1)
    for one, other in zip(
        losses(said, weighed, settings, head), losses(spread, repeated, settings, head), strict=True
    ):
        torch.testing.assert_close(one, other)


def test_a_batch_without_policies_teaches_values() -> None:
    """Without policy targets, the policy loss is 0, and the total is the other losses."""
    said, examples = random_outputs(), random_examples()
    found = losses(
        said, examples._replace(policy=torch.zeros(BATCH, SLOTS)), LossSettings(illegal=0), WdlHead
    )
    assert float(found.policy) == 0
    assert float(found.total) == pytest.approx(
        float(found.value) + LossSettings().moves_left * float(found.moves_left)
    )


@pytest.mark.parametrize("head", [WdlHead, TanhHead])
def test_a_power_is_of_the_expected_result(head: type[ValueHead]) -> None:
    """The loss is |expected - target| ** 2.5 for either head; without error its gradient is 0."""
    said, examples = random_outputs(head=head), random_examples()
    expected = said.value[:, 0]
    if head is WdlHead:
        expected = said.value.softmax(1) @ torch.tensor([1.0, 0, -1])
    error = (expected - (examples.wdl[:, 0] - examples.wdl[:, 2])).abs()
    wanted = [float(each) ** 2.5 for each in error]
    assert head.loss(said.value, examples.wdl, 2.5).tolist() == pytest.approx(wanted, rel=1e-4)
    value = torch.zeros(1, 1, requires_grad=True)
    TanhHead.loss(value, torch.tensor([[0.0, 1.0, 0.0]]), 2.5).sum().backward()  # type: ignore[no-untyped-call]
    assert value.grad is not None
    assert value.grad.item() == 0


def test_a_policy_over_all_slots_pushes_illegal_moves_down_by_itself() -> None:
    """policy_over=all is the cross-entropy over all slots, which needs no penalty."""
    said, examples = random_outputs(), random_examples()
    settings = LossSettings(policy_over="all", illegal=0)
    wanted = -(examples.policy[:-1] * said.policy[:-1].log_softmax(1)).sum(1)
    found = losses(said, examples, settings, WdlHead)
    assert float(found.policy) == pytest.approx(mean(wanted, examples.weight[:-1]), rel=1e-5)
    pushed, legal = gradient(settings)
    assert (pushed[:-1][~legal[:-1]] > 0).all()
