"""A perceptron in training."""

import math
from collections.abc import Iterator

import msgspec
import numpy as np
import torch
from torch.nn import functional

from rulezero.data.columns import Floats
from rulezero.learn.fit import FitSettings
from rulezero.learn.optimiser import optimiser_of
from rulezero.learn.plan import plan
from rulezero.learn.window import Part, Window
from rulezero.nets.perceptron import Perceptron
from rulezero.train.games.chess import Features

_MOST_MEASURED = 16384  # held-out positions


class Taught(msgspec.Struct, frozen=True):
    """A step of a learner."""

    loss: float  # mean squared error of the chances, before the step
    samples: int
    rate: float


class PerceptronLearner:
    """A net and its optimiser. It learns the mover's chance that a window's search values tell."""

    def __init__(self, net: Perceptron, settings: FitSettings) -> None:
        self.net = net
        self.settings = settings
        self.step = 0
        self.optimiser = optimiser_of(net, settings)

    def lessons(
        self,
        window: Window,
        generation: int,
        progress: tuple[float, float],
        dice: np.random.Generator,
    ) -> tuple[int, Iterator[Taught]]:
        """How many steps a fit has, and the steps, each taken when it is asked for."""
        epochs = list(plan(window, generation, self.settings, dice))
        steps = sum(map(len, epochs))

        def learn() -> Iterator[Taught]:
            features = Features(window, window.positions(Part.TRAINING))
            done = 0
            self.net.train()
            for number, epoch in enumerate(epochs):
                for positions in epoch:
                    share = progress[0] + (progress[1] - progress[0]) * done / steps
                    rate = self.settings.rate.at(self.step, generation, share, number)
                    loss = self.learn(features.of(positions), features.chances(positions), rate)
                    yield Taught(loss, len(positions), rate)
                    done += 1
            self.net.eval()

        return steps, learn()

    def learn(self, features: Floats, chances: Floats, rate: float) -> float:
        """One step by itself: [p, 781] and [p]; the loss before it."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        said = self.net(torch.from_numpy(features))[:, 0]
        loss = functional.mse_loss(said, torch.from_numpy(chances))
        loss.backward()  # type: ignore[no-untyped-call]
        if self.settings.clip:
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.clip)
        self.optimiser.step()
        self.step += 1
        return float(loss.detach())

    @torch.inference_mode()
    def judge(self, window: Window) -> tuple[Floats, Floats]:
        """The chances of held-out positions, as the net says and as they should be: [p] each."""
        positions = window.positions(Part.HELD_OUT)
        positions = positions[:: max(1, math.ceil(len(positions) / _MOST_MEASURED))]
        features = Features(window, positions)
        said = self.net(torch.from_numpy(features.of(positions)))[:, 0].numpy()
        return said, features.chances(positions)
