"""Measures the speed of this machine: rules, planes, searches, a net."""

import random
import time
from collections.abc import Callable

import msgspec
import numpy as np

from rulezero._core import CHANCE, Game, NetError, State, perft, remake
from rulezero.games.load import AnyGame, load
from rulezero.nets.positions import play_randomly
from rulezero.nets.runtime import Floats
from rulezero.play.binding import evaluator_for
from rulezero.play.evaluators import Evaluation, Evaluator
from rulezero.play.players import Player, read_player
from rulezero.play.session import Session

_LEAST_LEAVES = 20_000  # per perft call: with fewer, the call itself would be measured
_SIMS = 100  # per choice
_WIDTH = 64  # games at a time
_OPENING = 8  # random plies

Work = Callable[[], int]  # does some work and returns the number of units


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """Speeds per second of one process."""

    game: str
    leaves: float  # of perft from the start
    planes: float  # positions replayed and encoded, as for a training batch
    uniform_sims: float  # simulations of PUCT with uniform policies and values of 0
    heuristic_sims: float | None  # with the heuristic; None: the game has none
    net_positions: float | None = None  # evaluated by the net in self-play
    net_sims: float | None = None  # simulations of that self-play, in 64 games


def measure(game: AnyGame, *, net: str | None = None, seconds: float = 0.5) -> Speed:
    """The speeds of a game; each is measured for this many seconds."""
    game = load(game)
    net_sims = net_positions = heuristic_sims = None
    if net is not None:
        counter = _Counter(_evaluator(net, game))
        player = read_player("puct", evaluator=counter, sims=_SIMS)
        net_sims, spent = _simulate(game, player, seconds)
        net_positions = counter.positions / spent
    if game.facts.has_heuristic:
        player = read_player("puct", eval="heuristic", sims=_SIMS)
        heuristic_sims, _ = _simulate(game, player, seconds)
    return Speed(
        game=game.text,
        leaves=rate_of(_counting(game), seconds),
        planes=rate_of(_encoding(game), seconds),
        uniform_sims=_simulate(game, read_player("puct", eval="uniform", sims=_SIMS), seconds)[0],
        heuristic_sims=heuristic_sims,
        net_positions=net_positions,
        net_sims=net_sims,
    )


class _Counter:
    """An evaluator that counts its positions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.identity = evaluator.identity
        self.positions = 0
        self._evaluator = evaluator

    def evaluate(self, planes: Floats) -> Evaluation:
        self.positions += len(planes)
        return self._evaluator.evaluate(planes)


def _evaluator(net: str, game: Game) -> Evaluator:
    found = evaluator_for(read_player("puct", net=net), game).evaluator
    if found is None:
        raise NetError(f"'{net}' is evaluated inside the core: there is no batch to measure")
    return found


def rate_of(work: Work, seconds: float = 0.5) -> float:
    """The units of work per second, measured for this many seconds."""
    work()  # not measured: the first call may do more
    done, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        done += work()
    return done / spent


def _counting(game: Game) -> Work:
    """Counts the leaves of the first depth with at least 20,000 of them (at most 6)."""
    start = game.start()
    depth = 1
    while depth < 6 and perft(start, depth) < _LEAST_LEAVES:
        depth += 1
    return lambda: perft(start, depth)


def _encoding(game: Game) -> Work:
    """Encodes the positions of a random game from its record, as a learner does."""
    states = play_randomly(game, random.Random(0))[:200]
    start, last = states[0].text, states[-1]
    actions = np.array(last.apply(last.legal[0]).actions, np.uint32)
    plies = [len(state.actions) for state in states if state.mover != CHANCE]
    wanted = np.array(plies, np.uint32)
    planes = np.empty((len(plies), *game.facts.planes), np.float32)

    def make() -> int:
        remake(game, [(start, actions)], wanted, planes=planes)
        return len(plies)

    return make


def _simulate(game: Game, player: Player, seconds: float) -> tuple[float, float]:
    """Simulations per second of self-play in many games, and the seconds measured."""
    session = Session(game, [player], seed=0, width=_WIDTH)
    for index in range(_WIDTH):
        session.add(index, _opening(game, index))
    games = _WIDTH
    begin = time.perf_counter()
    while True:
        for _ in session.step():
            session.add(games, _opening(game, games))
            games += 1
        spent = time.perf_counter() - begin
        if spent >= seconds and session.pool.simulations:
            return session.pool.simulations / spent, spent


def _opening(game: Game, index: int) -> State:
    """A start that no other game has, as games with equal ones would share the cache."""
    dice = random.Random(index)
    state = start = game.start(seed=index)
    for _ in range(_OPENING):
        state = state.apply(dice.choice(state.legal))
        if state.is_over:
            return start
    return state
