"""What a net has learned, compared with an untrained net, on games of its run."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero import config
from rulezero._core import Game
from rulezero.data.columns import Floats
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.errors import RunError
from rulezero.fleet.local import run as play
from rulezero.learn.batch import Batch, Batches
from rulezero.learn.measures import Answers, Figures, measure
from rulezero.learn.targets import Targets, TargetSettings, of_play
from rulezero.learn.window import Part, Window, WindowSettings, take
from rulezero.nets.card import ONE_FILE, Card, beside, game_of, read_card, resolve
from rulezero.nets.config import ModuleConfig
from rulezero.play.evaluators import Evaluator, chances
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.players import read_player
from rulezero.play.task import Task
from rulezero.reports.openings import Opening, openings, repeated
from rulezero.reports.sample import newest_games
from rulezero.training.games import training_of
from rulezero.training.games.exchange import ShapedTargetSettings
from rulezero.training.run import Run
from rulezero.training.warnings import constant_outputs

_BINS = 10
_MOST_POSITIONS = 4096
_ROWS = 256  # positions that are evaluated at a time
_PLAYER = "puct:sims=32,noise=0.25,temperature=1"  # plays the games of a net without a run


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Positions with about the same predicted value."""

    low: float
    high: float
    positions: int
    predicted: float  # mean of the net's values, the mover's
    outcome: float  # mean result of the games, the mover's; shaped if the net learns shaped results


class Judgement(Figures, frozen=True, kw_only=True):
    """A net's figures over the positions of a diagnosis, by the games' policies and results."""

    net: str
    value_spread: float  # standard deviation of values
    policy_spread: float  # mean distance of policies from their mean, in [0, 1]
    constant: str  # which answers are the same for all positions: values, policies, both or ""
    calibration_error: float  # mean distance between predicted and outcome, over bins
    bins: tuple[Bin, ...]  # those that have positions, from losses to wins


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a net on some games."""

    game: str
    source: str  # where the games come from, in words
    games: int
    positions: int  # that were evaluated
    has_draws: bool  # whether the net predicts draws
    net: Judgement
    untrained: Judgement | None  # none: there is no such net, and none can be made
    best_constant: Figures  # of the best constant answer, which ignores the position
    openings: tuple[Opening, ...]
    repeated: float  # share of games with exactly the choices of an earlier game


def diagnose(run_or_net: str | Path, games: int | None = None) -> Diagnosis:
    """Measures a net on games: a run's newest self-play, or games of a net against itself.

    The net of a run is its best; RUN@latest and RUN@12 name others. `games` is the number of
    games: the newest N of a run (default: 100), or N new ones for a bare net (default: 20).
    """
    path = resolve(run_or_net)
    if path.suffix in ONE_FILE:
        raise RunError(
            f"'{path}' has no policy to diagnose: use `rulezero rate` or"
            " `rulezero report` with its run"
        )
    card = read_card(path)
    run = _run_of(run_or_net)
    game = game_of(path, card, None if run is None else run.game(run.manifest()["game"]))
    evaluator = OnnxEvaluator(path)
    records = [] if run is None else newest_games(run, games or 100)
    if records:
        source = f"{records[0].purpose} {_say_iterations(records)}"
    else:
        records = _play(evaluator, game, games or 20)
        source = f"of the net against itself, as {_PLAYER}"
    rewards = None if run is None else config.read(run.config()).targets.rewards
    if rewards is not None:
        source += ", with shaped results as the net learns them"
    batch = positions_of(records, game, ShapedTargetSettings(rewards=rewards))
    untrained = _untrained(path, card, game)
    has_draws = card.config.has_draws
    answers = answers_of(evaluator, batch, has_draws=has_draws)
    return Diagnosis(
        game=game.text,
        source=source,
        games=len(records),
        positions=len(batch.value),
        has_draws=has_draws,
        net=judge(path.name, answers, batch),
        untrained=(
            None
            if untrained is None
            else judge("untrained", answers_of(untrained, batch, has_draws=has_draws), batch)
        ),
        best_constant=measure(answers, batch).constant,
        openings=openings(records, game),
        repeated=repeated(records),
    )


def positions_of(
    records: Sequence[Record], game: Game, targets: TargetSettings | None = None
) -> Batch:
    """The positions in which a player chose: all, or 4,096 evenly spaced ones of more."""
    window = Window(WindowSettings(plies=1 << 40, held_out=0))
    targets = targets or TargetSettings()
    shape = training_of(game).shape

    def learned(record: Record, columns: Columns, replay: Replay, _: Columns | None) -> Targets:
        return of_play(record, columns, replay, targets, None, shape(record, replay, targets))

    take(window, records, game, learned, 0)
    positions = window.positions(Part.TRAINING)
    if not len(positions):
        raise RunError("these games have no positions to measure: no player chose a move in them")
    places = np.linspace(0, len(positions) - 1, min(len(positions), _MOST_POSITIONS))
    batches = Batches(window, game, settings=targets, mirrors=False)
    return batches.make(positions[places.astype(np.int64)])


def answers_of(evaluator: Evaluator, batch: Batch, *, has_draws: bool) -> Answers:
    """An evaluator's answers about positions, as probabilities."""
    shares, wdl = [], []
    for at in range(0, len(batch.planes), _ROWS):
        policy, value, draw = evaluator.evaluate(batch.planes[at : at + _ROWS])
        powers = np.exp(policy - policy.max(1, keepdims=True))
        shares.append(powers / powers.sum(1, keepdims=True))
        wdl.append(chances(value, draw))
    return Answers(shares=np.concatenate(shares), wdl=np.concatenate(wdl), has_draws=has_draws)


