"""Measures samples of a run's work in processes like its own: games of a task, steps of a fit.

Seconds are CPU time, so that other work on the machine hardly counts.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from rulezero._core import Game
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

_BLOCKS = 4  # blocks of the measured net; a deeper net's time is scaled by its multiply-adds
_MULTIPLY_ADDS = 4e9  # of a measured batch, which bounds its time and memory
_ROWS = 16  # minimum number of positions in a measured batch
_KEPT = 32  # games to return
_OWN = 0.65  # share of the time for the run's own games; the rest is for quick ones
_PLIES = 4  # plies to time if no game ends
_LATE = 0.7  # share of the time after which players without nets begin no more games


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The net that stands for those of a run, and the time to make it."""

    parameters: int  # of the experiment's own net
    multiply_adds: int  # of the smaller net that is measured
    scale: float  # the experiment's multiply-adds divided by those of the measured net
    seconds: float  # from the start of the process until the net was written
    quick_seconds: float  # to convert and open other forms of the net for players, such as int8
    is_trained_like: bool = False  # its games are as long as those of trained nets


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Games of a task, played by one process."""

    seconds: float  # CPU seconds per game
    net_share: float  # share of the time that was spent in nets
    games: list[Finished]  # the games that ended
    stretch: float = 1.0  # expected length of the run's games, relative to these


class Learning(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of fits."""

    sample_seconds: float = 0.0  # per sample
    game_seconds: float = 0.0  # per game that is added to the window
    fit_seconds: float = 0.0  # per fit, independent of its size: set-up and files


def measured_net(net: NetConfig) -> NetConfig:
    """The net to measure instead of this one: with fewer blocks if it is deep."""
    blocks = min(net.blocks, _BLOCKS)
    pooling = min(net.pooling, blocks)
    changes = {"blocks": blocks, "widths": net.widths[-_BLOCKS:], "pooling": pooling}
    return net.model_copy(update=changes)


def begin(experiment: Experiment, folder: Path, others: Sequence[Options]) -> Opened:
    """Starts a run as `train` does: imports everything and writes the untrained net."""
    import rulezero.training.tensorboard  # noqa: F401  # its import is part of a run's start

    game, run = load(experiment.game), Run(folder)
    run.nets.mkdir()
    shallow = _shallow(experiment)
    trainee = experiment.regime.trainee(shallow, game, run)(experiment.seed)
    trainee.write(run.nets / "untrained", {})
    is_trained_like = experiment.regime.stand_in(run.nets, experiment.seed)
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
        is_trained_like=is_trained_like,
    )


def ready(task: Task, folder: Path) -> float:
    """Prepares for games as a worker process does; returns CPU seconds since the process began."""
    Table(task, check_task(task), nets=NetStore(folder / "nets"), width=1)
    return time.process_time()


def sample(
    task: Task,
    folder: Path,
    width: int,
    seconds: float,
    typical: float = 0.0,
    *,
    is_trained: bool = False,
) -> Sample:
    """Plays games of a task, `width` at a time, for at most `seconds`.

    `typical` is the number of choices in a game between trained nets; 0: unknown. With
    `is_trained` the sample's figures are scaled to this length, since the net that plays here is
    untrained. If the games are too slow to end, games of the same players without nets take their
    place, and they are scaled in the same way.
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
    elif not ended:  # time some plies, and take a game's length from faster players
        few = _Sampler(msgspec.structs.replace(task, games=1), nets, 1, task.opening + _PLIES)
        few.play_for(seconds)
        ended = _any_games(task)
        chosen = sum(each.record.plies - each.record.opening for each in few.ended)
        spent = few.spent / max(1, chosen) * sum(each.record.plies for each in ended) / len(ended)
    kept = ended[:_KEPT]
    is_scaled = typical > 0 and (is_trained or not table.is_typical)
    return Sample(
        seconds=spent * (typical / _mean_choices(ended, table.game) if is_scaled else 1.0),
        net_share=table.session.net_seconds / max(table.passed, 1e-9),
        games=kept,
        stretch=typical / _mean_choices(kept, table.game) if is_scaled else 1.0,
    )


class _Sampler(Table):
    """A table that can stop in the middle of games."""

    def __init__(
        self, task: Task, nets: NetStore, width: int, most_plies: int | None = None
    ) -> None:
        super().__init__(task, check_task(task), nets=nets, width=width, most_plies=most_plies)
        if not self.session.has_nets:  # only nets gain from several games at a time
            self.width = 1
        self.ended: list[Finished] = []
        self.spent = 0.0  # CPU seconds
        self.passed = 0.0  # wall-clock seconds

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return len(self.ended) == self.task.games

    @property
    def is_typical(self) -> bool:
        """Whether the sample is unbiased: short games end first, so all first games must have."""
        known = {each.record.index for each in self.ended}
        return known >= set(range(self.width))

    @property
    def fair(self) -> list[Finished]:
        """The ended games, sorted by index. If games are unfinished, only the first `width` count:
        of games at the same time, the short ones end first.
        """
        first = self.width if self.width > 1 and not self.is_over else self.task.games
        by_index = sorted(self.ended, key=lambda each: each.record.index)
        return [each for each in by_index if each.record.index < first]

    @property
    def simulations(self) -> int:
        """Simulations of all games, including unfinished ones."""
        return self.session.pool.simulations

    def play_for(self, seconds: float) -> None:
        """Plays for this time. Towards its end no new game begins, since it could not end."""
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


def _mean_choices(games: Sequence[Finished], game: Game) -> float:
    return sum(int((replay_of(each.record, game).movers >= 0).sum()) for each in games) / len(games)


def _any_games(task: Task) -> list[Finished]:
    """A few games of fast players; of random ones, which play longer games, if those are slow."""
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
    """Fits for some seconds on games of one iteration.

    Another thread prepares the batches on a core of its own, so its time does not count. The time
    of rules in Python does, since they hold the interpreter's lock.
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

    fit(1)  # warm-up
    whole, one = fit(1), fit(2) / 2
    steps = 2 + int(seconds / max(one, 1e-6))
    step = fit(steps) / steps
    return Learning(
        sample_seconds=step / batch,
        game_seconds=taking,
        fit_seconds=max(0.0, whole - step),
    )


def _shallow(experiment: Experiment) -> Experiment:
    """The experiment with fewer blocks, one learning process, and no loss terms in user code."""
    loss = experiment.fit.loss.model_copy(update={"extra": {}})
    fit = experiment.fit.model_copy(update={"loss": loss, "processes": 1})
    changes = {"fit": fit, "hooks": None}
    return experiment.model_copy(
        update={"net": measured_net(experiment.net), "begin": None, **changes}
    )
