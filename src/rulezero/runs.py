"""Starts, resumes, checks and opens runs."""

import datetime
import platform
import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from rulezero import config
from rulezero._core import Game, GameError, RulezeroError
from rulezero.data.check import rules_hash
from rulezero.errors import RunError
from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.fleet import Fleet
from rulezero.games.load import files_of, load, packed
from rulezero.learn import terms
from rulezero.machine import check_workers, cores
from rulezero.nets.card import ONE_FILE, digest, read_card, resolve
from rulezero.play.binding import core_net
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.task import Task, check_task
from rulezero.play.weights import weights_of
from rulezero.training import unread
from rulezero.training.estimate import Estimate as Estimate
from rulezero.training.estimate import estimate
from rulezero.training.experiment import Experiment
from rulezero.training.games import TRAININGS, training_of
from rulezero.training.lines import LineListener
from rulezero.training.listener import Listener, Listeners
from rulezero.training.log import ChangeEntry, Summary, SummaryEntry
from rulezero.training.loop import Loop, Trainee
from rulezero.training.run import Progress, Run
from rulezero.training.tasks import NAMES, OWN
from rulezero.version import __version__

# Prefixes of keys that cannot change once a run has begun: they determine its games and their
# split, the shape of its net, and the state of its optimiser.
_FIXED = (
    *("recipe", "preset", "game", "seed", "begin", "net", "bootstrap", "stores", "regime", "hooks"),
    *("window.held_out", "window.validation", "fit.optimiser", "fit.average"),
)
_MISSING = object()


def train(
    recipe: str | Experiment,
    preset: str = "small",
    out: str | Path | None = None,
    *,
    changes: config.Changes = (),
    workers: int = 0,
    fleet: str = "local",
    listener: Listener | None = None,
    progress: bool | None = None,
) -> Run:
    """Trains from a recipe to the end, in a new folder, and returns the run.

    `changes` override keys of the recipe: "fit.batch=64", {"fit.batch": 64}, or a list of these.
    `workers=0` starts one worker per core. `fleet` says where games are played, which changes no
    game: "local" is in worker processes of this machine. `listener` is called at every event. With
    `progress` (default: if there is no listener), each phase prints a line to stderr, or below the
    notebook's cell. `resume` continues a run that was stopped.
    """
    if isinstance(recipe, Experiment):
        experiment = config.with_changes(recipe, changes)
    else:
        experiment = config.load(recipe, preset, changes)
    game = load(game_as_typed := experiment.game)
    if rules := files_of(game):  # kept in the run, as the originals may change or be missing
        experiment = experiment.model_copy(update={"game": game.text})
    experiment = _with_hooks(experiment)
    run = place(experiment, out)
    # Everything that can be refused is refused before the run is created.
    run.check_new()
    check(experiment, workers)
    _trainee(experiment, game, run)
    opening = open_fleet(fleet, _orders(run, experiment, workers, game_as_typed))
    hooks = terms.files_of(experiment.hooks)
    followed = _followed(experiment, listener, progress)
    run.create(experiment.text, manifest(experiment, game), rules, hooks)
    has_begun = False
    try:
        with opening as opened:
            has_begun = True
            return _go(run, experiment, game, opened, followed)
    except RulezeroError as error:
        # Nothing is lost, and the run could only repeat a mistake in its fleet or in its rules.
        if not has_begun or (isinstance(error, GameError) and not len(run.store())):
            shutil.rmtree(run.path)
        raise


def _with_hooks(experiment: Experiment) -> Experiment:
    """The experiment with its file of loss terms named by a hash; executes that file."""
    if experiment.hooks is None:
        return experiment
    return experiment.model_copy(update={"hooks": terms.run_hooks(experiment.hooks)})


def _followed(experiment: Experiment, listener: Listener | None, progress: bool | None) -> Listener:
    """The listener, with one that prints lines if `progress` is true or there is no other."""
    listeners = [] if listener is None else [listener]
    if progress or (progress is None and listener is None):
        listeners.append(LineListener(experiment.iterations))
    return Listeners(listeners)


def place(experiment: Experiment, out: str | Path | None = None) -> Run:
    """The run in the folder `out`, or in the first free one of runs/RECIPE_PRESET_N."""
    if out is not None:
        if not str(out):
            raise RunError("'' is not a folder's name: give one, such as runs/first")
        if "," in str(out) or not str(out).isprintable():
            shown = "".join(letter if letter.isprintable() else "?" for letter in str(out))
            raise RunError(
                f"'{shown}' has a comma or an unprintable character, so a player's text could not"
                " name its nets: choose another folder"
            )
        return Run(Path(out))
    number = 1
    while (path := Path("runs") / f"{experiment.recipe}_{experiment.preset}_{number}").exists():
        number += 1
    return Run(path)


