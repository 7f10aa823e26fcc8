"""Runs: beginning one, going on with one, looking into one."""

import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulezero import config
from rulezero._core import Game
from rulezero.data.check import rules_hash
from rulezero.errors import RunError
from rulezero.fleet.local import LocalFleet
from rulezero.games.load import load
from rulezero.machine import check_workers, cores
from rulezero.nets.card import PERCEPTRON, digest, read_card, resolve
from rulezero.play.binding import perceptron
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.task import check_task
from rulezero.train.experiment import Experiment
from rulezero.train.games import TRAININGS, training_of
from rulezero.train.listener import Listener, Listeners
from rulezero.train.log import Summary, SummaryEntry
from rulezero.train.loop import Loop
from rulezero.train.run import Progress, Run
from rulezero.train.tasks import NAMES
from rulezero.version import __version__

if TYPE_CHECKING:
    from rulezero.train.estimate import Estimate as Estimate

_OWN = re.compile(r"(untrained|iter_\d+)(_black)?")  # nets that a run makes itself


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
    check(experiment, workers)
    run.create(experiment.text, manifest(experiment, game))
    return _go(run, experiment, game, workers, listener)


def place(experiment: Experiment, out: str | Path | None = None) -> Run:
    """The run of a folder, or of runs/RECIPE_PRESET_N that nobody has taken."""
    if out is not None:
        if "," in str(out):
            raise RunError(f"'{out}' has a comma, and no seat could name its nets: leave it out")
        return Run(Path(out))
    number = 1
    while (path := Path("runs") / f"{experiment.recipe}_{experiment.preset}_{number}").exists():
        number += 1
    return Run(path)


def resume(path: str | Path, *, workers: int = 0, listener: Listener | None = None) -> Run:
    """Goes on with a run where it was stopped, and comes to what it would have come to."""
    run = Run(Path(path))
    experiment = config.read(run.config())
    game = load(experiment.game)
    if run.manifest().get("rules_hash") != rules_hash(game):
        raise RunError(
            f"the rules of {game.text} have changed since '{run.path}' began: begin another run"
        )
    check(experiment, workers)
    return _go(run, experiment, game, workers, listener)


def check(experiment: Experiment, workers: int = 0) -> None:
    """Says what is wrong with an experiment before anything is done."""
    game = load(experiment.game)
    regime, nets = experiment.regime, dict.fromkeys(NAMES, "untrained")
    trials = experiment.gate.every * (experiment.anchor.every if experiment.anchor else 1)
    iterations = range(3)  # of each kind of them one at least
    tasks = [task for iteration in iterations for task in experiment.games(iteration, nets)]
    tasks += regime.trials(experiment, trials, nets)
    for task in tasks:
        check_task(task)
        for text in (task.a, task.b, task.judge):
            net = None if text is None else read_player(text).net
            if net is not None and not _OWN.fullmatch(net):
                found = resolve(net)
                if found.suffix == PERCEPTRON:
                    perceptron(found, game)
                else:
                    read_card(found).check(game.facts)
    if experiment.begin is not None:
        read_card(resolve(experiment.begin)).check(game.facts)
    if experiment.targets.rewards is not None and not training_of(game).has_rewards:
        owners = ", ".join(name for name, each in TRAININGS.items() if each.has_rewards)
        raise RunError(
            f"targets.rewards shape the results of {owners}, not of {experiment.game}: add"
            " --set targets.rewards=null"
        )
    regime.check(game)
    for path in experiment.stores:
        if not Path(path).is_dir():
            raise RunError(f"stores: there is no store '{path}'")
    check_workers(workers)
    if experiment.fit.device == "cuda":
        from rulezero.nets.device import device_of

        device_of("cuda", "fit.device")


def open_run(path: str | Path) -> Run:
    """The run of a folder."""
    run = Run(Path(path))
    run.config()
    return run


def expect(experiment: Experiment, *, workers: int = 0) -> "Estimate":
    """What an experiment will cost on this machine, after some seconds of measuring."""
    return experiment.regime.estimate(experiment, load(experiment.game), workers or cores())


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
        "config": digest(experiment.text.encode()),
    }


def _go(
    run: Run, experiment: Experiment, game: Game, workers: int, listener: Listener | None
) -> Run:
    try:
        trainee = experiment.regime.trainee(experiment, game, run)
    except ImportError as error:
        raise RunError(
            f"training needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    from rulezero.train.tensorboard import TensorBoardListener

    fleet = LocalFleet(NetStore(run.nets), workers=workers, width=experiment.width)
    board = TensorBoardListener(run.path / "tensorboard", run.progress().iteration)
    told = Listeners([board, listener or Listener()])
    progress = Loop(run, game, experiment, trainee, fleet, told).go()
    if (summary := experiment.regime.conclude(run)) is not None:
        _conclude(run, summary, progress, told)
    return run


def _conclude(run: Run, summary: Summary, progress: Progress, listener: Listener) -> None:
    """Logs a summary of the whole run; a resumed run writes that line of its log again."""
    entry = SummaryEntry(
        iteration=progress.iteration, summary=summary, seconds_so_far=progress.seconds
    )
    run.append(entry)
    listener.logged(entry)
