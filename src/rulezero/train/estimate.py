"""What an experiment will cost on this machine: measured for a moment, then multiplied."""

import tempfile
from pathlib import Path

import msgspec
import numpy as np

from rulezero._core import Game
from rulezero.games.load import load
from rulezero.learn.batch import Batch
from rulezero.learn.learner import Learner
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.device import threads
from rulezero.nets.size import size_of
from rulezero.nets.tower import create
from rulezero.play.evaluators import DEFAULT, Options, open_net
from rulezero.play.players import read_player
from rulezero.play.speed import rate_of
from rulezero.train.experiment import Experiment
from rulezero.train.lengths import play_quickly

_BLOCKS = 4  # of a net that is measured: a deeper one takes as much longer as it multiplies more
_ROWS = 16  # positions that a learner is measured with, at least; and at most as many as ...
_MULTIPLY_ADDS = 4e9  # ... come to this, so that a batch takes no minutes, and not all the memory
_GAMES = 8  # for their length


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment on this machine."""

    parameters: int  # of the net
    positions_per_second: float  # that one worker evaluates
    samples_per_second: float  # that the learner learns from
    choices_per_game: float  # in quick games
    sims_per_choice: float
    hours: float  # of self-play and fits; bootstrap and trials come on top


def estimate(experiment: Experiment, *, workers: int) -> Estimate:
    """What the self-play and the fits of an experiment take here."""
    game, fit, player = load(experiment.game), experiment.fit, read_player(experiment.selfplay.a)
    shallow = measured_net(experiment.net)
    whole, measured = size_of(game.text, experiment.net), size_of(game.text, shallow)
    share = measured.multiply_adds / whole.multiply_adds
    tower = create(game, shallow)
    options = player.options
    if options.backend == DEFAULT:  # int8 files take long to make
        options = Options()
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        evaluator = open_net(save(Path(folder) / "net", tower, game), options, game)
    planes = np.random.default_rng(0).random((experiment.width, *game.facts.planes), np.float32)
    positions = share * rate_of(lambda: len(evaluator.evaluate(planes).value))
    learner = Learner(tower, game, fit)
    rows = max(_ROWS, int(_MULTIPLY_ADDS / measured.multiply_adds))
    batch = any_batch(game, min(fit.batch, rows))
    with threads(fit.threads):
        samples = share * rate_of(lambda: learner.learn(batch, 0.0))
    choices, _ = play_quickly(game, _GAMES)
    plies, sims = experiment.selfplay.games * choices, player.mean_sims
    times = fit.samples_per_ply if fit.samples_per_ply is not None else float(fit.epochs)
    seconds = plies * sims / (positions * workers) + plies * times / samples
    return Estimate(
        parameters=whole.parameters,
        positions_per_second=positions,
        samples_per_second=samples,
        choices_per_game=choices,
        sims_per_choice=sims,
        hours=experiment.iterations * seconds / 3600,
    )


def measured_net(net: NetConfig) -> NetConfig:
    """The net that is measured in the place of this one: with fewer blocks if it is deep."""
    blocks = min(net.blocks, _BLOCKS)
    pooling = min(net.pooling, blocks)
    changes = {"blocks": blocks, "widths": net.widths[-_BLOCKS:], "pooling": pooling}
    return net.model_copy(update=changes)


def any_batch(game: Game, size: int) -> Batch:
    """A batch of nothing in particular: as much work as any."""
    slots = game.facts.slots
    policy = np.zeros((size, slots), np.float32)
    policy[:, 0] = 1
    return Batch(
        planes=np.random.default_rng(0).random((size, *game.facts.planes), np.float32),
        legal=np.ones((size, slots), bool),
        policy=policy,
        wdl=np.full((size, 3), 1 / 3, np.float32),
        value=np.zeros(size, np.float32),
        weight=np.ones(size, np.float32),
        plies_left=np.ones(size, np.float32),
    )
