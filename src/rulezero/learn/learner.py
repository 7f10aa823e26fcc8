"""The learner: a net, its optimiser and its number of steps."""

import contextlib
import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rulezero._core import Game
from rulezero.errors import RunError
from rulezero.learn import snapshot
from rulezero.learn.batch import Batch, Batches
from rulezero.learn.fit import Fit, FitSettings, Tell
from rulezero.learn.gradients import Gradients, kind_of
from rulezero.learn.helpers import Helpers, Lesson, order_for
from rulezero.learn.measures import Answers, Measures, measure
from rulezero.learn.plan import plan
from rulezero.learn.targets import TargetSettings
from rulezero.learn.terms import Term, refuse_unshared
from rulezero.learn.window import Indices, Part, Window
from rulezero.nets import checkpoint
from rulezero.nets.device import device_of, threads
from rulezero.nets.tower import Outputs, Tower

Maker = Callable[[Indices, float], Lesson]  # makes a batch; the share of the fit that is done

_MOST_MEASURED = 4096  # held-out positions
_SCALE = "scale."  # prefix of the scaler's counts in a snapshot


class Learner:
    """A net in training. Fits are reproducible: all random numbers come from the `dice` given."""

    def __init__(
        self,
        tower: Tower,
        game: Game,
        settings: FitSettings,
        targets: TargetSettings | None = None,
        terms: Sequence[Term] = (),
        hooks: str | None = None,
    ) -> None:
        """`terms` are the terms of fit.loss.extra; the tower must have the heads they need.

        `hooks` names the file that registers them, for the other processes of a fit with several.
        """
        refuse_unshared(hooks, [term.name for term in terms], settings.processes)
        self.game = game
        self.settings = settings
        self.targets = targets or TargetSettings()
        self.terms = terms
        self.hooks = hooks
        self.step = 0
        device_of(settings.device, "fit.device", number=settings.processes - 1)
        self.device = device_of(settings.device, "fit.device")
        self.tower = tower.to(self.device)
        self.tower.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self.tower).eval() if settings.average else self.tower
        self.optimiser = optimiser_of(self.tower, settings)
        self.scaler = torch.amp.GradScaler(
            self.device.type, enabled=kind_of(settings, self.device) is torch.float16
        )
        self._gradients = Gradients(self.tower, settings, terms, self.device)

    @property
    def nets(self) -> list[Tower]:
        """The net in training, and the net with its averaged weights if there is one."""
        return [self.tower] if self.average is self.tower else [self.tower, self.average]

    def learn_from(
        self,
        window: Window,
        generation: int,
        *,
        progress: tuple[float, float],  # shares of the run done before and after this fit
        dice: np.random.Generator,
        tell: Tell | None = None,
    ) -> Fit:
        """Fits the net to a window whose newest games are of this generation."""
        batches = Batches(window, self.game, settings=self.targets, mirrors=self.settings.mirror)
        with contextlib.ExitStack() as stack:
            stack.enter_context(threads(self.settings.threads))
            begin = time.perf_counter()
            done = _Done()
            best: _Best | None = None
            epochs = list(plan(window, generation, self.settings, dice))
            steps = sum(map(len, epochs))
            seed = None
            if self.tower.config.dropout or self.terms:  # torch has its own random state
                seed = int(dice.integers(1 << 63))
                torch.manual_seed(seed)
            make = stack.enter_context(self._maker(batches, dice, seed, steps))
            for number, epoch in enumerate(epochs):
                for lesson in _ahead(epoch, make, done, steps):
                    share = progress[0] + (progress[1] - progress[0]) * done.steps / steps
                    done.rate = self.settings.rate.at(self.step, generation, share, number)
                    done.add(self._learn(lesson, done.rate), lesson.positions)
                    self._check(done.losses[-1], f"in step {done.steps} of {steps}")
                    if tell is not None:
                        tell(done.steps, steps, done.losses[-1])
                if self.settings.patience is None:
                    continue
                best = self._better(best, batches)
                if best is not None and best.epochs_since >= self.settings.patience:
                    break
            self.tower.eval()
            if best is not None:
                best.bring_back(self)
            seconds = time.perf_counter() - begin
            return Fit(
                steps=done.steps,
                samples=done.samples,
                seconds=seconds,
                waiting=done.waiting / seconds,
                rate=done.rate,
                train=done.last(),
                held_out=self.measure(batches),
            )

    @contextlib.contextmanager
    def _maker(
        self, batches: Batches, dice: np.random.Generator, seed: int | None, steps: int
    ) -> "Iterator[Maker]":
        """A function that makes the batches of a fit; with several processes, it shares them."""
        if self.settings.processes == 1 or not steps:
            yield lambda positions, done: Lesson(batches.make(positions, dice, done=done))
            return
        order = order_for(self.tower, self.game, self.settings, self.terms, self.hooks, seed)
        with Helpers(order, self.device) as helpers:
            self._gradients.group = helpers.group
            yield lambda positions, done: helpers.share(batches, positions, dice, done)

    def _check(self, losses: dict[str, float], where: str) -> None:
        """Raises RunError if a loss is not finite."""
        for name in (*(term.name for term in self.terms), "total"):
            if math.isfinite(losses[name]):
                continue
            if name != "total":
                raise RunError(f"the loss term '{name}' is {losses[name]} {where}")
            raise RunError(
                f"the loss is {losses[name]} {where}: the net has diverged; begin again with a"
                " lower fit.rate.start, or with fit.clip=1"
            )

    def _better(self, best: "_Best | None", batches: Batches) -> "_Best | None":
        """The best weights so far, by loss on validation or held-out games; None without any."""
        batch = _apart(batches, Part.VALIDATION) or _apart(batches, Part.HELD_OUT)
        if batch is None:
            return None
        loss = self.loss(batch)
        if best is not None and not loss < best.loss:  # NaN is not better
            best.epochs_since += 1
            return best
        return _Best(loss, self)

    def measure(self, batches: Batches) -> Measures | None:
        """The net's figures on held-out positions; None if there are none."""
        batch = _apart(batches, Part.HELD_OUT)
        return None if batch is None else measure(self.judge(batch), batch)

    @torch.inference_mode()
    def loss(self, batch: Batch) -> float:
        """The loss of the net that plays, on a batch."""
        known = self._gradients
        return float(known.losses(self._outputs(batch), known.examples(batch))["total"])

    @torch.inference_mode()
    def judge(self, batch: Batch) -> Answers:
        """The answers of the net that plays, for a batch."""
        outputs = self._outputs(batch)
        return Answers(
            shares=torch.softmax(outputs.policy, 1).cpu().numpy(),
            wdl=self.average.value.chances(outputs.value).cpu().numpy(),
            has_draws=self.average.config.has_draws,
        )

    def _outputs(self, batch: Batch) -> Outputs:
        """The outputs of the net that plays, computed for a few positions at a time."""
        net, size = self.average.eval(), self.settings.batch
        parts = [
            net(self._gradients.tensor(batch.planes[at : at + size]))
            for at in range(0, len(batch.planes), size)
        ]
        policy, value, left, heads = zip(*parts, strict=True)
        moves_left = None if left[0] is None else torch.cat(left)
        extra = {name: torch.cat([each[name] for each in heads]) for name in heads[0] or ()}
        return Outputs(torch.cat(policy), torch.cat(value), moves_left, extra)

    def learn(self, batch: Batch, rate: float) -> int:
        """Takes one step on a batch; returns the number of samples."""
        self._learn(Lesson(batch), rate)
        return len(batch.value)

    def _learn(self, lesson: Lesson, rate: float) -> dict[str, float]:
        for settings in self.optimiser.param_groups:
            settings["lr"] = rate
        group = None if lesson.part is None else self._gradients.group
        scale = self.scaler.scale(torch.ones(1, device=self.device))
        if group is not None:
            group.spread(self.tower, scale)
        losses = self._gradients.compute(lesson.batch, scale, lesson.part)
        if group is not None:
            losses = group.collect(self.tower, losses)
        self.scaler.unscale_(self.optimiser)
        if self.settings.clip:
            torch.nn.utils.clip_grad_norm_(self.tower.parameters(), self.settings.clip)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.step += 1
        if self.average is not self.tower:
            self._update_average()
        return {name: float(mean) for name, mean in losses.items()}

    @torch.no_grad()
    def _update_average(self) -> None:
        # The decay is smaller at first, so that the average soon forgets the random weights.
        keep = min(self.settings.average, (1 + self.step) / (10 + self.step))
        averages, now = self.average.state_dict(), self.tower.state_dict()
        for name, tensor in averages.items():
            if tensor.is_floating_point():
                tensor.lerp_(now[name], 1 - keep)
            else:
                tensor.copy_(now[name])

    def write(self, net: Path, metadata: dict[str, Any]) -> None:
        """Writes the net that plays."""
        checkpoint.save(net, self.average, self.game, metadata)

    def save(self, folder: Path) -> str:
        """Writes weights, their average and the optimiser, to resume from; returns the SHA-256."""
        scale = self.scaler.state_dict()  # {} unless precision is float16
        kept = {f"{_SCALE}{name}": number for name, number in scale.items()}
        return snapshot.save(folder, self._parts, {"step": self.step, **kept})

    def load(self, folder: Path, wanted: str) -> None:
        """Restores what `save` wrote. Raises RunError if the file's SHA-256 is not `wanted`."""
        counts = snapshot.load(folder, wanted, self._parts)
        self.step = counts["step"]
        scale = {key.removeprefix(_SCALE): counts[key] for key in counts if key.startswith(_SCALE)}
        if scale and self.scaler.is_enabled():
            self.scaler.load_state_dict(scale)

    @property
    def _parts(self) -> snapshot.Parts:
        nets = dict(zip(("tower", "average"), self.nets, strict=False))
        return {**nets, "optimiser": self.optimiser}


