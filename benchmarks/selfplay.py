"""Compares self-play of a net, in its steady state, with the net alone: the cost of the search."""

import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rulezero as rz
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import create
from rulezero.play.evaluators import Evaluation, Evaluator
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.session import Session
from timing import Figure, Side, Slice, interleave, ratios, spend, spread

SIMS = 800
WIDTH = 64
NET = NetConfig(blocks=4, channels=64)

_GROUPS = 8  # games begin in groups, so that they do not all move at once
_OPENINGS = (20, 40)  # number of random plies before a game: at least the first, below the second
_KEPT = 8  # batches that are kept to measure the evaluator alone

WANTED: dict[tuple[str, str], float] = {
    ("chess", "fp32"): 0.95,
    ("chess", "int8"): 0.90,
    ("monster", "fp32"): 0.95,
    ("monster", "int8"): 0.90,
    ("exchange", "int8"): 0.85,
}


class UniformEvaluator:
    """An evaluator that gives every slot the same logit, and every position value 0 and no draw."""

    identity = "uniform"

    def __init__(self, slots: int) -> None:
        self._slots = slots

    def evaluate(self, planes: Floats) -> Evaluation:
        """Returns zeros."""
        policy = np.zeros((len(planes), self._slots), np.float32)
        return Evaluation(policy, policy[:, 0].copy(), policy[:, 0].copy())


def make_net(folder: Path, name: str) -> Path:
    """Writes an untrained 4x64 net for a game, with the game's default policy head."""
    game = rz.load(name)
    return save(folder / name, create(game, NET), game)


class Gauge:
    """An evaluator that counts the rows that its inner evaluator serves, and their time.

    The inner evaluator can be replaced at any time.
    """

    identity = "gauge"

    def __init__(self, inner: Evaluator) -> None:
        self.inner = inner
        self.rows = 0
        self.batches = 0
        self.seconds = 0.0  # CPU time in the inner evaluator
        self.kept: list[Floats] = []  # the last full batches, if `keeps` is set
        self.keeps = False

    def evaluate(self, planes: Floats) -> Evaluation:
        """The answer of the inner evaluator."""
        self.rows += len(planes)
        self.batches += 1
        if self.keeps and len(planes) == WIDTH:
            self.kept = [*self.kept[1 - _KEPT :], planes.copy()]
        begin = time.process_time()
        answer = self.inner.evaluate(planes)
        self.seconds += time.process_time() - begin
        return answer


class SelfPlay:
    """Games of an evaluator against itself, in the middle of the games and of their searches.

    `run` counts the rows that the evaluator has served, so it leaves out simulations that end in a
    known result. `simulate` counts all simulations.
    """

    def __init__(
        self, game: rz.Game, evaluator: Evaluator, *, warm_up: int = 6400, cache: int = 0
    ) -> None:
        self.game = game
        self.gauge = Gauge(UniformEvaluator(game.facts.slots))
        seat = rz.player(f"puct:sims={SIMS},noise=0.25,temperature=1", evaluator=self.gauge)
        self.session = Session(game, [seat], seed=1, width=WIDTH, cache=cache)
        self.outside: list[float] = []  # share of each slice's time outside the evaluator
        self._dice = random.Random(0)
        self._added = 0
        for group in range(_GROUPS):
            for _ in range(group * WIDTH // _GROUPS, (group + 1) * WIDTH // _GROUPS):
                self._add()
            for _ in range(SIMS // _GROUPS):
                self.step()
        self.gauge.inner = evaluator
        self.gauge.keeps = True
        begin = self.gauge.rows
        while self.gauge.rows < begin + warm_up:
            self.step()
        self.gauge.keeps = False

    def step(self) -> int:
        """Plays on by one batch, with a new game for each that ends; returns the rows served."""
        before = self.gauge.rows
        for _ in self.session.step():
            self._add()
        return self.gauge.rows - before

    def run(self, seconds: float) -> Slice:
        """Plays for about this many seconds; returns the rows served."""
        before = self.gauge.seconds
        done = spend(self.step, seconds)
        self.outside.append(1 - (self.gauge.seconds - before) / done.seconds)
        return done

    def simulate(self, seconds: float) -> Slice:
        """Plays for about this many seconds; returns the simulations."""
        before = self.session.pool.simulations
        spent = spend(self.step, seconds).seconds
        return Slice(self.session.pool.simulations - before, spent)

    def _add(self) -> None:
        self.session.add(self._added, middle_game(self.game, self._dice))
        self._added += 1


def middle_game(game: rz.Game, dice: random.Random) -> rz.State:
    """A state after some random plies in which a player has to choose."""
    while True:
        state = game.start(seed=dice.getrandbits(32))
        for _ in range(dice.randrange(*_OPENINGS)):
            if state.is_over:
                break
            state = state.apply(dice.choices(state.legal, state.chances or None)[0])
        if not state.is_over and state.mover != rz.CHANCE:
            return state


def evaluator_alone(evaluator: Evaluator, batches: list[Floats]) -> Side:
    """A side that measures the evaluator alone, on planes from self-play."""
    turns = _endless(batches)

    def work() -> int:
        return len(evaluator.evaluate(next(turns)).value)

    return lambda seconds: spend(work, seconds)


def _endless(batches: list[Floats]) -> Iterator[Floats]:
    while True:
        yield from batches


def measure(folder: Path, rounds: int, seconds: float, warm_up: int) -> Iterator[Figure]:
    """Rows per second of self-play, divided by those of the evaluator alone."""
    for name in dict.fromkeys(name for name, _ in WANTED):
        net = make_net(folder, name)
        game = rz.load(name)
        for precision in (precision for known, precision in WANTED if known == name):
            evaluator = OnnxEvaluator(net, precision)
            play = SelfPlay(game, evaluator, warm_up=warm_up)
            alone = evaluator_alone(evaluator, play.gauge.kept)
            rates = interleave({"self-play": play.run, "alone": alone}, rounds, seconds)
            outside = spread(play.outside)
            yield Figure(
                part="selfplay",
                what=f"{name} self-play / evaluator alone, {precision}",
                number=ratios(rates["self-play"], rates["alone"]),
                wanted=WANTED[name, precision],
                note=(
                    f"{statistics.median(rates['self-play']):,.0f} of"
                    f" {statistics.median(rates['alone']):,.0f} a second;"
                    f" {outside.median:.1%} of the time outside the evaluator"
                ),
            )
