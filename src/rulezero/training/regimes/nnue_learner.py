"""The learner of efficiently updatable nets."""

import copy
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from rulezero._core import Game, features
from rulezero.data.columns import Floats
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.learn import snapshot
from rulezero.learn.batch import value_targets
from rulezero.learn.fit import Fit, Tell
from rulezero.learn.learner import optimiser_of
from rulezero.learn.measures import Measures, measure_chances
from rulezero.learn.plan import plan
from rulezero.learn.window import Indices, Part, Window
from rulezero.nets.card import NNUE
from rulezero.nets.device import threads
from rulezero.nets.nnue import Shape, create, to_nnue

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment

_MOST_MEASURED = 16384  # held-out positions


class FeatureTable:
    """The features of some positions of a window, and their targets."""

    def __init__(self, window: Window, positions: Indices, game: Game) -> None:
        """Replays every game once."""
        known = window.at(positions)
        self._places = np.zeros(len(window), np.int64)
        self._places[positions] = np.arange(len(positions))
        numbers, which = np.unique(known.game, return_inverse=True)
        games = [(window.games[number].start, window.games[number].actions) for number in numbers]
        self._numbers, self._begins, counts, self._heuristics = features(
            game, games, known.ply.astype(np.uint32), which.astype(np.uint32)
        )
        self._counts = counts.astype(np.int64)

    def of(self, positions: Indices) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The numbers, offsets, counts and heuristics that NnueNet reads."""
        rows = self._places[positions]
        first, second = self._counts[rows].T
        counts = np.concatenate([first, second])
        begins = np.concatenate([self._begins[rows], self._begins[rows] + first])
        offsets = np.cumsum(counts) - counts
        places = np.repeat(begins - offsets, counts) + np.arange(counts.sum())
        return (
            torch.from_numpy(self._numbers[places].astype(np.int32)),
            torch.from_numpy(offsets.astype(np.int32)),
            torch.from_numpy(first),
            torch.from_numpy(self._heuristics[rows]),
        )


class NnueLearner:
    """A net and its optimiser. Fits are reproducible: random numbers come from the `dice` given."""

    def __init__(self, experiment: "Experiment", game: Game, shape: Shape, seed: int) -> None:
        self._experiment = experiment
        self._game = game
        self.net = create(shape, seed)
        self.average = copy.deepcopy(self.net)
        self.step = 0
        self.optimiser = optimiser_of(self.net, experiment.fit)

    def learn_from(
        self,
        window: Window,
        generation: int,
        *,
        progress: tuple[float, float],
        dice: np.random.Generator,
        tell: Tell | None = None,
    ) -> Fit:
        """Fits to the window's search values and results."""
        begin, settings = time.perf_counter(), self._experiment.fit
        epochs = list(plan(window, generation, settings, dice))
        steps, done, samples, rate = sum(map(len, epochs)), 0, 0, 0.0
        losses: list[float] = []
        with threads(settings.threads):
            table = FeatureTable(window, window.positions(Part.TRAINING), self._game)
            for number, epoch in enumerate(epochs):
                for positions in epoch:
                    share = done / max(steps - 1, 1)
                    at = progress[0] + (progress[1] - progress[0]) * done / steps
                    rate = settings.rate.at(self.step, generation, at, number)
                    loss = self._learn(
                        table, positions, self._targets(window, positions, share), rate
                    )
                    losses.append(loss)
                    done, samples = done + 1, samples + len(positions)
                    if not math.isfinite(loss):
                        raise RunError(
                            f"the loss is {loss} in step {done} of {steps}: the net has diverged;"
                            " begin again with a lower fit.rate.start"
                        )
                    if tell is not None:
                        tell(done, steps, {"value": float(np.mean(losses[-100:]))})
            held_out = self._measure(window)
        train = {}
        if losses:
            wanted = self._targets(window, window.positions(Part.TRAINING), 1.0)
            last = losses[-max(1, len(losses) // 10) :]
            train = {"value": float(np.mean(last)), "constant": float(np.var(wanted)) / 4}
        return Fit(
            steps=done,
            samples=samples,
            seconds=time.perf_counter() - begin,
            waiting=0.0,
            rate=rate,
            train=train,
            held_out=held_out,
        )

    def _targets(self, window: Window, positions: Indices, done: float) -> Floats:
        """The values to learn, for the movers, [p]."""
        wdl = value_targets(window.at(positions), self._experiment.targets, done)
        return wdl[:, 0] - wdl[:, 2]

    def _learn(self, table: FeatureTable, positions: Indices, wanted: Floats, rate: float) -> float:
        """Takes one step; returns the mean squared error of the chances before it."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        said = self.net(*table.of(positions))
        loss = functional.mse_loss(said, torch.from_numpy(wanted)) / 4  # of chances in [0, 1]
        loss.backward()  # type: ignore[no-untyped-call]
        if self._experiment.fit.clip:
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), self._experiment.fit.clip)
        self.optimiser.step()
        self.net.clip()
        self.step += 1
        decay = min(self._experiment.fit.average, 1 - 1 / (self.step + 1))
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.net.parameters(), strict=True):
                mean.lerp_(new, 1 - decay)
        return float(loss.detach())

    @torch.inference_mode()
    def _measure(self, window: Window) -> Measures | None:
        positions = window.positions(Part.HELD_OUT)
        positions = positions[:: max(1, math.ceil(len(positions) / _MOST_MEASURED))]
        if not len(positions):
            return None
        table = FeatureTable(window, positions, self._game)
        said: Floats = self.average(*table.of(positions)).numpy()
        wanted = self._targets(window, positions, 1.0)
        half = np.float32(0.5)
        return measure_chances(half + half * said, half + half * wanted)

    def write(self, net: Path, metadata: dict[str, Any]) -> None:
        """Writes the net that plays."""
        write_whole(net.with_name(f"{net.name}{NNUE}"), to_nnue(self.average))

    def save(self, folder: Path) -> str:
        """Writes the state to resume from; returns the SHA-256 of that."""
        return snapshot.save(folder, self._parts, {"step": self.step})

    def load(self, folder: Path, wanted: str) -> None:
        """Restores what `save` wrote. Raises RunError if the file's SHA-256 is not `wanted`."""
        self.step = snapshot.load(folder, wanted, self._parts)["step"]

    @property
    def _parts(self) -> snapshot.Parts:
        return {"net": self.net, "average": self.average, "optimiser": self.optimiser}
