"""What a distillation will cost on this machine: some games of each stage, then multiplied."""

import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np

from rulezero.fleet.runner import run_all
from rulezero.nets.card import PERCEPTRON
from rulezero.nets.chess_perceptron import SIZES
from rulezero.nets.perceptron import create, to_nn
from rulezero.train.distillation import ENDS
from rulezero.train.estimate import Estimate, rate_of
from rulezero.train.perceptron_learner import PerceptronLearner
from rulezero.train.recipe import Recipe
from rulezero.train.regimes.distill import Distill
from rulezero.train.tasks import NAMES

_GAMES = 4  # of each stage


def estimate_distillation(recipe: Recipe, *, workers: int, width: int) -> Estimate:
    """What the games and fits of all stages take here; an untrained net plays and judges."""
    net, regime = create(), Distill(recipe)
    features = np.zeros((recipe.fit.batch, SIZES[0]), np.float32)
    chances = np.full(recipe.fit.batch, 0.5, np.float32)
    learner = PerceptronLearner(net, recipe.fit)

    def learn() -> int:
        learner.learn(features, chances, 0.0)
        return len(chances)

    samples = rate_of(learn)
    times = recipe.fit.samples_per_ply
    seconds = measured = 0.0
    plies = sims = games = 0
    for stage in recipe.distill.stages:
        tasks = [
            msgspec.structs.replace(task, games=_GAMES)
            for task in regime.games(stage.first, dict.fromkeys(NAMES, "untrained"))
        ]
        with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
            for name in ("untrained", stage.teacher):
                for end in ENDS:
                    (Path(folder) / f"{name}{end}{PERCEPTRON}").write_bytes(to_nn(net))
            begin = time.perf_counter()
            played = [each for _, each in run_all(tasks, width=width, nets=Path(folder))]
            took = time.perf_counter() - begin
        chosen = sum(each.record.plies for each in played)
        scale = (stage.last - stage.first + 1) * recipe.selfplay.games / _GAMES
        seconds += scale * took / workers
        seconds += scale * chosen * (recipe.fit.epochs if times is None else times) / samples
        measured, plies, games = measured + took, plies + chosen, games + len(played)
        for each in played:
            sims += int(each.record.columns().sims.sum())
            if each.note is not None:
                sims += int(each.note.columns(each.record.action_numbers()).sims.sum())
    return Estimate(
        parameters=sum(each.numel() for each in net.parameters()),
        positions_per_second=sims / measured,
        samples_per_second=samples,
        choices_per_game=plies / games,
        sims_per_choice=sims / plies,
        hours=seconds / 3600,
    )
