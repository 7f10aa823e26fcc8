"""The pupil of a distillation: a perceptron for both sides, or one for each."""

import math
import time
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.learn import snapshot
from rulezero.learn.fit import Fit, Tell
from rulezero.learn.measures import Measures, measure_chances
from rulezero.learn.optimiser import threads
from rulezero.learn.window import Part, Window
from rulezero.nets.card import PERCEPTRON
from rulezero.nets.perceptron import create, from_nn, to_nn
from rulezero.train.distillation import AGENTS, ENDS, given_nets
from rulezero.train.perceptron_learner import PerceptronLearner, Taught
from rulezero.train.recipe import Recipe
from rulezero.train.run import Run
from rulezero.train.tasks import task_name


class PerceptronPair:
    """Learners side by side. Fits are reproducible: everything random comes from the dice given."""

    def __init__(self, recipe: Recipe, run: Run, seed: int) -> None:
        """They begin with the run's first nets, before there are any as distill.load says."""
        self._recipe = recipe
        self._run = run
        count = recipe.distill.agents
        files = [run.nets / f"untrained{end}{PERCEPTRON}" for end in ENDS[:count]]
        if not all(file.is_file() for file in files):
            files = given_nets(recipe.distill)
        nets = [from_nn(file.read_bytes()) for file in files]
        nets = nets or [create(seed=seed + number) for number in range(count)]
        self.learners = [PerceptronLearner(net, recipe.fit) for net in nets]

    @property
    def step(self) -> int:
        """Of all together."""
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
        """Learns from the games of a window that are of this stage, whose teacher is the same.

        One agent's step follows the other's; losses are the means so far.
        """
        begin, done = time.perf_counter(), _Done(len(self.learners))
        windows = self._windows(window, generation)
        with threads(self._recipe.fit.threads):
            lessons = [
                learner.lessons(seen, generation, progress, each)
                for learner, seen, each in zip(
                    self.learners, windows, dice.spawn(len(windows)), strict=True
                )
            ]
            steps = sum(count for count, _ in lessons)
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
        """What each agent learns from."""
        since = self._recipe.distill.stage_of(generation).first
        if len(self.learners) == 1:
            return [window.narrowed(since)]
        iterations = range(since, generation + 1)
        return [
            window.narrowed(since, {task_name(each, name) for each in iterations})
            for name in AGENTS
        ]

    def _measure(self, windows: Sequence[Window]) -> Measures | None:
        judged = [learner.judge(seen) for learner, seen in zip(self.learners, windows, strict=True)]
        said, wanted = (np.concatenate(each) for each in zip(*judged, strict=True))
        return measure_chances(said, wanted) if len(said) else None

    def write(self, net: Path, metadata: dict[str, Any]) -> None:
        """Writes the nets, and now and then the agents into the run's folder: see save_every."""
        settings, iteration = self._recipe.distill, metadata.get("iteration", 0)
        is_due = iteration % settings.save_every == 0 or iteration == self._recipe.iterations
        for (name, learner), end in zip(self._named.items(), ENDS, strict=False):
            file = to_nn(learner.net)
            write_whole(net.with_name(f"{net.name}{end}{PERCEPTRON}"), file)
            if iteration and is_due:
                write_whole(self._run.path / f"{name}{PERCEPTRON}", file)

    def save(self, folder: Path) -> str:
        """Writes everything that goes on being needed; the SHA-256 of that."""
        steps = {name: learner.step for name, learner in self._named.items()}
        return snapshot.save(folder, self._parts, steps)

    def load(self, folder: Path, wanted: str) -> None:
        """Goes on where `save` was. RunError where the file is not the one with this SHA-256."""
        steps = snapshot.load(folder, wanted, self._parts)
        for name, learner in self._named.items():
            learner.step = steps[name]

    @property
    def _named(self) -> dict[str, PerceptronLearner]:
        return dict(zip(self._recipe.distill.names, self.learners, strict=True))

    @property
    def _parts(self) -> snapshot.Parts:
        nets = {f"{name}.net": learner.net for name, learner in self._named.items()}
        moved = {f"{name}.optimiser": each.optimiser for name, each in self._named.items()}
        return {**nets, **moved}


def _best_constant(windows: Sequence[Window]) -> float:
    """The loss of whoever always says the mean chance of the positions that are learned from."""
    wanted = [seen.at(seen.positions(Part.TRAINING)).search for seen in windows]
    return float(np.var(np.concatenate(wanted) / 2))


class _Done:
    """What a fit has done so far, agent by agent."""

    def __init__(self, agents: int) -> None:
        self.steps = 0
        self.rate = 0.0
        self.samples = [0] * agents
        self._sums = [0.0] * agents

    def add(self, taught: Sequence[Taught | None]) -> None:
        """A step of each, but for those that have no more."""
        for number, each in enumerate(taught):
            if each is not None:
                self.steps += 1
                self.rate = each.rate
                self.samples[number] += each.samples
                self._sums[number] += each.loss * each.samples

    @property
    def losses(self) -> dict[str, float]:
        """The mean over all positions so far; of two agents, each one's besides."""
        if not self.steps:
            return {}
        found = {"value": sum(self._sums) / sum(self.samples)}
        if len(self.samples) > 1:
            for name, total, samples in zip(AGENTS, self._sums, self.samples, strict=True):
                found[name] = total / samples if samples else math.nan
        return found
