"""Counts the work of an experiment before it begins: every task of the run, and every fit."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

import msgspec

from rulezero._core import Game
from rulezero.games.load import load
from rulezero.learn.window import WindowSettings
from rulezero.play.players import read_player
from rulezero.play.task import Task
from rulezero.training.experiment import Experiment
from rulezero.training.lengths import play_quickly
from rulezero.training.tasks import NAMES, with_untrained

Part = Literal["bootstrap", "self-play", "lessons", "trials", "fits"]
PARTS: tuple[Part, ...] = get_args(Part)

_GAMES = 16  # quick games that are played to measure their length


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks of a run that differ only in their names, seeds, nets and numbers of games."""

    part: Part
    task: Task  # the first of them; its nets are untrained


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks that the workers play at the same time: before or after the fit of an iteration."""

    iteration: int
    games: dict[int, int]  # by the number of their kind
    is_learned: bool  # whether a fit follows

    @property
    def total(self) -> int:
        """All games."""
        return sum(self.games.values())


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run plays."""

    kinds: tuple[Kind, ...]
    phases: tuple[Phase, ...]  # those without games are left out

    def games(self, kind: int) -> int:
        """Games of a kind in the whole run."""
        return sum(phase.games.get(kind, 0) for phase in self.phases)


class GameSize(msgspec.Struct, frozen=True, kw_only=True):
    """The means of a kind of games."""

    plies: float
    choices: float  # plies that a player chose: not dice, not the opening
    positions: float  # that are learned from
    weight: float  # of these positions together


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one part of a run."""

    part: Part
    games: int = 0
    choices: float = 0.0  # in all games
    evaluations: float = 0.0  # positions that nets evaluate
    cpu_games: int = 0  # games in which a player or judge has no net, so that the CPU computes it
    samples: float = 0.0  # that are learned from

    @property
    def device(self) -> str:
        """The device that computes it if there is a GPU; players without a net use the CPU."""
        if self.games and not self.evaluations:
            return "CPU"
        return "GPU and CPU" if self.cpu_games else "GPU"


def work_of(experiment: Experiment) -> Work:
    """Every task of a run, in its order. Games of `stores` are not counted."""
    numbers: dict[tuple[Part, Task], int] = {}
    kinds: list[Kind] = []
    phases = []
    for iteration, is_learned, played in _tasks(experiment):
        games: dict[int, int] = {}
        for part, task in played:
            task = with_untrained(task)
            alike = msgspec.structs.replace(task, name="", iteration=None, games=1)
            number = numbers.setdefault((part, alike), len(kinds))
            if number == len(kinds):
                kinds.append(Kind(part=part, task=task))
            test = experiment.gate.expected_games if task.purpose == "gate" else task.games
            games[number] = games.get(number, 0) + min(test, task.games)
        if games:
            phases.append(Phase(iteration=iteration, games=games, is_learned=is_learned))
    return Work(kinds=tuple(kinds), phases=tuple(phases))


def _tasks(experiment: Experiment) -> Iterator[tuple[int, bool, list[tuple[Part, Task]]]]:
    nets, regime = dict.fromkeys(NAMES, "untrained"), experiment.regime
    for iteration in range(experiment.iterations + 1):
        part: Part = "self-play" if iteration else "bootstrap"
        played = [(part, task) for task in regime.games(experiment, iteration, nets)]
        if experiment.curriculum is not None:
            played.append(("lessons", experiment.curriculum.task(experiment, iteration, nets)))
        yield iteration, True, played
        trials = regime.trials(experiment, iteration, nets)
        yield iteration, False, [("trials", task) for task in trials]


def count(experiment: Experiment, work: Work, sizes: Sequence[GameSize]) -> tuple[Count, ...]:
    """The work of each part of the run, if the games of each kind have these sizes."""
    found = {part: Count(part=part) for part in PARTS}
    _, moves = typical(experiment.game)
    for number, (kind, size) in enumerate(zip(work.kinds, sizes, strict=True)):
        games, before = work.games(number), found[kind.part]
        asked = [
            _asked(text, moves) for text in (kind.task.a, kind.task.b, kind.task.judge) if text
        ]
        if not experiment.regime.has_tower:  # the core computes perceptrons
            asked = [0.0] * len(asked)
        evaluations = sum(asked[:2]) / 2 + sum(asked[2:])  # of a choice
        found[kind.part] = Count(
            part=kind.part,
            games=before.games + games,
            choices=before.choices + games * size.choices,
            evaluations=before.evaluations + games * size.choices * evaluations,
            cpu_games=before.cpu_games + games * (0.0 in asked),
        )
    found["fits"] = Count(part="fits", samples=sum(samples_of(experiment, work, sizes).values()))
    return tuple(each for each in found.values() if each.games or each.samples)


def typical_sizes(experiment: Experiment, work: Work) -> list[GameSize]:
    """Sizes by the typical length of the game; none of the experiment's own games are played."""
    choices, _ = typical(experiment.game)
    size = GameSize(plies=choices, choices=choices, positions=choices, weight=choices)
    return [size] * len(work.kinds)


