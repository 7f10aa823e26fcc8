"""The loss of a net: policy and value losses, and a penalty on illegal moves."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from rulezero.errors import RunError
from rulezero.games.python_game import describe
from rulezero.learn.fit import LossSettings
from rulezero.learn.terms import Term
from rulezero.nets.heads import ValueHead
from rulezero.nets.tower import Outputs

MOVES_LEFT_UNIT = 50.0  # plies
_IMPOSSIBLE = -1e9  # logit with probability 0; unlike -inf, it causes no NaN in gradients


class Examples(NamedTuple):
    """A batch as tensors, on the learner's device: see batch.Batch."""

    planes: Tensor  # [B, C, H, W]
    legal: Tensor  # [B, slots] bool
    policy: Tensor  # [B, slots]
    wdl: Tensor  # [B, 3]
    weight: Tensor  # [B]
    plies_left: Tensor  # [B]


class Said(NamedTuple):
    """The outputs of a net for a batch, as a custom loss term receives them."""

    policy: Tensor  # [B, slots] logits, before any masking
    value: Tensor  # [B, 3] logits of the mover's win, draw, loss; [B, 1] with net.value=tanh
    moves_left: Tensor | None  # [B, 1]; none: the net has no such head
    head: Tensor | None  # output of the term's own head; none: it has no head


class Losses(NamedTuple):
    """Mean losses over a batch."""

    total: Tensor
    policy: Tensor  # cross-entropy, in nats, over positions with a policy target
    value: Tensor  # the value head's own loss, or |error of the expected result| ** value_power
    illegal: Tensor  # the policy's probability on illegal slots
    moves_left: Tensor  # Huber loss, in units of MOVES_LEFT_UNIT; 0 without such a head


class Weights(NamedTuple):
    """The weights of a batch, by which sums over its positions become means."""

    positions: Tensor  # of all positions
    policies: Tensor  # of the positions with a policy target


def weights_of(examples: Examples) -> Weights:
    """The weights of these examples."""
    return Weights(examples.weight.sum(), _of_policies(examples).sum())


def _of_policies(examples: Examples) -> Tensor:
    """The weights of the positions with a policy target, and 0 for the others: [B]."""
    return (examples.policy.sum(1) > 0).float() * examples.weight


def losses(
    said: Outputs,
    examples: Examples,
    settings: LossSettings,
    head: type[ValueHead],
    whole: Weights | None = None,
) -> Losses:
    """The losses of the outputs of a net with this value head.

    A cross-entropy over legal moves ignores the illegal ones: only the penalty keeps probability
    away from them. A cross-entropy over all slots needs no penalty. If the examples are a part of a
    batch, `whole` has the weights of the whole batch, and the losses of all parts add up to its
    losses.
    """
    policy, value, moves_left, _ = said
    whole = whole or weights_of(examples)
    weight = examples.weight / whole.positions
    is_legal = settings.policy_over == "legal"
    shares = legal_log_shares(policy, examples.legal) if is_legal else policy.log_softmax(1)
    of_policy = -(examples.policy * shares).sum(1)  # [B]
    mean_policy = (of_policy * _of_policies(examples)).sum() / whole.policies.clamp(min=1e-9)
    mean_illegal = (illegal_mass(policy, examples.legal) * weight).sum()
    mean_value = (head.loss(value, examples.wdl, settings.value_power) * weight).sum()
    total = (
        settings.policy * (mean_policy + settings.illegal * mean_illegal)
        + settings.value * mean_value
    )
    mean_left = torch.zeros((), device=policy.device)
    if moves_left is not None:
        target = examples.plies_left / MOVES_LEFT_UNIT
        errors = functional.huber_loss(moves_left[:, 0], target, reduction="none")
        mean_left = (errors * weight).sum()
        total = total + settings.moves_left * mean_left
    return Losses(total, mean_policy, mean_value, mean_illegal, mean_left)


def term_loss(term: Term, said: Outputs, examples: Examples) -> Tensor:
    """The loss of a custom term, a scalar. Raises RunError if its function fails."""
    head = (said.extra or {}).get(term.name)
    try:
        loss = term.loss(Said(said.policy, said.value, said.moves_left, head), examples)
    except Exception as error:  # the user's code may raise anything
        raise RunError(f"the loss term '{term.name}' {describe(error)}") from error
    if not isinstance(loss, Tensor) or loss.numel() != 1:
        what = list(loss.shape) if isinstance(loss, Tensor) else f"{loss!r:.60}"
        raise RunError(
            f"the loss term '{term.name}' returned {what}; it must return a tensor with one number,"
            " such as errors.mean()"
        )
    return loss.float().reshape(())


def legal_log_shares(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities of the policy over legal moves: [B, slots], 0 for illegal slots."""
    shares = functional.log_softmax(logits.masked_fill(~legal, _IMPOSSIBLE), 1)
    return shares.masked_fill(~legal, 0.0)


def illegal_mass(logits: Tensor, legal: Tensor) -> Tensor:
    """The policy's probability on illegal slots: [B], in [0, 1]."""
    return torch.softmax(logits, 1).masked_fill(legal, 0.0).sum(1)
