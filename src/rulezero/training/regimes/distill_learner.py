"""The learners of a distillation: one perceptron for both sides, or one for each side."""

import math
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import torch
from torch.nn import functional

from rulezero.data.columns import Floats
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.learn import snapshot
from rulezero.learn.fit import Fit, FitSettings, Tell
from rulezero.learn.learner import optimiser_of
from rulezero.learn.measures import Measures, measure_chances
from rulezero.learn.plan import plan
from rulezero.learn.window import Part, Window
from rulezero.nets.card import PERCEPTRON
from rulezero.nets.device import threads
from rulezero.nets.perceptron import Perceptron, create, from_nn, to_nn
from rulezero.training.games.chess import Features
from rulezero.training.regimes.distill import AGENTS, ENDS, Distill, given_nets
from rulezero.training.run import Run
from rulezero.training.tasks import task_name

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment

_MOST_MEASURED = 16384  # held-out positions


class Step(msgspec.Struct, frozen=True):
    """A step of a learner."""

    loss: float  # mean squared error of the chances, before the step
    samples: int
    rate: float


class PerceptronLearner:
    """A perceptron and its optimiser. It learns the mover's chance by a window's search values."""

    def __init__(self, net: Perceptron, settings: FitSettings) -> None:
        self.net = net
        self.settings = settings
        self.step = 0
        self.optimiser = optimiser_of(net, settings)

    def steps_of(
        self,
        window: Window,
        generation: int,
        progress: tuple[float, float],
        dice: np.random.Generator,
    ) -> tuple[int, Iterator[Step]]:
        """The number of steps of a fit, and an iterator that takes one step after the other."""
        epochs = list(plan(window, generation, self.settings, dice))
        steps = sum(map(len, epochs))

        def learn() -> Iterator[Step]:
            features = Features(window, window.positions(Part.TRAINING))
            done = 0
            self.net.train()
            for number, epoch in enumerate(epochs):
                for positions in epoch:
                    share = progress[0] + (progress[1] - progress[0]) * done / steps
                    rate = self.settings.rate.at(self.step, generation, share, number)
                    loss = self.learn(features.of(positions), features.chances(positions), rate)
                    yield Step(loss, len(positions), rate)
                    done += 1
            self.net.eval()

        return steps, learn()

    def learn(self, features: Floats, chances: Floats, rate: float) -> float:
        """Takes one step on features [p, 781] and chances [p]; returns the loss before the step."""
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
        """The chances of held-out positions: the net's and the targets, [p] each."""
        positions = window.positions(Part.HELD_OUT)
        positions = positions[:: max(1, math.ceil(len(positions) / _MOST_MEASURED))]
        features = Features(window, positions)
        said = self.net(torch.from_numpy(features.of(positions)))[:, 0].numpy()
        return said, features.chances(positions)