def _asked(text: str, moves: float) -> float:
    """Evaluations per choice among `moves` legal moves; each simulation is one."""
    player = read_player(text)
    if player.net is None:
        return 0.0
    return player.mean_sims or (moves if player.spec.name == "oneply" else 1.0)


@cache
def typical(text: str) -> tuple[float, float]:
    """Choices per game and legal moves per choice, from the game's facts or from quick games."""
    game: Game = load(text)
    if game.facts.typical_plies and text == game.facts.name:  # options may change the length
        return game.facts.typical_plies, game.facts.typical_moves
    return play_quickly(game, _GAMES)


class _Held(NamedTuple):
    """Games of a task in the window."""

    generation: int
    plies: float
    positions: float
    weight: float
    is_kept: bool  # at any age


def samples_of(
    experiment: Experiment, work: Work, sizes: Sequence[GameSize]
) -> Mapping[int, float]:
    """The samples of every fit, by its iteration."""
    fit, settings = experiment.fit, experiment.window
    trained = 1 - settings.held_out - settings.validation
    window: list[_Held] = []
    seen, found = 0.0, {}
    for phase in (phase for phase in work.phases if phase.is_learned):
        fresh = [
            _held(settings, work.kinds[number].task, phase.iteration, games, sizes[number])
            for number, games in phase.games.items()
        ]
        seen += sum(each.plies for each in fresh)
        window = _trimmed([*window, *fresh], settings, seen)
        since = experiment.regime.learns_since(phase.iteration)
        known = [each for each in window if each.generation >= since]
        new = [each for each in known if each.generation == phase.iteration]
        positions = trained * sum(each.positions for each in new)
        if not sum(each.positions for each in known):
            continue
        if fit.samples is not None or fit.samples_per_ply is not None:
            wanted = fit.samples or (fit.samples_per_ply or 0) * positions
            samples = fit.batch * max(1.0, wanted / fit.batch)
        elif settings.mix is not None and len(new) < len(known):
            news = max(1, round(fit.batch * (1 - settings.mix)))
            weight = trained * sum(each.weight for each in new)
            samples = _epochs(experiment) * weight * fit.batch / news
        else:
            samples = _epochs(experiment) * trained * sum(each.weight for each in known)
        found[phase.iteration] = samples
    return found


def _epochs(experiment: Experiment) -> float:
    """Epochs of a fit; with patience, halfway between the fewest and the most."""
    fit, window = experiment.fit, experiment.window
    if fit.patience is None or not window.held_out + window.validation:
        return fit.epochs
    return (min(fit.patience + 1, fit.epochs) + fit.epochs) / 2


def _held(
    settings: WindowSettings, task: Task, generation: int, games: int, size: GameSize
) -> _Held:
    times = settings.always.get(task.source, settings.always.get(task.purpose))
    return _Held(
        generation=generation,
        plies=games * size.plies,
        positions=games * size.positions,
        weight=games * size.weight * (1.0 if times is None else times),
        is_kept=times is not None,
    )


def _trimmed(games: list[_Held], settings: WindowSettings, seen: float) -> list[_Held]:
    """The games that stay in the window after this many plies were added: see learn.window."""
    newest, room = games[-1].generation, float(settings.plies)
    if settings.kind == "growing":
        room = max(room, room * (seen / room) ** settings.growth)
    kept = []
    for each in reversed(games):
        share = 1.0
        if not each.is_kept:
            if settings.kind == "generations":
                share = float(each.generation > newest - settings.generations)
            else:
                share = min(1.0, max(0.0, room) / max(each.plies, 1e-9))
                room -= each.plies
        if share == 1:
            kept.append(each)
        elif share > 0:
            sizes = {name: share * getattr(each, name) for name in ("plies", "positions", "weight")}
            kept.append(each._replace(**sizes))
    return kept[::-1]
