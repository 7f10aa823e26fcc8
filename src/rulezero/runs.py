"""Runs: beginning one, going on with one, looking into one."""

import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulezero import config
from rulezero._core import Game
from rulezero.config import Experiment
from rulezero.data.check import rules_hash
from rulezero.fleet.local import LocalFleet
from rulezero.games.load import load
from rulezero.play.runner import cores
from rulezero.train.listener import Listener, Listeners
from rulezero.train.run import Run, RunError
from rulezero.version import __version__

if TYPE_CHECKING:
    from rulezero.train.estimate import Estimate


def train(
    recipe: str | Experiment,
    preset: str = "small",
    out: str | Path | None = None,
    *,
    changes: Sequence[str] = (),
    workers: int = 0,
    listener: Listener | None = None,
) -> Run:
    """Trains by a recipe in a new folder, to the end, and returns the run.

    `changes` are keys of the recipe with other values, such as fit.batch=64. 0 workers are one for
    each core. A run that was killed is gone on with by `resume`.
    """
    experiment = recipe if isinstance(recipe, Experiment) else config.load(recipe, preset, changes)
    game = load(experiment.game)
    run = place(experiment, out)
    run.create(experiment.text, manifest(experiment, game))
    return _go(run, experiment, game, workers, listener)


def place(experiment: Experiment, out: str | Path | None = None) -> Run:
    """The run of a folder, or of runs/RECIPE_PRESET_N that nobody has taken."""
    if out is not None:
        return Run(Path(out))
    number = 1
    while (path := Path("runs") / f"{experiment.recipe}_{experiment.preset}_{number}").exists():
        number += 1
    return Run(path)


def resume(path: str | Path, *, workers: int = 0, listener: Listener | None = None) -> Run:
    """Goes on with a run where it was stopped, and comes to what it would have come to."""
    run = Run(Path(path))
    experiment = config.read(run.config())
    return _go(run, experiment, load(experiment.game), workers, listener)


def open_run(path: str | Path) -> Run:
    """The run of a folder."""
    run = Run(Path(path))
    run.config()
    return run


def expect(experiment: Experiment, *, workers: int = 0) -> "Estimate":
    """What an experiment will cost on this machine, after some seconds of measuring."""
    from rulezero.train.estimate import estimate

    return estimate(
        load(experiment.game),
        experiment.net,
        experiment.selfplay,
        experiment.fit,
        iterations=experiment.iterations,
        workers=workers or cores(),
        width=experiment.width,
    )


def manifest(experiment: Experiment, game: Game) -> dict[str, Any]:
    """With what a run was made."""
    libraries = ("numpy", "torch", "onnxruntime", "msgspec")
    return {
        "rulezero": __version__,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in libraries},
        "game": game.text,
        "rules_version": game.facts.version,
        "rules_hash": rules_hash(game),
        "encoding": game.facts.encoding,
        "seed": experiment.seed,
    }


def _go(
    run: Run, experiment: Experiment, game: Game, workers: int, listener: Listener | None
) -> Run:
    try:
        from rulezero.train.loop import Loop  # its torch takes longer than all the rest
    except ImportError as error:
        raise RunError(
            f"training needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    from rulezero.train.board import Board
    from rulezero.train.regimes.gated import Gated

    fleet = LocalFleet(run.nets, workers=workers, width=experiment.width)
    told = Listeners([Board(run.path / "tensorboard"), listener or Listener()])
    Loop(run, game, experiment, Gated(experiment), fleet, told).go()
    return run
