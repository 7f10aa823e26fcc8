"""Measuring a run's work in processes of its kind: some games of a task, some steps of a fit.

Seconds are of a core's own time, so that whatever else the machine does just now hardly counts.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from rulezero.data.replay import replay_of
from rulezero.games.load import load, rules_of
from rulezero.learn.window import Window, take
from rulezero.nets.config import NetConfig
from rulezero.play.evaluators import Options, open_net
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.table import Finished, Table
from rulezero.play.task import Beginning, Task, check_task
from rulezero.training.experiment import Experiment
from rulezero.training.lengths import QUICK
from rulezero.training.run import Run

_BLOCKS = 4  # of a net that is measured: a deeper one takes as much longer as it multiplies more
_MULTIPLY_ADDS = 4e9  # of a batch that is measured, so that it takes neither minutes nor gigabytes
_ROWS = 16  # positions of such a batch, at least
_KEPT = 32  # games that are returned
_OWN = 0.65  # of the time for games as they are in the run; the rest is for quick ones
_PLIES = 4  # that are timed where no game ends
_LATE = 0.7  # of the time: after that, players without nets begin no more games


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The net that a run begins with."""

    parameters: int  # of the experiment's own net
    multiply_adds: int  # of the net that is measured in its place
    scale: float  # times that the experiment's own net multiplies as much
    seconds: float  # until it was written, from the start of the process
    quick_seconds: float  # to make and open what players ask for beside the plain net, as int8


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Some games of a task, played by one process."""

    seconds: float  # for a game
    net_share: float  # of the time in which the process computed a net
    games: list[Finished]  # to the end
    stretch: float = 1.0  # times that games of the run are expected to be as long as these


class Learning(msgspec.Struct, frozen=True, kw_only=True):
    """Some steps of a fit."""

    sample_seconds: float = 0.0  # for a sample
    game_seconds: float = 0.0  # to take a game into the window
    fit_seconds: float = 0.0  # for a fit, whatever its size: its files, its first and last moments


def measured_net(net: NetConfig) -> NetConfig:
    """The net that is measured in the place of this one: with fewer blocks if it is deep."""
    blocks = min(net.blocks, _BLOCKS)
    pooling = min(net.pooling, blocks)
    changes = {"blocks": blocks, "widths": net.widths[-_BLOCKS:], "pooling": pooling}
    return net.model_copy(update=changes)


def begin(experiment: Experiment, folder: Path, others: Sequence[Options]) -> Opened:
    """Begins a run as `train` does: everything is imported, the untrained net is written."""
    import rulezero.training.tensorboard  # noqa: F401  # takes as long here as it does there

    game, run = load(experiment.game), Run(folder)
    run.nets.mkdir()
    shallow = _shallow(experiment)
    trainee = experiment.regime.trainee(shallow, game, run)(experiment.seed)
    trainee.write(run.nets / "untrained", {})
    since = time.process_time()
    for options in others:
        open_net(run.nets / "untrained", options, game)
    quick = time.process_time() - since
    whole, measured = (experiment.regime.size(each) for each in (experiment, shallow))
    return Opened(
        parameters=whole.parameters,
        multiply_adds=measured.multiply_adds,
        scale=whole.multiply_adds / measured.multiply_adds,
        seconds=since,
        quick_seconds=quick,
    )


def ready(task: Task, folder: Path) -> float:
    """Does what a worker process does before its first game; seconds from the process's start."""
    Table(task, check_task(task), nets=NetStore(folder / "nets"), width=1)
    return time.process_time()


def sample(task: Task, folder: Path, width: int, seconds: float, typical: float = 0.0) -> Sample:
    """Plays games of a task, `width` in step, for so many seconds at most.

    Where they are too slow to end, games of the same players without nets, who judge by the
    hand-written heuristic, stand for them, as if they had `typical` choices where that is known.
    """
    nets = NetStore(folder / "nets")
    table = _Sampler(task, nets, width)
    table.play_for(seconds * _OWN)
    ended, spent = table.fair, table.spent
    if not table.is_typical:
        quick = _Sampler(_without_nets(task), nets, 1)
        quick.play_for(seconds * (1 - _OWN))
        ended = quick.ended or ended
    if table.is_over:
        spent /= len(ended)
    elif ended and table.simulations:
        spent *= _mean_sims(ended) / table.simulations
    elif not ended:  # some plies are timed, and other players tell how many a game has
        few = _Sampler(msgspec.structs.replace(task, games=1), nets, 1, task.opening + _PLIES)
        few.play_for(seconds)
        ended = _any_games(task)
        chosen = sum(each.record.plies - each.record.opening for each in few.ended)
        spent = few.spent / max(1, chosen) * sum(each.record.plies for each in ended) / len(ended)
    stretch = 1.0
    if typical and not table.is_typical:
        choices = [replay_of(each.record, table.game).movers >= 0 for each in ended]
        stretch = typical * len(ended) / sum(int(each.sum()) for each in choices)
    return Sample(
        seconds=spent * stretch,
        net_share=table.session.net_seconds / max(table.passed, 1e-9),
        games=ended[:_KEPT],
        stretch=stretch,
    )


