"""What an experiment takes on this machine: its work is counted, samples of it are timed."""

import statistics
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from rulezero.data.columns import Floats
from rulezero.data.replay import is_chosen, replay_of
from rulezero.fleet.workers import fresh_processes
from rulezero.games.load import load
from rulezero.play.evaluators import Options
from rulezero.play.players import read_player
from rulezero.play.table import Finished
from rulezero.play.task import Task
from rulezero.training import measure
from rulezero.training.experiment import Experiment
from rulezero.training.measure import Learning, Opened, Sample
from rulezero.training.work import PARTS, Count, GameSize, Work, count, samples_of, work_of

_PLAYING = 11.0  # seconds in which all kinds of games are measured
_MOST = 4.0  # seconds for one kind
_LEARNING = 2.0  # seconds
_ROWS = 4e9  # multiply-adds of a batch of positions that are evaluated together


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment on this machine."""

    workers: int  # processes that play
    parameters: int  # of the net
    counts: tuple[Count, ...]  # the work, part by part
    seconds: dict[str, float]  # of each part, and of the start

    @property
    def hours(self) -> float:
        """Of the whole run."""
        return sum(self.seconds.values()) / 3600


class Speed(NamedTuple):
    """What was measured."""

    samples: Sequence[Sample]  # kind by kind
    learning: Learning
    opened: Opened
    start: float  # seconds in which a worker process starts


def estimate(experiment: Experiment, *, workers: int) -> Estimate:
    """What a run takes here, after some seconds in which a little of everything is done."""
    work = work_of(experiment)
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        speed = _measure(experiment, work, workers, Path(folder))
    sizes = [_size_of(experiment, each) for each in speed.samples]
    return Estimate(
        workers=workers,
        parameters=speed.opened.parameters,
        counts=count(experiment, work, sizes),
        seconds=seconds_of(experiment, work, sizes, speed, workers),
    )


def seconds_of(
    experiment: Experiment, work: Work, sizes: Sequence[GameSize], speed: Speed, workers: int
) -> dict[str, float]:
    """The seconds of each part of a run that has it, and of its start."""
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
    found["fits"] += opened.scale * learning.sample_seconds * sum(fits.values())
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
    """Some games of each kind, as many kinds at a time as there are workers."""
    seconds = min(_MOST, _PLAYING * min(workers, len(work.kinds)) / max(1, len(work.kinds)))
    waiting = []
    for number, kind in enumerate(work.kinds):
        phase = next(phase for phase in work.phases if number in phase.games)
        share = -(-phase.total // min(workers, phase.total))  # of one worker
        width = min(experiment.width, share)
        leaves = max(int(read_player(text).number("leaves")) for text in (kind.task.a, kind.task.b))
        rows = _ROWS / opened.multiply_adds / max(leaves, 1)
        games = -(-phase.games[number] // min(workers, phase.total))
        task = msgspec.structs.replace(kind.task, games=games)
        at_most = max(1, min(width, int(rows)))
        length = 0.0 if task.starts else load(task.game).facts.typical_plies
        waiting.append(players.submit(measure.sample, task, folder, at_most, seconds, length))
    return [each.result() for each in waiting]


def _options(work: Work) -> list[Options]:
    """The ways to compute a net that players name, beside the plain one."""
    players = [read_player(text) for kind in work.kinds for text in (kind.task.a, kind.task.b)]
    found = {each.options for each in players if each.net is not None}
    return sorted(found - {Options()})


def _plainest(work: Work) -> Task:
    """A task of the run whose nets, if any task has some, are computed in the plain way."""
    tasks = sorted((kind.task for kind in work.kinds), key=lambda task: "net=" not in task.a)
    plain = dict.fromkeys(Options._fields)
    a, b = (read_player(text).changed(**plain).text for text in (tasks[0].a, tasks[0].b))
    return msgspec.structs.replace(tasks[0], a=a, b=b)


def _lesson(samples: Sequence[Sample], experiment: Experiment) -> list[Finished]:
    """Games of one iteration to learn from: of the first with self-play, or of the bootstrap."""
    known: dict[int, list[Finished]] = {}
    for each in (each for sample in samples for each in sample.games):
        is_played = each.record.purpose in ("self-play", "bootstrap")
        if is_played and any(weights_of(experiment, each) > 0):
            known.setdefault(each.record.iteration or 0, []).append(each)
    return known[min(known, key=lambda iteration: (iteration == 0, iteration))] if known else []


def weights_of(experiment: Experiment, played: Finished) -> Floats:
    """How much each ply of a game counts in a fit."""
    record = played.record
    note = None if played.note is None else played.note.columns(record.action_numbers())
    replay = replay_of(record, load(experiment.game))
    return experiment.targets_of(record, record.columns(), replay, note).weight


def _size_of(experiment: Experiment, sample: Sample) -> GameSize:
    """The means of some games."""
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