def judge(name: str, answers: Answers, batch: Batch) -> Judgement:
    """The figures of a net's answers."""
    measured = measure(answers, batch)
    bins = calibration(answers.wdl[:, 0] - answers.wdl[:, 2], batch.value)
    return Judgement(
        **msgspec.structs.asdict(measured.net),
        net=name,
        value_spread=measured.value_spread,
        policy_spread=measured.policy_spread,
        constant=constant_outputs(measured),
        calibration_error=sum(abs(each.predicted - each.outcome) * each.positions for each in bins)
        / max(sum(each.positions for each in bins), 1),
        bins=bins,
    )


def calibration(predicted: Floats, outcome: Floats, count: int = _BINS) -> tuple[Bin, ...]:
    """Positions in bins of equal width by predicted value, in [-1, 1], without empty bins."""
    edges = np.linspace(-1, 1, count + 1)
    places: npt.NDArray[np.intp] = np.clip(np.digitize(predicted, edges) - 1, 0, count - 1)
    return tuple(
        Bin(
            low=float(edges[place]),
            high=float(edges[place + 1]),
            positions=int((places == place).sum()),
            predicted=float(predicted[places == place].mean()),
            outcome=float(outcome[places == place].mean()),
        )
        for place in range(count)
        if (places == place).any()
    )


def _run_of(text: str | Path) -> Run | None:
    """The run that a text names, with or without @NET after it; None: it names a net."""
    for path in (str(text), str(text).rpartition("@")[0]):
        if path and Path(path).is_dir():
            run = Run(Path(path))
            run.config()  # raises if the folder is not a run, or is damaged
            return run
    return None


def _say_iterations(records: Sequence[Record]) -> str:
    known = sorted({at for record in records if (at := record.iteration) is not None})
    if not known:
        return "given to the run"
    first, last = known[0], known[-1]
    return f"of iteration {last}" if first == last else f"of iterations {first} to {last}"


def _play(evaluator: Evaluator, game: Game, games: int) -> list[Record]:
    player = read_player(_PLAYER, evaluator=evaluator)
    task = Task(game=game.text, a=player.text, b=player.text, games=games, name="diagnosis")
    return [finished.record for finished in play(task, players=(player, player))]


def _untrained(net: Path, card: Card, game: Game) -> Evaluator | None:
    """A net of the same shape before any training: the run's own, or a new one."""
    sibling = net.with_name("untrained")
    if beside(sibling, ".json").is_file():
        other = read_card(sibling)
        if (other.config, other.planes, other.slots) == (card.config, card.planes, card.slots):
            return OnnxEvaluator(sibling)
    if isinstance(card.config, ModuleConfig):  # which only the user's code can make
        return None
    try:
        from rulezero.nets.checkpoint import save  # needs torch; everything else here does not
        from rulezero.nets.tower import create
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        return OnnxEvaluator(save(Path(folder) / "untrained", create(game, card.config, 0), game))
