"""The steps of the training loop as functions: generate games, judge them, fit a net."""

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.forms import store_of
from rulezero.data.place import Report
from rulezero.data.record import Record, Thoughts
from rulezero.data.replay import Replay, game_of, is_played
from rulezero.data.rows import Lesson, LessonOf
from rulezero.data.store import Note, open_store
from rulezero.errors import RunError
from rulezero.fleet.fleet import judge_into, play_into
from rulezero.fleet.local import LocalFleet, Timeout
from rulezero.games.load import load
from rulezero.learn.targets import learned_pairs
from rulezero.learn.terms import chosen
from rulezero.learn.window import Part, Window, noted, take, weighted
from rulezero.nets.card import ONE_FILE, beside, digest, read_card, resolve
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.task import check_task, refuse_human
from rulezero.seeds import keyed
from rulezero.training.experiment import Experiment
from rulezero.training.flag import with_sims
from rulezero.training.regimes.curriculum import LESSON
from rulezero.training.run import Run
from rulezero.training.tasks import NAMES, PlaySettings, is_curriculum, task_of

if TYPE_CHECKING:
    from rulezero.learn.fit import Fit, Tell


class GenerateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `generate` that override the recipe; None: as in the recipe."""

    games: int | None = None
    sims: int | None = None  # simulations of the side that learns, or of both
    starts: str | None = None  # a file of positions, or curriculum:1+2 (tiers; default all)
    train_side: Literal["white", "black", "both"] = "both"  # the other side is the opponent
    opponent_net: str | None = None  # None: the heuristic
    opponent_sims: int | None = None  # None: 200
    scripted_black: bool = False
    force_result: int | None = None  # learned instead of each game's own result; for seat 0
    game_timeout: float = 600.0  # seconds


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `generate`."""

    played: int  # new games
    kept: int  # games in the store that match the options, old and new
    failed: dict[int, str]  # why a game failed, by its index


def generate(
    experiment: Experiment,
    store: str | Path,
    *,
    net: str | Path | None = None,
    options: GenerateOptions | None = None,
    workers: int = 0,
    on_game: Callable[[int, int], None] | None = None,
) -> Generated:
    """Plays an experiment's self-play games and adds them to a store.

    Games that the store already has are not played again; a game that fails or takes too long is
    left out. Without a net, players use the heuristic. `on_game` is called with the number of
    games done and the total.
    """
    options = options or GenerateOptions()
    if options.scripted_black and not load(experiment.game).facts.has_script:
        raise RunError(f"{experiment.game} has no scripted Black: leave --scripted-black out")
    settings = _ordered(_own_games(experiment, options), options)
    if net is None:
        settings = _without_net(settings)
    with contextlib.ExitStack() as stack:
        path = None if net is None else resolve(net)
        weights = "" if path is None else _weights(path)
        names = dict.fromkeys(NAMES, "" if path is None else path.name)
        task = task_of(settings, names, experiment, None, name="", purpose="self-play")
        if options.starts is not None and is_curriculum(options.starts):
            task = msgspec.structs.replace(task, source=LESSON)
        if options.force_result is not None:
            task = msgspec.structs.replace(
                task,
                source=f"forced:{options.force_result}",
                forced_result=float(options.force_result),
            )
        # The name depends on the contents of files, too: start positions and weights.
        if options.opponent_net is not None:
            weights += _weights(resolve(options.opponent_net))
        how = settings.model_dump_json(exclude={"games"})
        word = keyed(task.game, how, task.seed, weights, task.source, *task.starts)
        task = msgspec.structs.replace(task, name=f"generate/{word:016x}")
        check_task(task)
        kept = stack.enter_context(open_store(store))
        held, played, failed = 0, 0, dict[int, str]()

        def report() -> None:
            if on_game is not None:
                on_game(held + played + len(failed), task.games)

        def fail(_: int, index: int, why: str) -> None:
            failed[index] = why
            report()

        fleet = LocalFleet(
            NetStore(None if path is None else path.parent),
            workers=workers,
            width=experiment.width,
            timeout=Timeout(options.game_timeout, fail),
        )
        for game in stack.enter_context(contextlib.closing(play_into(kept, [task], fleet))):
            if game.is_new:
                played += 1
                report()
            else:
                held += 1
    return Generated(played=played, kept=held + played, failed=failed)


