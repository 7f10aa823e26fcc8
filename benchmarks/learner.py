"""Measures the learner: samples a second of one process, of two, in bfloat16, and recomputing.

    .venv/bin/python benchmarks/learner.py [RECIPE [PRESET]]

All sides take turns, and the figures are ratios of neighbouring slices to one process with float32.
Each process has one thread. Two processes need two cores, so their speed shows in wall-clock time
only. Rounds in which other programs used these cores are therefore marked.
"""

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

import rulezero as rz
from rulezero import config
from rulezero.learn.batch import Batches
from rulezero.learn.fit import FitSettings
from rulezero.learn.helpers import Helpers, Lesson, order_for
from rulezero.learn.learner import Learner
from rulezero.learn.targets import of_play
from rulezero.learn.window import Part, Window, WindowSettings, take
from rulezero.nets.device import threads
from rulezero.nets.tower import create

_ROUNDS = 5
_SECONDS = 4.0  # of a slice
_GAMES = 40
_PLAYER = "puct:sims=32,temperature=1"
_SIDES: dict[str, dict[str, object]] = {
    "one process": {},
    "two processes": {"processes": 2},
    "bfloat16": {"precision": "bfloat16"},
    "micro_batch = batch / 4": {"micro_batch": 4},  # a divisor, see `settings_of`
}


class Slice(NamedTuple):
    """Samples per second of wall-clock time and of CPU time, and the CPU share of others."""

    wall: float
    cpu: float
    others: float


class Side(NamedTuple):
    """A learner that takes a step at each call, and the processes that work for it."""

    step: Callable[[], int]
    pids: list[int]


def settings_of(fit: FitSettings, changes: dict[str, object]) -> FitSettings:
    """The fit with one of the sides' changes."""
    if "micro_batch" in changes:
        changes = {"micro_batch": fit.batch // 4}
    common = {"device": "cpu", "threads": 1, "processes": 1, "precision": "float32"}
    return fit.model_copy(update={**common, "micro_batch": None, **changes})


def window_of(experiment: rz.Experiment) -> Window:
    """A window with games of a search without a net, as a fit would have."""
    game = rz.load(experiment.game)
    window = Window(WindowSettings(held_out=0))
    records = rz.match(experiment.game, _PLAYER, _PLAYER, _GAMES, workers=2).records
    take(window, records, game, lambda r, c, p, _: of_play(r, c, p, experiment.targets), 0)
    return window


@contextlib.contextmanager
def opened(experiment: rz.Experiment, window: Window, settings: FitSettings) -> Iterator[Side]:
    """A side, with its helpers if it has several processes."""
    game, dice = rz.load(experiment.game), np.random.default_rng(0)
    tower = create(game, experiment.net, seed=1)
    learner = Learner(tower, game, settings, experiment.targets)
    batches = Batches(window, game, settings=experiment.targets, mirrors=settings.mirror)
    known = window.positions(Part.TRAINING)
    before = set(active_children())
    with contextlib.ExitStack() as stack:
        helpers: Helpers | None = None
        if settings.processes > 1:
            order = order_for(tower, game, settings, (), None, None)
            helpers = stack.enter_context(Helpers(order, learner.device))
            learner._gradients.group = helpers.group

        def step() -> int:
            positions = dice.choice(known, settings.batch)
            if helpers is None:
                lesson = Lesson(batches.make(positions, dice))
            else:
                lesson = helpers.share(batches, positions, dice, 1.0)
            learner._learn(lesson, 1e-3)
            return settings.batch

        others = [child.pid for child in set(active_children()) - before]
        yield Side(step, [os.getpid(), *(pid for pid in others if pid is not None)])


def measured(side: Side, seconds: float) -> Slice:
    """Steps of a side for this many seconds."""
    begin, samples = time.perf_counter(), 0
    own, busy = _cpu(side.pids), _busy()
    while (wall := time.perf_counter() - begin) < seconds:
        samples += side.step()
    spent = _cpu(side.pids) - own
    others = max(0.0, _busy() - busy - spent)
    return Slice(samples / wall, samples / spent, others / (wall * (os.cpu_count() or 1)))


def _cpu(pids: list[int]) -> float:
    """Seconds of CPU time of processes."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _busy() -> float:
    """Seconds that all cores have worked, for any program or another virtual machine."""
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    user, nice, system, _idle, _waiting, *rest = map(int, first)
    return (user + nice + system + sum(rest[:3])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Peak memory of a process in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def instructions() -> str:
    """The instruction set that torch uses, and the processor's bfloat16 instructions."""
    flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    with_bfloat16 = [name for name in ("avx512_bf16", "amx_bf16") if name in flags]
    used = torch.backends.cpu.get_cpu_capability()
    return f"{used}, bfloat16 by {' and '.join(with_bfloat16) or 'conversion'}"


def main() -> None:
    """Prints a line for each side."""
    given = sys.argv[1:3]
    recipe, preset = *given, *("razzle", "small")[len(given) :]
    experiment = config.load(recipe, preset)
    window = window_of(experiment)
    print(f"{recipe} {preset}: {experiment.net.blocks} blocks, {experiment.net.channels} channels,")
    print(f"batches of {experiment.fit.batch}; {instructions()}; {torch.__version__}")
    with contextlib.ExitStack() as stack:
        stack.enter_context(threads(1))
        sides = {
            name: stack.enter_context(
                opened(experiment, window, settings_of(experiment.fit, changes))
            )
            for name, changes in _SIDES.items()
        }
        for side in sides.values():
            measured(side, _SECONDS / 2)
        rounds = []
        for number in range(_ROUNDS):
            order = list(sides)[:: 1 if number % 2 == 0 else -1]
            rounds.append({name: measured(sides[name], _SECONDS) for name in order})
        for name, side in sides.items():
            found = [each[name] for each in rounds]
            ratios = [each[name].wall / each["one process"].wall for each in rounds]
            by_cpu = [each[name].cpu / each["one process"].cpu for each in rounds]
            print(
                f"{name:<24} {statistics.median(each.wall for each in found):>8,.0f} samples/s"
                f"   {statistics.median(ratios):.2f} x   per CPU second"
                f" {statistics.median(by_cpu):.2f} x   others used"
                f" {statistics.median(each.others for each in found):.0%} of the cores"
            )
            for pid in side.pids[1:]:
                print(f"{'':<24} its helper's peak memory: {memory(pid):,.0f} MiB")
        print(f"peak memory of the process with all learners: {memory(os.getpid()):,.0f} MiB")


if __name__ == "__main__":
    main()