def optimiser_of(net: torch.nn.Module, settings: FitSettings) -> torch.optim.Optimizer:
    """The optimiser of a net's weights."""
    rate, decay = settings.rate.start, settings.weight_decay
    if settings.optimiser == "sgd":
        return torch.optim.SGD(
            net.parameters(), lr=rate, momentum=settings.momentum, weight_decay=decay
        )
    kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
    return kind(net.parameters(), lr=rate, weight_decay=decay)


def _apart(batches: Batches, part: Part) -> Batch | None:
    """At most 4,096 positions of a part, evenly spaced over the window; None if it is empty."""
    positions = batches.window.positions(part)
    step = max(1, math.ceil(len(positions) / _MOST_MEASURED))
    return batches.make(positions[::step]) if len(positions) else None


def _ahead(epoch: list[Indices], make: Maker, done: "_Done", steps: int) -> Iterator[Lesson]:
    """The batches of an epoch; the next one is made while the learner learns from this one."""
    first = done.steps
    with ThreadPoolExecutor(1) as maker:
        made = (
            maker.submit(make, positions, (first + at) / max(steps - 1, 1))
            for at, positions in enumerate(epoch)
        )
        coming = next(made, None)
        while coming is not None:
            before = time.perf_counter()
            lesson = coming.result()
            done.waiting += time.perf_counter() - before
            coming = next(made, None)
            yield lesson


class _Done:
    """The progress of a fit."""

    def __init__(self) -> None:
        self.losses: list[dict[str, float]] = []
        self.samples = 0
        self.waiting = 0.0  # seconds spent waiting for batches
        self.rate = 0.0

    @property
    def steps(self) -> int:
        return len(self.losses)

    def add(self, losses: dict[str, float], samples: int) -> None:
        self.losses.append(losses)
        self.samples += samples

    def last(self) -> dict[str, float]:
        """Mean losses over the last tenth of the steps."""
        last = self.losses[-max(1, self.steps // 10) :]
        names = last[0] if last else ()
        return {name: float(np.mean([each[name] for each in last])) for name in names}


class _Best:
    """A copy of the weights after an epoch."""

    def __init__(self, loss: float, learner: Learner) -> None:
        self.loss = loss
        self.epochs_since = 0
        self._nets = [copy.deepcopy(net.state_dict()) for net in learner.nets]

    def bring_back(self, learner: Learner) -> None:
        for net, state in zip(learner.nets, self._nets, strict=True):
            net.load_state_dict(state)