def resume(
    path: str | Path,
    *,
    iterations: int | None = None,
    changes: config.Changes | Experiment = (),
    workers: int = 0,
    fleet: str = "local",
    listener: Listener | None = None,
    progress: bool | None = None,
) -> Run:
    """Resumes a run; the result is bit-identical to that of an uninterrupted one.

    `iterations` is the total number of iterations; a larger one extends the run. `changes`, in the
    forms that `train` takes or as a whole experiment, apply from the next iteration on; an
    unfinished iteration is finished first. A change that would affect finished iterations is an
    error. `workers`, `fleet`, `listener` and `progress` are those of `train`: the fleet may be
    another one than before.
    """
    run = Run(Path(path))
    experiment = config.read(run.config())
    game = run.game(experiment.game)
    new = changes
    if not isinstance(new, Experiment):
        new = config.with_changes(experiment, new)
    if iterations is not None:
        new = config.with_changes(new, {"iterations": iterations})
    try:
        new = _with_hooks(new)
    except RunError as error:
        copies = [path for path in sorted(run.hooks.glob("*.py")) if path.name in str(error)]
        copy = f"; the run has a copy in '{copies[0]}'" if copies else ""
        raise RunError(f"{error}{copy}") from error
    listener = _followed(new, listener, progress)
    if experiment.fit.loss.extra.keys() != new.fit.loss.extra.keys():
        raise RunError(
            "fit.loss.extra must have the terms that the run began with"
            f" ({', '.join(experiment.fit.loss.extra) or 'none'}): only their weights may change,"
            " and 0 switches one off"
        )
    keys = changed_keys(experiment, new)
    _check_changes(run, keys)
    if run.manifest().get("rules_hash") != rules_hash(game):
        raise RunError(
            f"the rules of {game.text} have changed since '{run.path}' began: begin another run"
        )
    check(new, workers)
    _trainee(new, game, run)
    # Nothing is changed before the fleet can play.
    with open_fleet(fleet, _orders(run, new, workers, new.game)) as opened:
        if keys:
            reached = run.progress()
            if reached.latest and not reached.is_done:
                _go(run, experiment, game, opened, listener, last=reached.iteration)
            _change(run, new, keys, listener)
        return _go(run, new, game, opened, listener)


def changed_keys(before: Experiment, after: Experiment) -> dict[str, Any]:
    """The new values of keys that differ between two experiments, by paths such as fit.batch."""
    old, new = _flat(before.model_dump(mode="json")), _flat(after.model_dump(mode="json"))
    gone = dict.fromkeys(old.keys() - new.keys())
    return gone | {key: value for key, value in new.items() if old.get(key, _MISSING) != value}


