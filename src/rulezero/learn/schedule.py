"""How fast to learn, and when."""

import math
from typing import Literal

from pydantic import Field

from rulezero.settings import Settings


class RateSettings(Settings):
    """The learning rate over a run."""

    start: float = Field(1e-3, gt=0)
    kind: Literal["constant", "cosine", "exponential", "steps"] = "constant"
    warm_up: int = Field(0, ge=0)  # steps in which it rises from 0
    end: float = Field(0.0, ge=0)  # cosine: share of the start that is left at the end of the run
    factor: float = Field(0.1, gt=0, le=1)  # exponential: each time; steps: at each of them
    every: Literal["iteration", "epoch"] = "iteration"  # exponential: of the run, or of a fit
    steps: tuple[int, ...] = ()  # steps: after so many steps of the optimiser

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
