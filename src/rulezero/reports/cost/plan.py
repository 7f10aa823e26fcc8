"""What an experiment costs on rented GPUs: evaluations counted, then multiplied by prices.

hours = (evaluations + learning x samples) x (wait + multiply-adds / (share x the GPU's speed))
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.learn.window import WindowSettings
from rulezero.machine import cores
from rulezero.nets.card import PERCEPTRON
from rulezero.nets.config import NetConfig
from rulezero.play.players import read_player
from rulezero.play.task import Task
from rulezero.reports.cost.offers import Level, Offer, Prices, Range
from rulezero.train.experiment import Experiment
from rulezero.train.lengths import play_quickly
from rulezero.train.tasks import NAMES

if TYPE_CHECKING:
    from rulezero.nets.size import Size

_HOUR = 3600  # seconds
_GAMES = 16  # quick ones, for their length


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What an experiment asks of a GPU. Bootstraps without a net and trials are not counted."""

    preset: str
    parameters: int  # of the net
    multiply_adds: int  # of an evaluation
    games: int  # in which a net plays
    choices_per_game: float
    evaluations: float  # in all games
    samples: float  # in all fits


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """An offer, and what the work comes to there."""

    gpu: str
    provider: str
    price: Range  # dollars an hour, spot taken off
    hours: float
    dollars: Range


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """The same work on this machine, measured."""

    workers: int
    evaluations_per_second: float  # of all workers
    samples_per_second: float
    hours: float


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A preset's work and every offer for it, the cheapest first."""

    work: Work
    level: Level | None  # what it comes to; none: nobody has said for this game
    quotes: tuple[Quote, ...]
    here: Here | None = None


def plan(
    experiment: Experiment,
    prices: Prices,
    *,
    is_spot: bool = False,
    is_fp16: bool = False,
    speed: float | None = None,
) -> Plan:
    """What to pay for an experiment. `speed` is evaluations a second, on whichever GPU."""
    work, spot = work_of(experiment), prices.spot if is_spot else (0.0, 0.0)
    quotes = [
        _quote(offer, hours_on(offer.gpu, work, prices, is_fp16=is_fp16, speed=speed), spot)
        for offer in prices.offers
    ]
    levels = prices.levels
    is_known = load(experiment.game).facts.name in levels.games
    return Plan(
        work=work,
        level=levels.reached(hours_on(levels.gpu, work, prices)) if is_known else None,
        quotes=tuple(sorted(quotes, key=lambda quote: sum(quote.dollars))),
    )


def hours_on(
    gpu: str, work: Work, prices: Prices, *, is_fp16: bool = False, speed: float | None = None
) -> float:
    """Hours of a GPU that some work takes."""
    kind, known = prices.gpus[gpu], prices.speed
    flops = kind.tflops * 1e12 * known.share * (kind.fp16 if is_fp16 else 1)
    seconds = known.wait * 1e-6 + 2 * work.multiply_adds / flops if speed is None else 1 / speed
    return (work.evaluations + known.learning * work.samples) * seconds / _HOUR


def measure(experiment: Experiment, work: Work, *, workers: int = 0) -> Here:
    """The same on this machine, after some seconds of measuring."""
    from rulezero.train.estimate import estimate

    workers = workers or cores()
    found = estimate(experiment, workers=workers)
    speed = found.positions_per_second * workers
    seconds = work.evaluations / speed + work.samples / found.samples_per_second
    return Here(
        workers=workers,
        evaluations_per_second=speed,
        samples_per_second=found.samples_per_second,
        hours=seconds / _HOUR,
    )


def work_of(experiment: Experiment) -> Work:
    """What an experiment asks of a GPU. RunError where no net plays at all."""
    game = load(experiment.game)
    if not experiment.regime.has_tower:
        raise RunError(
            "a perceptron plays and learns on a processor, so there is nothing to rent a GPU for:"
            f" `rulezero train {experiment.recipe} --dry-run` tells the hours"
        )
    choices, moves = _lengths(game.text)
    played = [
        (times * task.games, (_asked(task.a, moves) + _asked(task.b, moves)) / 2)
        for times, task in _tasks(experiment)
    ]
    evaluations = choices * sum(games * asked for games, asked in played)
    if not evaluations:
        raise RunError(
            f"no net plays in the preset '{experiment.preset}' of {experiment.recipe}, so there is"
            f" nothing to rent a GPU for: selfplay.a is {experiment.selfplay.a} for"
            f" {experiment.iterations} iterations"
        )
    parameters, multiply_adds = net_size(game.text, experiment.net)
    return Work(
        preset=experiment.preset,
        parameters=parameters,
        multiply_adds=multiply_adds,
        games=sum(games for games, asked in played if asked),
        choices_per_game=choices,
        evaluations=evaluations,
        samples=_samples(experiment, choices * sum(games for games, _ in played)),
    )


def net_size(game: str, net: NetConfig) -> "Size":
    """How large a net is. RunError without torch, which counts it."""
    try:
        from rulezero.nets.size import size_of
    except ImportError as error:
        raise RunError(
            f"counting a net needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    return size_of(game, net)


def _quote(offer: Offer, hours: float, spot: Range) -> Quote:
    (low, high), (least, most) = offer.price, spot
    price = low * (1 - most), high * (1 - least)
    return Quote(
        gpu=offer.gpu,
        provider=offer.provider,
        price=price,
        hours=hours,
        dollars=(price[0] * hours, price[1] * hours),
    )


def _tasks(experiment: Experiment) -> Iterator[tuple[int, Task]]:
    """How often each task of a run is played: later iterations are like the second."""
    nets = dict.fromkeys(NAMES, "untrained")
    count = experiment.iterations
    for iteration, times in enumerate((1, min(count, 1), max(count - 1, 0))):
        if times:
            yield from ((times, task) for task in experiment.games(iteration, nets))


def _asked(text: str, moves: float) -> float:
    """How often a player asks its net for a choice; each simulation does."""
    player = read_player(text)
    if player.net is None or player.net.endswith(PERCEPTRON):
        return 0
    return player.mean_sims or (moves if player.spec.name == "oneply" else 1)


def _samples(experiment: Experiment, plies: float) -> float:
    """Samples of all fits, by the plies of all games; patience may end them earlier."""
    fit, window = experiment.fit, experiment.window
    fits = experiment.iterations + bool(experiment.bootstrap or experiment.curriculum)
    if fit.samples is not None:
        return fit.samples * fits
    if fit.samples_per_ply is not None:
        return fit.samples_per_ply * plies
    if window.mix is not None:
        news = max(1, round(fit.batch * (1 - window.mix)))
        return fit.epochs * plies * fit.batch / news
    return fit.epochs * sum(_held(window, number, plies / fits) for number in range(1, fits + 1))


def _held(window: WindowSettings, fit: int, fresh: float) -> float:
    """Plies in the window of a fit, counted from 1, each with so many new ones."""
    if window.kind == "generations":
        return min(fit, window.generations) * fresh
    size, total = float(window.plies), fit * fresh
    if window.kind == "growing":
        size *= max(1.0, total / size) ** window.growth
    return min(size, total)


@cache
def _lengths(text: str) -> tuple[float, float]:
    """Choices of a game, and legal moves of a choice: as known, or in quick games."""
    game = load(text)
    if game.facts.typical_plies and text == game.facts.name:  # options may change how it goes
        return game.facts.typical_plies, game.facts.typical_moves
    return play_quickly(game, _GAMES)