class _Sampler(Table):
    """A table that can stop while games are being played."""

    def __init__(
        self, task: Task, nets: NetStore, width: int, most_plies: int | None = None
    ) -> None:
        super().__init__(task, check_task(task), nets=nets, width=width, most_plies=most_plies)
        if not self.session.has_nets:  # these are no faster together
            self.width = 1
        self.ended: list[Finished] = []
        self.spent = 0.0  # seconds of a core
        self.passed = 0.0  # seconds on the clock

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return len(self.ended) == self.task.games

    @property
    def is_typical(self) -> bool:
        """Whether the games that have ended are no shorter than others: the first ones all have."""
        known = {each.record.index for each in self.ended}
        return known >= set(range(self.width))

    @property
    def fair(self) -> list[Finished]:
        """Games that have ended, by their indices; where others go on, only those that began first.

        Of games in step the short ones end first.
        """
        first = self.width if self.width > 1 and not self.is_over else self.task.games
        by_index = sorted(self.ended, key=lambda each: each.record.index)
        return [each for each in by_index if each.record.index < first]

    @property
    def simulations(self) -> int:
        """Of all games, those that have not ended included."""
        return self.session.pool.simulations

    def play_for(self, seconds: float) -> None:
        """Plays for so long; towards the end no more games begin that could not end."""
        playing: dict[int, Beginning] = {}
        since, worked, begun = time.perf_counter(), time.process_time(), 0
        while True:
            self.passed = time.perf_counter() - since
            self.spent = time.process_time() - worked
            is_late = self.width == 1 and self.passed > _LATE * seconds
            while len(playing) < self.width and begun < self.task.games and not is_late:
                playing[begun] = self.begin(begun)
                begun += 1
            if not playing or self.passed > seconds:
                return
            for played in self.session.step():
                self.ended.append(self.finished(playing.pop(played.index), played))


def _mean_sims(games: Sequence[Finished]) -> float:
    return sum(int(each.record.columns().sims.sum()) for each in games) / len(games)


def _any_games(task: Task) -> list[Finished]:
    """A few games of quick players; random ones, which are longer, where these are not quick."""
    for player, seconds in ((QUICK, 1.0), ("random", math.inf)):
        changed = msgspec.structs.replace(task, a=player, b=player, judge=None, games=4)
        table = _Sampler(changed, NetStore(), 1)
        table.play_for(seconds)
        if table.ended:
            break
    return table.ended


def _without_nets(task: Task) -> Task:
    def changed(text: str) -> str:
        player = read_player(text)
        if player.net is None:
            return text
        return "random" if player.spec.name == "policy" else player.without_net().text

    judge = None if task.judge is None else changed(task.judge)
    return msgspec.structs.replace(task, a=changed(task.a), b=changed(task.b), judge=judge)


def learn(
    experiment: Experiment, folder: Path, games: Sequence[Finished], seconds: float
) -> Learning:
    """Learns from games of one iteration for some seconds.

    Batches are made beside it, by another thread, which has a core of its own; but rules in
    Python let no other Python code run beside them, so that their time counts, too.
    """
    game, run, shallow = load(experiment.game), Run(folder), _shallow(experiment)
    since = time.thread_time()
    window = Window(experiment.window.model_copy(update={"held_out": 0.0, "validation": 0.0}))
    records = [each.record for each in games]
    notes = {each.record.id: each.note for each in games if each.note is not None}
    iteration = records[0].iteration or 0
    take(window, records, game, experiment.targets_of, iteration, notes)
    taking = (time.thread_time() - since) / len(games)
    rows = max(_ROWS, int(_MULTIPLY_ADDS / experiment.regime.size(shallow).multiply_adds))
    batch = min(experiment.fit.batch, rows)

    def fit(steps: int) -> float:
        fits = {"samples": steps * batch, "batch": batch, "patience": None}
        settings = shallow.fit.model_copy(update=fits)
        changed = shallow.model_copy(update={"fit": settings})
        trainee = experiment.regime.trainee(changed, game, run)(experiment.seed)
        since, begun = time.thread_time(), time.process_time()
        dice = np.random.default_rng(experiment.seed)
        trainee.learn_from(window, iteration, progress=(0.0, 1.0), dice=dice)
        spent = time.thread_time() - since
        if steps > 1:
            return spent if rules_of(game) is None else time.process_time() - begun
        trainee.write(run.nets / "learned", {})
        trainee.save(folder)
        return time.thread_time() - since

    fit(1)  # what is made once
    whole, one = fit(1), fit(2) / 2
    steps = 2 + int(seconds / max(one, 1e-6))
    step = fit(steps) / steps
    return Learning(
        sample_seconds=step / batch,
        game_seconds=taking,
        fit_seconds=max(0.0, whole - step),
    )


def _shallow(experiment: Experiment) -> Experiment:
    """With fewer blocks, and without loss terms, which this process may not know."""
    loss = experiment.fit.loss.model_copy(update={"extra": {}})
    changes = {"fit": experiment.fit.model_copy(update={"loss": loss}), "hooks": None}
    return experiment.model_copy(
        update={"net": measured_net(experiment.net), "begin": None, **changes}
    )