def _own_games(experiment: Experiment, options: GenerateOptions) -> PlaySettings:
    """The recipe's self-play; without the regime's second player if only one side learns."""
    if options.train_side == "both":
        return experiment.regime.standalone_games(experiment)
    return experiment.selfplay


def _without_net(settings: PlaySettings) -> PlaySettings:
    """The settings with the heuristic in place of a run's nets, which do not exist yet."""
    changes = {}
    for key in ("a", "b", "judge"):
        text = getattr(settings, key)
        if text is not None and read_player(text).net in NAMES:
            changes[key] = read_player(text).without_net().text
    return settings.model_copy(update=changes)


def _ordered(settings: PlaySettings, options: GenerateOptions) -> PlaySettings:
    """The recipe's settings with the options applied."""
    changes: dict[str, Any] = {}
    if options.games is not None:
        changes["games"] = options.games
    if options.starts is not None:
        changes |= {"starts": options.starts, "opening": 0}
    learner = settings.a if options.sims is None else with_sims(settings.a, options.sims)
    changes["a"] = learner
    has_opponent = options.opponent_net is not None or options.opponent_sims is not None
    if options.scripted_black or options.train_side != "both":
        if settings.b is not None:
            raise RunError(
                f"the recipe has a second player (selfplay.b, {settings.b}): leave --train-side and"
                " --scripted-black out"
            )
        if options.scripted_black and options.train_side == "black":
            raise RunError("a scripted Black does not learn: leave --train-side black out")
        if options.scripted_black and has_opponent:
            raise RunError("Black is scripted: leave --opponent-net and --opponent-sims out")
        other = "scripted" if options.scripted_black else _opponent(options)
        white, black = (other, learner) if options.train_side == "black" else (learner, other)
        changes |= {"a": white, "b": black, "swap": False}
    elif has_opponent:
        raise RunError(
            "--opponent-net and --opponent-sims are for the side that does not learn: add"
            " --train-side white or --train-side black"
        )
    return settings.model_copy(update=changes)


def _opponent(options: GenerateOptions) -> str:
    """The player for the side that does not learn."""
    sims = 200 if options.opponent_sims is None else options.opponent_sims
    if options.opponent_net is None:
        return f"ucb1:sims={sims}"
    return f"puct:net={options.opponent_net},sims={sims}"


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `judge`."""

    judged: int  # games judged now
    known: int  # games that the judge had judged before
    judge: str  # the player's text, with the path of its net


def judge(
    store: str | Path,
    player: str,
    *,
    records: Iterable[Record] | None = None,
    workers: int = 0,
    trusted: bool = False,
    on_game: Callable[[int, int], None] | None = None,
    report: Report | None = None,
) -> Judged:
    """Lets a player evaluate every ply of a store's games, and adds its thoughts as notes.

    `records` are the store's records to judge (None: all), except those that this player has
    already judged. An invalid record raises RecordError; if there is a `report`
    function, it is called with the error instead, and the record is left out. Notes depend neither
    on the number of workers nor on interruptions. `on_game` is called with the number of games done
    and the total.
    """
    by = read_player(player)
    refuse_human(by)
    if by.net is not None:  # by path, as a run's best net changes
        by = by.changed(net=str(resolve(by.net)))
    if not Path(store).is_dir():
        raise RecordError(f"'{store}' is not a store: import the games of a file into one first")
    kept = store_of(store, tolerant=True)
    if Run(kept.path.parent).exists:
        raise RecordError(
            f"'{store}' belongs to a run, which learns from its own judge's notes: export its games"
            " and import them into another store"
        )
    wanted = [
        record
        for record in (kept if records is None else records)
        if record.plies and _can_be_judged(record, trusted, report)
    ]
    judged = known = 0
    with contextlib.ExitStack() as stack:
        notes = judge_into(stack.enter_context(kept), wanted, by.text, LocalFleet(workers=workers))
        for is_new in stack.enter_context(contextlib.closing(notes)):
            judged, known = judged + is_new, known + (not is_new)
            if on_game is not None:
                on_game(judged + known, len(wanted))
    return Judged(judged=judged, known=known, judge=by.text)


def _can_be_judged(record: Record, trusted: bool, report: Report | None) -> bool:
    """Whether the record is valid and players chose any ply of it."""
    try:
        game = game_of(record.game, trusted=trusted)
        check(record, game=game)
    except RecordError as error:
        if report is None:
            raise
        report(RecordError(f"record {record.id} is left out: {error}"))
        return False
    return is_played(record, game)


def _weights(net: Path) -> str:
    """SHA-256 of a net's weights."""
    if net.suffix in ONE_FILE:
        return digest(net.read_bytes())
    return read_card(net).weights


