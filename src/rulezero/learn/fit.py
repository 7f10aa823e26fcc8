"""Settings for fitting a net to the window, and the figures of a finished fit."""

import math
from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from pydantic import BeforeValidator, Field

from rulezero.learn.measures import Measures
from rulezero.settings import Settings

Tell = Callable[[int, int, dict[str, float]], None]  # steps done, steps in all, losses so far

PARTS = ("total", "policy", "value", "illegal", "moves_left")  # parts of every tower's loss
_OF_EPOCHS = ("epochs", "patience")  # keys of fits whose length is given in epochs


class RateSettings(Settings):
    """The learning rate over a run."""

    start: float = Field(1e-3, gt=0, le=1e30)
    kind: Literal["constant", "cosine", "exponential", "steps"] = "constant"
    warm_up: int = Field(0, ge=0)  # number of first steps in which the rate rises linearly from 0
    end: float = Field(0.0, ge=0)  # cosine: rate at the end of the run, as a share of `start`
    factor: float = Field(0.1, gt=0, le=1)  # exponential, steps: the rate is multiplied by it
    every: Literal["iteration", "epoch"] = "iteration"  # exponential: when; epochs count per fit
    steps: tuple[int, ...] = ()  # steps: numbers of optimiser steps at which the rate drops

    def idle(self) -> dict[str, str]:
        """Keys that are only for other kinds."""
        kinds = {
            "end": ("cosine",),
            "factor": ("exponential", "steps"),
            "every": ("exponential",),
            "steps": ("steps",),
        }
        return {key: f"kind={own[0]}" for key, own in kinds.items() if self.kind not in own}

    def at(self, step: int, iteration: int, progress: float, epoch: int = 0) -> float:
        """The learning rate of a step.

        Steps and iterations are counted from the start of the run, epochs from the start of the
        fit. `progress` is the share of the run that is done.
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
    """The parts of the loss and their weights."""

    policy: float = Field(1.0, ge=0)
    policy_over: Literal["legal", "all"] = "legal"  # slots in the policy's cross-entropy
    value: float = Field(1.0, ge=0)
    # Exponent of the value error: |expected - target| ** value_power; none: the head's own loss.
    value_power: float | None = Field(None, ge=1)
    illegal: float = Field(1.0, ge=0)  # lambda: penalty on the policy's mass on illegal slots
    moves_left: float = Field(0.1, ge=0)  # for nets with a head for the moves left
    # Weights of the terms that are registered with rz.loss_term, by name; see `hooks`.
    extra: Annotated[
        dict[str, Annotated[float, Field(ge=0)]],
        BeforeValidator(lambda given: {} if given is None else given),
    ] = Field(default_factory=dict)

    @property
    def teaches_legality(self) -> bool:
        """Whether the policy learns which moves are legal; a search does not need that."""
        return self.policy_over == "all" or self.illegal > 0


class FitSettings(Settings):
    """How a net is fitted to the window."""

    batch: int = Field(256, ge=1, le=1 << 16)  # positions per optimiser step
    # Number of positions whose activations fit into memory; none: the whole batch. For a larger
    # batch, only as many blocks keep their activations as fit into that memory; the other blocks
    # keep only their input and are recomputed for the gradient. The result of a step is the same,
    # but the step takes up to a third longer. (Accumulating the gradients of smaller batches would
    # change the result, because batch norm would use other means.) With several processes, it is
    # the number of positions of each.
    micro_batch: int | None = Field(None, ge=1)
    samples: int | None = Field(None, ge=1)  # per fit; none: by samples_per_ply
    samples_per_ply: float | None = Field(4.0, gt=0)  # samples per new position; none: by epochs
    epochs: int = Field(1, ge=1)  # passes through the window, if both are none
    # End a fit after this many epochs without a better loss on the validation games (without any:
    # on the held-out games), and return to its best weights; none: run all epochs.
    patience: int | None = Field(None, ge=1)
    init: Literal["continue", "scratch"] = "continue"  # start from the last net, or from a new one
    optimiser: Literal["adamw", "adam", "sgd"] = "adamw"
    rate: RateSettings = RateSettings()
    weight_decay: float = Field(1e-4, ge=0)
    momentum: float = Field(0.9, ge=0, lt=1)  # for sgd
    clip: float = Field(0.0, ge=0)  # maximum norm of a gradient; 0: no clipping
    # Decay per step of a moving average of the weights, with which the net plays; 0: no average.
    average: float = Field(0.0, ge=0, lt=1)
    mirror: bool = True  # mirror each position with probability 1/2, if the game has a mirror
    loss: LossSettings = LossSettings()
    # CPU threads of the learner; 0: one per core. Threads wait for each other after every layer, so
    # two threads are several times slower than one if another program uses a core. On an idle
    # machine with a large net, more threads are faster.
    threads: int = Field(1, ge=0, le=1024)
    # Processes that share each batch; on GPUs, each has a GPU of its own. A step has the result of
    # one process, up to the rounding of sums.
    processes: int = Field(1, ge=1, le=64)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    # Numbers of convolutions and matrix products; weights and saved nets always have float32. auto:
    # bfloat16 on a GPU, float32 on a CPU. float16 is for GPUs without bfloat16: it scales the loss,
    # and skips steps whose gradients overflow.
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"

    def idle(self) -> dict[str, str]:
        """Keys for other ways to count samples, and for other optimisers."""
        found = {} if self.optimiser == "sgd" else {"momentum": "optimiser=sgd"}
        if self.samples is not None:
            return {**found, **dict.fromkeys(("samples_per_ply", *_OF_EPOCHS), "samples=null")}
        if self.samples_per_ply is not None:
            return {**found, **dict.fromkeys(_OF_EPOCHS, "samples_per_ply=null")}
        return found


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a finished fit."""

    steps: int
    samples: int
    seconds: float
    waiting: float  # share of the time that the learner waited for batches
    rate: float  # learning rate of the last step
    train: dict[str, float]  # mean losses over the last tenth of the steps
    held_out: Measures | None = None  # none if no games are held out

    @property
    def extra(self) -> dict[str, float]:
        """The mean losses of the terms in fit.loss.extra."""
        return {name: loss for name, loss in self.train.items() if name not in PARTS}
