"""How a net is fitted to the window, and what a fit has done."""

import math
from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from pydantic import BeforeValidator, Field

from rulezero.learn.measures import Measures
from rulezero.settings import Settings

Tell = Callable[[int, int, dict[str, float]], None]  # steps done, steps in all, losses so far

PARTS = ("total", "policy", "value", "illegal", "moves_left")  # of every tower's loss
_OF_EPOCHS = ("epochs", "patience")  # keys of fits that go through the window


class RateSettings(Settings):
    """The learning rate over a run."""

    start: float = Field(1e-3, gt=0, le=1e30)
    kind: Literal["constant", "cosine", "exponential", "steps"] = "constant"
    warm_up: int = Field(0, ge=0)  # steps in which it rises from 0
    end: float = Field(0.0, ge=0)  # cosine: share of the start that is left at the end of the run
    factor: float = Field(0.1, gt=0, le=1)  # exponential: each time; steps: at each of them
    every: Literal["iteration", "epoch"] = "iteration"  # exponential: of the run, or of a fit
    steps: tuple[int, ...] = ()  # steps: numbers of optimiser steps at which the rate drops

    def idle(self) -> dict[str, str]:
        """Keys of the other kinds."""
        kinds = {
            "end": ("cosine",),
            "factor": ("exponential", "steps"),
            "every": ("exponential",),
            "steps": ("steps",),
        }
        return {key: f"kind={own[0]}" for key, own in kinds.items() if self.kind not in own}

    def at(self, step: int, iteration: int, progress: float, epoch: int = 0) -> float:
        """The rate of a step: its number in the run, the iteration's, the share of the run done.

        The epoch is numbered from the beginning of the fit.
        """
        rate = self.start
        if self.kind == "cosine":
            rate *= self.end + (1 - self.end) * (1 + math.cos(math.pi * min(progress, 1.0))) / 2
        elif self.kind == "exponential":
            rate *= self.factor ** (iteration if self.every == "iteration" else epoch)
        elif self.kind == "steps":
            rate *= self.factor ** sum(step >= limit for limit in self.steps)
        return rate * min(1.0, (step + 1) / self.warm_up) if self.warm_up else rate


class LossSettings(Settings):
    """How much each part counts."""

    policy: float = Field(1.0, ge=0)
    policy_over: Literal["legal", "all"] = "legal"  # slots that the policy's cross-entropy is of
    value: float = Field(1.0, ge=0)
    value_power: float | None = Field(None, ge=1)  # |expected - target| ** it; none: as the head is
    illegal: float = Field(1.0, ge=0)  # penalty on the policy's mass on illegal slots, lambda
    moves_left: float = Field(0.1, ge=0)  # of nets that have such a head
    # Weights of terms that were registered with rz.loss_term, by their names; see `hooks`.
    extra: Annotated[
        dict[str, Annotated[float, Field(ge=0)]],
        BeforeValidator(lambda given: {} if given is None else given),
    ] = Field(default_factory=dict)

    @property
    def teaches_legality(self) -> bool:
        """Whether the policy learns which moves are legal; the search asks the rules."""
        return self.policy_over == "all" or self.illegal > 0


class FitSettings(Settings):
    """How a net is fitted to the window."""

    batch: int = Field(256, ge=1, le=1 << 16)  # positions of a step
    # Positions whose activations fit into memory; none: the whole batch. For a larger batch, only
    # as many blocks keep their activations as fit into that memory; the others keep their input
    # and are computed again for the gradient. The step is the same, up to a third slower.
    # (Adding up gradients of smaller batches is another step: batch norm would see other means.)
    micro_batch: int | None = Field(None, ge=1)
    samples: int | None = Field(None, ge=1)  # of a fit; none: by the next
    samples_per_ply: float | None = Field(4.0, gt=0)  # samples for each new position; or epochs
    epochs: int = Field(1, ge=1)  # where both are none: times through the window
    patience: int | None = Field(None, ge=1)  # epochs without a better held-out loss; none: all
    init: Literal["continue", "scratch"] = "continue"  # from the last net, or a new one each time
    optimiser: Literal["adamw", "adam", "sgd"] = "adamw"
    rate: RateSettings = RateSettings()
    weight_decay: float = Field(1e-4, ge=0)
    momentum: float = Field(0.9, ge=0, lt=1)  # of sgd
    clip: float = Field(0.0, ge=0)  # norm of a gradient at most; 0: as it is
    average: float = Field(0.0, ge=0, lt=1)  # of weights, per step: what plays is their average
    mirror: bool = True  # show positions in the game's mirror half of the time
    loss: LossSettings = LossSettings()
    # Of the learner; 0: one per core. Threads wait for each other after every layer: where anything
    # else uses a core, two of them learn several times slower than one. On an idle machine with a
    # large net, more threads are faster.
    threads: int = Field(1, ge=0, le=1024)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    mixed: bool = True  # bfloat16 where a GPU computes

    def idle(self) -> dict[str, str]:
        """Those of the other ways to count samples, and of other optimisers."""
        found = {} if self.optimiser == "sgd" else {"momentum": "optimiser=sgd"}
        if self.samples is not None:
            return {**found, **dict.fromkeys(("samples_per_ply", *_OF_EPOCHS), "samples=null")}
        if self.samples_per_ply is not None:
            return {**found, **dict.fromkeys(_OF_EPOCHS, "samples_per_ply=null")}
        return found


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """What a fit has done."""

    steps: int
    samples: int
    seconds: float
    waiting: float  # share of the time in which the learner waited for batches
    rate: float  # of the last step
    train: dict[str, float]  # mean losses over the last tenth of the steps
    held_out: Measures | None = None  # none while nothing is held out

    @property
    def extra(self) -> dict[str, float]:
        """Of the mean losses those of fit.loss.extra."""
        return {name: loss for name, loss in self.train.items() if name not in PARTS}
