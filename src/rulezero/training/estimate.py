"""Estimates the time of an experiment on this machine: counts its work and times samples of it."""

import statistics
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from rulezero.data.columns import Floats
from rulezero.data.replay import is_chosen, replay_of
from rulezero.fleet.local import uses_gpu
from rulezero.fleet.workers import fresh_processes
from rulezero.games.load import load
from rulezero.machine import cores
from rulezero.play.evaluators import Options
from rulezero.play.players import read_player
from rulezero.play.table import Finished
from rulezero.play.task import Task
from rulezero.training import measure
from rulezero.training.experiment import Experiment
from rulezero.training.measure import Learning, Opened, Sample
from rulezero.training.work import PARTS, Count, GameSize, Work, count, samples_of, work_of

_PLAYING = 11.0  # seconds for samples of all kinds of games
_MOST = 4.0  # seconds for one kind
_LEARNING = 2.0  # seconds for steps of a fit
_ROWS = 4e9  # multiply-adds of a batch of positions that are evaluated together
_TRAINED = 500  # games of self-play after which a net's games have the typical length


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The expected work and time of an experiment on this machine."""

    workers: int  # worker processes, or threads
    parameters: int  # of the net
    counts: tuple[Count, ...]  # the work, part by part
    seconds: dict[str, float]  # by part, and of the start
    has_threads: bool = False  # a net runs on a GPU, and threads share it

    @property
    def hours(self) -> float:
        """Hours of the whole run."""
        return sum(self.seconds.values()) / 3600


class Speed(NamedTuple):
    """The measurements behind an estimate."""

    samples: Sequence[Sample]  # kind by kind
    learning: Learning
    opened: Opened
    start: float  # seconds to start a worker process


def estimate(experiment: Experiment, *, workers: int) -> Estimate:
    """Estimates a run by timing samples of all its work, which takes some seconds."""
    work = work_of(experiment)
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        speed = _measure(experiment, work, workers, Path(folder))
    sizes = [_size_of(experiment, each) for each in speed.samples]
    return Estimate(
        workers=workers,
        parameters=speed.opened.parameters,
        counts=count(experiment, work, sizes),
        seconds=seconds_of(experiment, work, sizes, speed, workers),
        has_threads=uses_gpu([kind.task for kind in work.kinds]),
    )


def seconds_of(
    experiment: Experiment, work: Work, sizes: Sequence[GameSize], speed: Speed, workers: int
) -> dict[str, float]:
    """Seconds by part of a run, and of its start; parts without work are left out."""
    found: dict[str, float] = {"start": speed.opened.seconds}
    found |= dict.fromkeys(PARTS, 0.0)
    opened, learning = speed.opened, speed.learning
    for phase in work.phases:
        busy = min(workers, phase.total)
        for number, games in phase.games.items():
            one, part = speed.samples[number], work.kinds[number].part
            slower = 1 + (opened.scale - 1) * one.net_share
            found[part] += games * one.seconds * slower / busy
            if busy > 1:
                found[part] += speed.start * games / phase.total
    fits = samples_of(experiment, work, sizes)
    learned = [phase for phase in work.phases if phase.is_learned]
    learners = min(experiment.fit.processes, cores())  # their exchange is not counted
    found["fits"] += opened.scale * learning.sample_seconds * sum(fits.values()) / learners
    if experiment.fit.processes > 1:  # its helpers start for each fit
        found["fits"] += opened.seconds * len(fits)
    found["fits"] += (learning.fit_seconds + opened.quick_seconds) * len(fits)
    found["fits"] += learning.game_seconds * sum(phase.total for phase in learned)
    return {part: seconds for part, seconds in found.items() if seconds}


def _measure(experiment: Experiment, work: Work, workers: int, folder: Path) -> Speed:
    games = [experiment.game]
    with fresh_processes(1, games) as learner, fresh_processes(workers, games) as players:
        opened = learner.submit(measure.begin, experiment, folder, _options(work)).result()
        plain = _plainest(work)
        starting = [players.submit(measure.ready, plain, folder) for _ in range(workers)]
        start = statistics.median(each.result() for each in starting)
        samples = _play(players, work, workers, folder, experiment, opened)
        learning, lesson = Learning(), _lesson(samples, experiment)
        if lesson:
            learning = learner.submit(measure.learn, experiment, folder, lesson, _LEARNING).result()
    return Speed(samples, learning, opened, start)


def _play(
    players: ProcessPoolExecutor,
    work: Work,
    workers: int,
    folder: Path,
    experiment: Experiment,
    opened: Opened,
) -> list[Sample]:
    """Samples of each kind of games; each worker plays one kind at a time."""
    seconds = min(_MOST, _PLAYING * min(workers, len(work.kinds)) / max(1, len(work.kinds)))
    numbers = range(len(work.kinds))
    learned = [work.games(each) for each in numbers if work.kinds[each].part == "self-play"]
    is_trained = sum(learned) > _TRAINED and not opened.is_trained_like
    waiting = []
    for number, kind in enumerate(work.kinds):
        phase = next(phase for phase in work.phases if number in phase.games)
        share = -(-phase.total // min(workers, phase.total))  # games of one worker
        width = min(experiment.width, share)
        leaves = max(int(read_player(text).number("leaves")) for text in (kind.task.a, kind.task.b))
        rows = _ROWS / opened.multiply_adds / max(leaves, 1)
        games = -(-phase.games[number] // min(workers, phase.total))
        task = msgspec.structs.replace(kind.task, games=games)
        at_most = max(1, min(width, int(rows)))
        length = 0.0 if task.starts else load(task.game).facts.typical_plies
        sample = partial(measure.sample, is_trained=kind.part == "self-play" and is_trained)
        waiting.append(players.submit(sample, task, folder, at_most, seconds, length))
    return [each.result() for each in waiting]


def _options(work: Work) -> list[Options]:
    """The options of nets that players use, except the default ones."""
    players = [read_player(text) for kind in work.kinds for text in (kind.task.a, kind.task.b)]
    found = {each.options for each in players if each.net is not None}
    return sorted(found - {Options()})


def _plainest(work: Work) -> Task:
    """A task of the run, if possible with nets, but without any options of nets."""
    tasks = sorted((kind.task for kind in work.kinds), key=lambda task: "net=" not in task.a)
    plain = dict.fromkeys(Options._fields)
    a, b = (read_player(text).changed(**plain).text for text in (tasks[0].a, tasks[0].b))
    return msgspec.structs.replace(tasks[0], a=a, b=b)


def _lesson(samples: Sequence[Sample], experiment: Experiment) -> list[Finished]:
    """Games of one iteration to fit on: the first one with self-play, or else the bootstrap."""
    known: dict[int, list[Finished]] = {}
    for each in (each for sample in samples for each in sample.games):
        is_played = each.record.purpose in ("self-play", "bootstrap")
        if is_played and any(weights_of(experiment, each) > 0):
            known.setdefault(each.record.iteration or 0, []).append(each)
    return known[min(known, key=lambda iteration: (iteration == 0, iteration))] if known else []


def weights_of(experiment: Experiment, played: Finished) -> Floats:
    """The weight of each ply of a game in a fit."""
    record = played.record
    note = None if played.note is None else played.note.columns(record.action_numbers())
    replay = replay_of(record, load(experiment.game))
    return experiment.targets_of(record, record.columns(), replay, note).weight


def _size_of(experiment: Experiment, sample: Sample) -> GameSize:
    """The mean size of a sample's games, scaled to the expected length."""
    game, games = load(experiment.game), sample.games
    chosen = [is_chosen(each.record, replay_of(each.record, game)) for each in games]
    weights = [weights_of(experiment, each) for each in games]
    times = sample.stretch / len(games)
    return GameSize(
        plies=times * sum(each.record.plies for each in games),
        choices=times * float(sum(map(sum, chosen))),
        positions=times * float(sum(sum(each > 0) for each in weights)),
        weight=times * float(sum(map(sum, weights))),
    )
