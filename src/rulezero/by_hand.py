"""The loop's steps one by one: games into a store, a net from a store."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rulezero._core import Game
from rulezero.config import Experiment
from rulezero.data.record import Record
from rulezero.data.store import Store
from rulezero.games.load import load
from rulezero.nets.card import beside, read_card, resolve
from rulezero.play.runner import run_all
from rulezero.play.saving import open_store
from rulezero.play.task import keyed
from rulezero.train.batch import Batches
from rulezero.train.play import NAMES, PlaySettings, task_of
from rulezero.train.run import RunError
from rulezero.train.targets import of_play
from rulezero.train.window import Window, take

if TYPE_CHECKING:
    from rulezero.train.fit import Fit
    from rulezero.train.learner import Tell


def generate(
    experiment: Experiment,
    store: str | Path,
    *,
    net: str | Path | None = None,
    games: int | None = None,
    workers: int = 0,
    on_game: Callable[[Record, int], None] | None = None,
) -> int:
    """Plays an experiment's self-play into a store, and returns how many games that has of it.

    Games that are there already are not played again. Without a net an untrained one plays.
    `on_game` is told each game, and how many there will be in all.
    """
    game = load(experiment.game)
    settings = experiment.selfplay
    if games is not None:
        settings = settings.model_copy(update={"games": games})
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(open_store(store))
        path = resolve(net) if net is not None else _untrained(experiment, game, stack)
        task = task_of(
            settings,
            dict.fromkeys(NAMES, path.name),
            game=game.text,
            name=f"generate/{path.name}/{_word(settings, game, experiment.seed, path)}",
            seed=experiment.seed,
            purpose="self-play",
        )
        done = {record.index for record in kept if record.task == task.name}
        playing = run_all(
            [task],
            workers=workers,
            width=experiment.width,
            nets=path.parent,
            done=[done],
        )
        for _, finished in stack.enter_context(contextlib.closing(playing)):
            kept.add(finished.record)
            done.add(finished.record.index)
            if on_game is not None:
                on_game(finished.record, task.games)
    return len(done)


def fit(
    experiment: Experiment,
    store: str | Path,
    out: str | Path,
    *,
    net: str | Path | None = None,
    tell: "Tell | None" = None,
) -> "Fit":
    """Fits a net to the games of a store, writes it, and tells what that came to.

    It begins with the weights of `net`, if one is given, and else with random ones.
    """
    from rulezero.nets import checkpoint  # torch takes longer than all the rest
    from rulezero.nets.tower import create
    from rulezero.train.learner import Learner

    game = load(experiment.game)
    if beside(Path(out), ".json").exists():
        raise RunError(f"there is a net '{out}' already: choose another name")
    window = Window(experiment.window)
    if not Path(store).is_dir():
        raise RunError(f"there is no store '{store}'")
    records = Store(store).select(game=game.text)
    targets = experiment.targets
    take(window, records, game, lambda r, c, played: of_play(r, c, played, targets), 0)
    if not len(window.positions(held_out=False)):
        raise RunError(f"'{store}' has no games of {game.text} to learn from")
    if net is None:
        tower = create(game, experiment.net, keyed(experiment.seed, "net", 0) % 2**63)
    else:
        tower = checkpoint.load(resolve(net), game)
    learner = Learner(tower, game, experiment.fit)
    batches = Batches(
        window,
        game,
        search_share=experiment.targets.search_share,
        mirrors=experiment.fit.mirror,
    )
    dice = np.random.default_rng(keyed(experiment.seed, "fit", 0))
    done = learner.fit(batches, 0, progress=(0.0, 1.0), dice=dice, tell=tell)
    checkpoint.save(out, learner.average, game, {"step": learner.step})
    return done


def _word(settings: PlaySettings, game: Game, seed: int, net: Path) -> str:
    """What tells games apart that other players, rules or seeds would have made other games."""
    how = settings.model_dump_json(exclude={"games"})
    return f"{keyed(game.text, how, seed, read_card(net).weights):016x}"


def _untrained(experiment: Experiment, game: Game, stack: contextlib.ExitStack) -> Path:
    from rulezero.nets.checkpoint import save
    from rulezero.nets.tower import create

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rulezero_"))
    return save(Path(folder) / "untrained", create(game, experiment.net, experiment.seed), game)
