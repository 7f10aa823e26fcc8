"""Computes the losses of a net on a batch, or on its part of one, and their gradients."""

import contextlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from rulezero.learn.batch import Batch
from rulezero.learn.fit import FitSettings
from rulezero.learn.losses import Examples, Weights, losses, term_loss, weights_of
from rulezero.learn.sharing import Group, Part, whole_batch
from rulezero.learn.terms import Term
from rulezero.nets.tower import Outputs, Tower

_KINDS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


class Gradients:
    """The losses of a net and their gradients.

    In a fit with several processes, each process has one of these and a copy of the net.
    """

    def __init__(
        self,
        tower: Tower,
        settings: FitSettings,
        terms: Sequence[Term],
        device: torch.device,
        group: Group | None = None,
    ) -> None:
        self.tower = tower
        self.settings = settings
        self.terms = terms
        self.device = device
        self.group = group
        self.kind = kind_of(settings, device)

    def compute(self, batch: Batch, scale: Tensor, part: Part | None = None) -> dict[str, Tensor]:
        """Sets the gradients of the weights, multiplied by `scale`; returns the mean losses.

        If the batch is a part, gradients and losses are the part's shares of those of the whole
        batch: they add up to these. All processes must call this at the same time.
        """
        self.tower.zero_grad(set_to_none=True)
        self.tower.train()
        examples = self.examples(batch)
        with self._as_whole(part):
            fast = torch.autocast(self.device.type, self.kind, enabled=self.kind is not None)
            rows = len(examples.planes) if part is None else part.largest
            with fast:
                outputs = self.tower(examples.planes, self.recomputed(rows))
            if self.kind is not None:
                outputs = outputs.float()
            found = self.losses(outputs, examples, part)
            (found["total"] * scale).backward()  # type: ignore[no-untyped-call]
        return {name: loss.detach() for name, loss in found.items()}

    def _as_whole(self, part: Part | None) -> contextlib.AbstractContextManager[Any]:
        if part is None:
            return contextlib.nullcontext()
        assert self.group is not None
        return whole_batch(self.tower, self.group, part)

    def recomputed(self, positions: int) -> int:
        """The number of blocks to recompute for the gradients of a batch of this size."""
        blocks, fitting = len(self.tower.blocks), self.settings.micro_batch or positions
        return blocks - min(blocks, blocks * fitting // positions)

    def losses(
        self, outputs: Outputs, examples: Examples, part: Part | None = None
    ) -> dict[str, Tensor]:
        """The mean losses over a batch, by the names of their parts, or a part's shares of them."""
        settings, head = self.settings.loss, type(self.tower.value)
        group = None if part is None else self.group
        whole = None
        if group is not None:
            whole = Weights(*group.total(torch.stack(weights_of(examples))))
        found = losses(outputs, examples, settings, head, whole)._asdict()
        if not self.terms:
            return found
        if group is not None and part is not None:
            outputs, examples = _gathered(outputs, examples, group, part)
        for term in self.terms:
            loss = term_loss(term, outputs, examples)
            if group is not None:  # its value, as every process computes all of it, but no gradient
                loss = loss - loss.detach() * (1 - 1 / group.size)
            found[term.name] = loss
            found["total"] = found["total"] + settings.extra[term.name] * loss
        return found

    def examples(self, batch: Batch) -> Examples:
        """A batch as tensors on the device."""
        return Examples(*(self.tensor(getattr(batch, name)) for name in Examples._fields))

    def tensor(self, array: Any) -> Tensor:
        """An array as a tensor on the device."""
        tensor = torch.from_numpy(array).to(self.device)
        return tensor.to(memory_format=torch.channels_last) if tensor.ndim == 4 else tensor


def kind_of(settings: FitSettings, device: torch.device) -> torch.dtype | None:
    """The kind of numbers of matrix products and convolutions; None: float32."""
    if settings.precision == "auto":
        return torch.bfloat16 if device.type == "cuda" else None
    return _KINDS.get(settings.precision)


def _gathered(
    outputs: Outputs, examples: Examples, group: Group, part: Part
) -> tuple[Outputs, Examples]:
    """The outputs and the examples of the whole batch, for loss terms that only know means."""
    left = None if outputs.moves_left is None else group.rows(outputs.moves_left, part)
    extra = {name: group.rows(said, part) for name, said in (outputs.extra or {}).items()}
    legal = group.rows(examples.legal.to(torch.uint8), part).bool()
    others = {
        name: group.rows(getattr(examples, name), part)
        for name in Examples._fields
        if name != "legal"
    }
    policy, value = (group.rows(said, part) for said in (outputs.policy, outputs.value))
    return Outputs(policy, value, left, extra), Examples(legal=legal, **others)
