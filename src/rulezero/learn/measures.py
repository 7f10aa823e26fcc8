"""Measures a net's answers, and for comparison the best constant answer."""

import math

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero.data.columns import Floats
from rulezero.learn.batch import Batch

_TINY = 1e-12
_TRUST = 20  # times a slot must be legal before its own rate counts as much as the mean rate


class Answers(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A net's answers for B positions, from the mover's point of view."""

    shares: Floats  # [B, slots] policy over all slots, including illegal ones
    wdl: Floats  # [B, 3]
    has_draws: bool = True  # whether the net predicts draws; if not, its value is one number


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Losses and accuracies of answers, over positions that were never trained on."""

    total: float  # policy and value loss together
    policy: float  # cross-entropy among legal moves, in nats
    value: float  # cross-entropy of win, draw, loss, in nats; squared error without draws
    value_mse: float  # of the expected result
    value_mae: float
    top1: float  # share of positions whose likeliest legal move is the target's
    winner: float  # share of decided positions whose winner is predicted
    legal_mass: float  # probability on legal moves


class Measures(msgspec.Struct, frozen=True, kw_only=True):
    """A net's figures, and those of the best constant answer, which ignores the position."""

    positions: int
    net: Figures
    constant: Figures
    value_spread: float  # standard deviation of the net's expected results over the positions
    policy_spread: float  # how far its policies are from their mean: total variation, in [0, 1]


def measure(answers: Answers, batch: Batch) -> Measures:
    """The measures of a net's answers for a batch."""
    return Measures(
        positions=len(batch.value),
        net=_figures(answers, batch),
        constant=_figures(best_constant(batch, has_draws=answers.has_draws), batch),
        value_spread=float((answers.wdl[:, 0] - answers.wdl[:, 2]).std()),
        policy_spread=float(np.abs(answers.shares - answers.shares.mean(0)).sum(1).mean() / 2),
    )


def measure_chances(said: Floats, wanted: Floats) -> Measures:
    """The measures of a net that predicts only the mover's chance, in [0, 1]: [p] each.

    The value loss is the squared error of the chance; figures about policies are NaN.
    """

    def figures(chances: Floats) -> Figures:
        loss, error = float(((chances - wanted) ** 2).mean()), 2 * (chances - wanted)
        return Figures(
            total=loss,
            policy=math.nan,
            value=loss,
            value_mse=float((error**2).mean()),
            value_mae=float(np.abs(error).mean()),
            top1=math.nan,
            winner=_winner(2 * chances - 1, 2 * wanted - 1),
            legal_mass=math.nan,
        )

    return Measures(
        positions=len(wanted),
        net=figures(said),
        constant=figures(np.full_like(wanted, wanted.mean())),
        value_spread=float((2 * said).std()),
        policy_spread=math.nan,
    )


def best_constant(batch: Batch, *, has_draws: bool = True) -> Answers:
    """The best constant answer: how often each slot is played if it is legal, and the mean wdl.

    For slots that are rarely legal, this rate is close to the mean over all slots: rates fitted to
    a few positions would be no fair comparison for a net that has never seen these positions.
    """
    played, legal = batch.policy.sum(0), batch.legal[batch.policy.sum(1) > 0].sum(0)
    mean = played.sum() / max(legal.sum(), 1)
    rates = (played + _TRUST * mean) / (legal + _TRUST) + _TINY
    shares = np.where(batch.legal, rates, 0)
    return Answers(
        shares=(shares / np.maximum(shares.sum(1, keepdims=True), _TINY)).astype(np.float32),
        wdl=np.broadcast_to(batch.wdl.mean(0), batch.wdl.shape),
        has_draws=has_draws,
    )


def _figures(answers: Answers, batch: Batch) -> Figures:
    has_policy = batch.policy.sum(1) > 0
    shares, target = answers.shares[has_policy], batch.policy[has_policy]
    legal = batch.legal[has_policy]
    among = np.where(legal, shares, 0)
    mass = among.sum(1, keepdims=True)
    among = among / np.maximum(mass, _TINY)
    policy = -(target * np.log(np.maximum(among, _TINY))).sum(1).mean() if len(target) else 0.0
    top1 = (among.argmax(1) == target.argmax(1)).mean() if len(target) else 0.0
    said = answers.wdl[:, 0] - answers.wdl[:, 2]
    error = said - batch.value
    value = (error**2).mean()
    if answers.has_draws:
        value = 0 - (batch.wdl * np.log(np.maximum(answers.wdl, _TINY))).sum(1).mean()  # never -0
    return Figures(
        total=float(policy + value),
        policy=float(policy),
        value=float(value),
        value_mse=float((error**2).mean()),
        value_mae=float(np.abs(error).mean()),
        top1=float(top1),
        winner=_winner(said, batch.value),
        legal_mass=float(mass.mean()) if len(target) else 0.0,
    )


def _winner(said: Floats, value: Floats) -> float:
    is_decided: npt.NDArray[np.bool_] = np.abs(value) > 0.5
    if not is_decided.any():
        return 0.0
    return float((np.sign(said[is_decided]) == np.sign(value[is_decided])).mean())