class PerceptronPair:
    """One or two learners. Fits are reproducible: all random numbers come from the `dice` given."""

    def __init__(self, experiment: "Experiment", regime: Distill, run: Run, seed: int) -> None:
        """They begin with the run's untrained nets, or before these exist as regime.load says."""
        self._experiment = experiment
        self._regime = regime
        self._run = run
        count = regime.agents
        files = [run.nets / f"untrained{end}{PERCEPTRON}" for end in ENDS[:count]]
        if not all(file.is_file() for file in files):
            files = given_nets(regime)
        nets = [from_nn(file.read_bytes()) for file in files]
        nets = nets or [create(regime.sizes, seed + number) for number in range(count)]
        for net in nets:
            net.dropout = regime.dropout
        self.learners = [PerceptronLearner(net, experiment.fit) for net in nets]

    @property
    def step(self) -> int:
        """The number of steps of all learners together."""
        return sum(learner.step for learner in self.learners)

    def learn_from(
        self,
        window: Window,
        generation: int,
        *,
        progress: tuple[float, float],
        dice: np.random.Generator,
        tell: Tell | None = None,
    ) -> Fit:
        """Fits to the window's games of the current stage, which all have the same teacher.

        The agents take turns, one step each; losses are the means so far.
        """
        begin, done = time.perf_counter(), _Done(len(self.learners))
        windows = self._windows(window, generation)
        with threads(self._experiment.fit.threads):
            lessons = [
                learner.steps_of(seen, generation, progress, each)
                for learner, seen, each in zip(
                    self.learners, windows, dice.spawn(len(windows)), strict=True
                )
            ]
            steps = sum(count for count, _ in lessons)
            if self._regime.dropout:  # torch has its own random state
                torch.manual_seed(int(dice.integers(1 << 63)))
            for taught in zip_longest(*(learning for _, learning in lessons)):
                done.add(taught)
                if not math.isfinite(done.losses["value"]):
                    raise RunError(
                        f"the loss is {done.losses['value']} in step {done.steps} of {steps}: the"
                        " net has diverged; begin again with a lower fit.rate.start, or with"
                        " fit.clip=1"
                    )
                if tell is not None:
                    tell(done.steps, steps, done.losses)
            held_out = self._measure(windows)
        losses = done.losses
        if losses:
            losses["constant"] = _best_constant(windows)
        return Fit(
            steps=done.steps,
            samples=sum(done.samples),
            seconds=time.perf_counter() - begin,
            waiting=0.0,
            rate=done.rate,
            train=losses,
            held_out=held_out,
        )

    def _windows(self, window: Window, generation: int) -> list[Window]:
        """The part of a window that each agent learns from."""
        since = self._regime.learns_since(generation)
        if len(self.learners) == 1:
            return [window.narrowed(since)]
        iterations = range(since, generation + 1)
        return [
            window.narrowed(since, {task_name(each, agent) for each in iterations})
            for agent in AGENTS
        ]

    def _measure(self, windows: Sequence[Window]) -> Measures | None:
        judged = [learner.judge(seen) for learner, seen in zip(self.learners, windows, strict=True)]
        said, wanted = (np.concatenate(each) for each in zip(*judged, strict=True))
        return measure_chances(said, wanted) if len(said) else None

    def write(self, net: Path, metadata: dict[str, Any]) -> None:
        """Writes the nets, and every `save_every` iterations the agents into the run's folder."""
        settings, iteration = self._regime, metadata.get("iteration", 0)
        is_due = iteration % settings.save_every == 0 or iteration == self._experiment.iterations
        for (name, learner), end in zip(self._named.items(), ENDS, strict=False):
            file = to_nn(learner.net)
            write_whole(net.with_name(f"{net.name}{end}{PERCEPTRON}"), file)
            if iteration and is_due:
                write_whole(self._run.path / f"{name}{PERCEPTRON}", file)

    def save(self, folder: Path) -> str:
        """Writes the state to resume from; returns the SHA-256 of that."""
        steps = {name: learner.step for name, learner in self._named.items()}
        return snapshot.save(folder, self._parts, steps)

    def load(self, folder: Path, wanted: str) -> None:
        """Restores what `save` wrote. Raises RunError if the file's SHA-256 is not `wanted`."""
        steps = snapshot.load(folder, wanted, self._parts)
        for name, learner in self._named.items():
            learner.step = steps[name]

    @property
    def _named(self) -> dict[str, PerceptronLearner]:
        return dict(zip(self._regime.names, self.learners, strict=True))

    @property
    def _parts(self) -> snapshot.Parts:
        nets = {f"{name}.net": learner.net for name, learner in self._named.items()}
        moved = {f"{name}.optimiser": each.optimiser for name, each in self._named.items()}
        return {**nets, **moved}


def _best_constant(windows: Sequence[Window]) -> float:
    """The loss of an answer that is always the mean chance of the training positions."""
    wanted = [seen.at(seen.positions(Part.TRAINING)).search for seen in windows]
    return float(np.var(np.concatenate(wanted) / 2))


class _Done:
    """The progress of a fit, agent by agent."""

    def __init__(self, agents: int) -> None:
        self.steps = 0
        self.rate = 0.0
        self.samples = [0] * agents
        self._sums = [0.0] * agents

    def add(self, taught: Sequence[Step | None]) -> None:
        """Adds a step of each agent; None: it has no more steps."""
        for number, each in enumerate(taught):
            if each is not None:
                self.steps += 1
                self.rate = each.rate
                self.samples[number] += each.samples
                self._sums[number] += each.loss * each.samples

    @property
    def losses(self) -> dict[str, float]:
        """The mean over all positions so far; with two agents, also the mean of each."""
        if not self.steps:
            return {}
        found = {"value": sum(self._sums) / sum(self.samples)}
        if len(self.samples) > 1:
            for name, total, samples in zip(AGENTS, self._sums, self.samples, strict=True):
                found[name] = total / samples if samples else math.nan
        return found