def _flat(keys: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in keys.items():
        at = f"{path}{key}"
        found |= _flat(value, f"{at}.") if isinstance(value, dict) else {at: value}
    return found


def _check_changes(run: Run, keys: Mapping[str, Any]) -> None:
    """Raises RunError for keys that cannot change in a run that has begun."""
    for key in keys:
        if key.startswith(_FIXED):
            raise RunError(
                f"{key} cannot be changed once a run has begun: begin another run, with"
                f" --set begin={run.path} to start from its best net"
            )
    if (length := keys.get("iterations")) is not None and length < run.progress().iteration:
        raise RunError(
            f"'{run.path}' is already at iteration {run.progress().iteration}:"
            f" iterations={length} is less; give a larger number"
        )


def _change(run: Run, new: Experiment, keys: dict[str, Any], listener: Listener) -> None:
    """Writes changed keys into the config and the log of a run between two iterations."""
    with run.locked():
        progress = run.progress()
        last = progress.iteration - (not progress.is_done)
        run.change(new.text, last)
        entry = ChangeEntry(
            iteration=last + 1,
            seconds_so_far=progress.seconds,
            keys=keys,
            time=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )
        run.cut_log(progress)
        run.append(entry)
        run.advance(msgspec.structs.replace(progress, log_bytes=run.log.stat().st_size))
    listener.logged(entry)


def check(experiment: Experiment, workers: int = 0) -> None:
    """Raises an error if the experiment cannot run; nothing is started or written.

    Whether a fleet can play its games is left to `open_fleet`.
    """
    game, regime = load(experiment.game), experiment.regime
    for task in _tasks(experiment):
        check_task(task)
        for text in (task.a, task.b, task.judge):
            if text is None:
                continue
            weights_of(player := read_player(text), game)
            net = player.net
            if net is not None and not OWN.fullmatch(net):
                found = resolve(net)
                if found.suffix in ONE_FILE:
                    core_net(found, game)
                else:
                    read_card(found).check(game.facts)
    if experiment.begin is not None:
        card = read_card(resolve(experiment.begin))
        card.tower_config(experiment.begin)
        card.check(game.facts)
    if experiment.targets.rewards is not None and not training_of(game).has_rewards:
        owners = ", ".join(name for name, each in TRAININGS.items() if each.has_rewards)
        raise RunError(
            f"targets.rewards is only for {owners}, not for {experiment.game}: add"
            " --set targets.rewards=null"
        )
    regime.check(game)
    if regime.has_tower:
        terms.chosen(experiment.hooks, experiment.fit.loss.extra)
        terms.refuse_unshared(experiment.hooks, experiment.fit.loss.extra, experiment.fit.processes)
    for each in unread.ignored(experiment):
        raise RunError(each.words)
    for path in experiment.stores:
        if not Path(path).is_dir():
            raise RunError(f"stores: there is no store '{path}'")
    check_workers(workers)
    if workers != 1 or experiment.fit.processes > 1:
        packed([experiment.game])
    fit = experiment.fit
    if fit.device == "cuda" or (fit.device == "auto" and fit.processes > 1):
        from rulezero.nets.device import device_of

        device_of(fit.device, "fit.device", number=fit.processes - 1)


def _tasks(experiment: Experiment) -> list[Task]:
    """Tasks with all players of an experiment; an untrained net is in place of its own nets."""
    nets = dict.fromkeys(NAMES, "untrained")
    trials = experiment.gate.every * (experiment.anchor.every if experiment.anchor else 1)
    iterations = range(3)  # at least one of each kind of iteration
    tasks = [task for iteration in iterations for task in experiment.games(iteration, nets)]
    return tasks + experiment.regime.trials(experiment, trials, nets)


def _orders(run: Run, experiment: Experiment, workers: int, game: str) -> Orders:
    """What a fleet is given; `game` is the text for messages about the game."""
    tasks = [msgspec.structs.replace(task, game=game) for task in _tasks(experiment)]
    return Orders(NetStore(run.nets), run.path, workers, experiment.width, tasks)


def _trainee(experiment: Experiment, game: Game, run: Run) -> Callable[[int], Trainee]:
    """What makes an untrained learner from a seed; RunError if torch is missing."""
    try:
        return experiment.regime.trainee(experiment, game, run)
    except ImportError as error:
        raise RunError(
            f"training needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error


def open_run(path: str | Path) -> Run:
    """The run in a folder."""
    run = Run(Path(path))
    run.config()
    return run


def expect(experiment: Experiment, *, workers: int = 0) -> Estimate:
    """An estimate of the experiment's cost on this machine; it measures for some seconds."""
    return estimate(experiment, workers=workers or cores())


def manifest(experiment: Experiment, game: Game) -> dict[str, Any]:
    """What a run is made with: versions, rules, encoding, seed and the hash of its config."""
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
    run: Run,
    experiment: Experiment,
    game: Game,
    fleet: Fleet,
    listener: Listener,
    last: int | None = None,
) -> Run:
    from rulezero.training.tensorboard import TensorBoardListener

    trainee = _trainee(experiment, game, run)
    board = TensorBoardListener(run.path / "tensorboard", run.progress().iteration)
    told = Listeners([board, listener])
    earlier = {at: config.read(text) for at, text in run.earlier_configs().items()}
    progress = Loop(run, game, experiment, trainee, fleet, told, earlier).go(last)
    if progress.is_done and (summary := experiment.regime.conclude(run)) is not None:
        _conclude(run, summary, progress, told)
    return run


def _conclude(run: Run, summary: Summary, progress: Progress, listener: Listener) -> None:
    """Logs a summary of the whole run; a resumed run writes this line again."""
    entry = SummaryEntry(
        iteration=progress.iteration, summary=summary, seconds_so_far=progress.seconds
    )
    run.append(entry)
    listener.logged(entry)