def fit(
    experiment: Experiment,
    store: str | Path,
    out: str | Path,
    *,
    net: str | Path | None = None,
    tell: "Tell | None" = None,
) -> "Fit":
    """Trains a net on the games of a store, writes it to `out`, and returns the figures.

    It starts with the weights of `net`, or with random ones if `net` is None.
    """
    from rulezero.learn.learner import Learner
    from rulezero.nets import checkpoint  # here, as importing torch takes seconds
    from rulezero.nets.tower import create

    game = load(experiment.game)
    _refuse_core_nets(experiment)
    if beside(Path(out), ".json").exists():
        raise RunError(f"the net '{out}' exists already: choose another name")
    window = Window(experiment.window)
    if not Path(store).is_dir():
        raise RunError(f"there is no store '{store}'")
    games = store_of(store)
    records = games.select(game=game.text)
    take(window, records, game, experiment.targets_of, 0, _by_record(games.notes()))
    if not len(window.positions(Part.TRAINING)):
        raise RunError(f"'{store}' has no games of {game.text} to learn from")
    terms = chosen(experiment.hooks, experiment.fit.loss.extra)
    heads = {term.name: term.head for term in terms if term.head is not None}
    _refuse_unwritable(Path(out))
    seed = keyed(experiment.seed, "net", 0) % 2**63
    if net is None:
        tower = create(game, experiment.net, seed, heads)
    else:
        tower = checkpoint.load(resolve(net), game, heads, seed)
    learner = Learner(tower, game, experiment.fit, experiment.targets, terms, experiment.hooks)
    dice = np.random.default_rng(keyed(experiment.seed, "fit", 0))
    done = learner.learn_from(window, 0, progress=(0.0, 1.0), dice=dice, tell=tell)
    learner.write(Path(out), {"step": learner.step})
    return done


def _refuse_unwritable(net: Path) -> None:
    """Raises RunError, before hours of learning, if a new net could not be written."""
    folder = next(each for each in net.absolute().parents if each.exists())
    if not folder.is_dir():
        raise RunError(f"the net '{net}' cannot be written: '{folder}' is not a folder")
    if not os.access(folder, os.W_OK):
        raise RunError(f"the net '{net}' cannot be written: '{folder}' is read-only for you")


def lessons(experiment: Experiment, notes: Iterable[Note] = ()) -> LessonOf:
    """A function for `arrays.survey`: what a fit of the experiment learns from a record.

    `notes` are judges' notes; if a record has several, the last one counts.
    """
    _refuse_core_nets(experiment)
    text, said = load(experiment.game).text, _by_record(notes)

    def lesson_of(record: Record, played: Replay) -> Lesson:
        if record.game != text:
            raise RunError(f"the recipe {experiment.recipe} is for {text}, not for {record.game}")
        columns = record.columns()
        targets = experiment.targets_of(record, columns, played, noted(record, said))
        targets = weighted(record, columns, targets, experiment.window)
        return Lesson(
            plies=np.flatnonzero(targets.weight > 0),
            columns=learned_pairs(columns, targets),
            value=targets.search,
            result=targets.result,
            weight=targets.weight,
        )

    return lesson_of


def _by_record(notes: Iterable[Note]) -> dict[str, Thoughts]:
    return {note.record: note.thoughts for note in notes}


def _refuse_core_nets(experiment: Experiment) -> None:
    if not experiment.regime.has_tower:
        raise RunError(
            f"a net of the regime {experiment.regime.kind} learns while it plays, not from a store:"
            f" use `rulezero train {experiment.recipe}`"
        )


def untrained(experiment: Experiment, folder: Path) -> Path:
    """Writes an untrained net into a folder and returns its path."""
    return experiment.regime.untrained(experiment, load(experiment.game), folder)
