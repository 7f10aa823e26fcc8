"""Plays several games at the same time: the core's pool and its players' evaluators."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from weakref import WeakValueDictionary

import msgspec
import numpy as np

from rulezero._core import CHANCE, Game, GameError, Played, PlayerError, Pool, State
from rulezero._core import Player as CorePlayer
from rulezero.nets.runtime import Floats
from rulezero.play.answers import checked
from rulezero.play.binding import evaluator_for, tables_of
from rulezero.play.engines.engines import MOST_GAMES, Engines
from rulezero.play.evaluators import Evaluation, Evaluator
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player, are_timed
from rulezero.play.resign import Resign
from rulezero.play.thought import Thought, thought_of
from rulezero.play.tree import tree_of

_warm: WeakValueDictionary[int, Evaluator] = WeakValueDictionary()  # evaluators, by id

_MOST_ROWS = 1024  # positions in a batch
_LEAST_ROWS = 8
_ENGINE_SECONDS = 0.02  # for which a step waits for engines, if there is nothing else to do
_DEEPEST = 1_000_000  # maximum of `tree` (plies) and of `visits`


Stop = Callable[[], bool]
"""Called every few milliseconds of a search; True ends it."""


class Request(NamedTuple):
    """Positions that wait for the outputs of an evaluator."""

    evaluator: Evaluator
    planes: Floats
    slots: int


Compute = Callable[[list[Request]], list[Evaluation]]
"""Returns the outputs for requests, in their order."""


def evaluated(request: Request) -> Evaluation:
    """The evaluator's outputs for a request; NetError if they are wrong."""
    evaluator, planes, slots = request
    return checked(evaluator.evaluate(planes), len(planes), slots, evaluator.identity)


def compute_here(requests: list[Request]) -> list[Evaluation]:
    """Runs the evaluators in this thread, one after another."""
    return list(map(evaluated, requests))


class Session:
    """Plays many games of one kind between some players.

    `width` games are played at a time, but one if a player has a time limit. `cache` positions of
    each net are cached. Neither changes what is played. `nets` finds the players' nets. `compute`
    is called at every step, also without requests.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        *,
        seed: int,
        width: int = 64,
        cache: int = 1 << 16,
        nets: NetStore = PATHS,
        tree: tuple[int, int] = (0, 1),  # plies of trees in thoughts, least visits of their nodes
        compute: Compute = compute_here,
    ) -> None:
        if width < 1 or cache < 0:
            raise GameError(f"a session needs width >= 1 and cache >= 0, not {width} and {cache}")
        is_timed = are_timed(players)
        engines = {
            number: player.engine
            for number, player in enumerate(players)
            if player.engine is not None
        }
        width = 1 if is_timed else min(width, MOST_GAMES) if engines else width
        self._engines = Engines(engines, game) if engines else None
        self._failure = ""  # of an engine
        self.game = game
        self.identities: list[str | None] = []  # of the players' nets or weights
        self.net_seconds = 0.0  # time spent in evaluators so far
        self._compute = compute
        self._evaluators: list[Evaluator] = []
        encoders: list[Game] = []
        numbers: dict[int, int] = {}  # of evaluators, by id: players with the same net share one
        seated = []
        for player in players:
            binding = evaluator_for(player, game, nets)
            net = -1
            if binding.evaluator is not None:
                net = numbers.setdefault(id(binding.evaluator), len(encoders))
                if net == len(encoders):
                    encoders.append(binding.encoder)
                    self._evaluators.append(binding.evaluator)
            encoder = binding.encoder if binding.mlp else None
            options = player.core_options | binding.core_options
            seated.append(
                CorePlayer(
                    player.spec.name,
                    options,
                    net=net,
                    mlp=binding.mlp,
                    nnue_net=binding.nnue,
                    encoder=encoder,
                    tables=tables_of(player, game),
                    weights=binding.weights,
                    tree_depth=tree[0],
                    tree_visits=tree[1],
                )
            )
            self.identities.append(binding.identity)
        leaves = max((int(player.number("leaves")) for player in players), default=1)
        rows = min(_MOST_ROWS, max(_LEAST_ROWS, width * max(leaves, 1)))
        self._slots = [encoder.facts.slots for encoder in encoders]
        self._planes = [np.zeros((rows, *encoder.facts.planes), np.float32) for encoder in encoders]
        if is_timed:
            self._warm_up(players)
        self.pool = Pool(game, seated, encoders, seed, width, cache)

    def _warm_up(self, players: Sequence[Player]) -> None:
        """Evaluates a position with each net: the first evaluation takes longer than all others."""
        own = {id(player.evaluator) for player in players}  # objects of the caller
        for evaluator, planes in zip(self._evaluators, self._planes, strict=True):
            if id(evaluator) not in _warm and id(evaluator) not in own:
                evaluator.evaluate(planes[:1])
                _warm[id(evaluator)] = evaluator

    @property
    def has_nets(self) -> bool:
        """Whether any player has an evaluator outside the core."""
        return bool(self._evaluators)

    def add(
        self,
        index: int,
        start: State,
        players: tuple[int, int] = (0, 0),
        *,
        judge: int = -1,
        script: Sequence[int] = (),
        retrace_from: int | None = None,
        most_plies: int | None = None,
        is_recorded: bool = True,
        resign: Resign | None = None,
    ) -> None:
        """Queues a game; `players` and `judge` are numbers of the session's players.

        The first plies are those of `script`. From ply `retrace_from` on, the players think about
        them as if they had chosen them; the game ends with the reason "die" before a die that
        falls otherwise.
        """
        if start.game.text != self.game.text:
            raise GameError(f"a state of {start.game.text} cannot be played in {self.game.text}")
        self.pool.add(
            index=index,
            start=start,
            players=players,
            judge=judge,
            script=list(script),
            retrace_from=retrace_from,
            most_plies=self.game.facts.max_plies if most_plies is None else most_plies,
            is_recorded=is_recorded,
            resign=0.0 if resign is None else resign.value,
            resign_after=0 if resign is None else resign.choices,
        )

    def step(self) -> list[Played]:
        """Plays until every game needs its net, runs the nets, and returns the finished games."""
        rows = self.pool.collect(self._planes)
        asked = [net for net, count in enumerate(rows) if count > 0]
        begin = time.perf_counter()
        answers = self._compute(
            [
                Request(self._evaluators[net], self._planes[net][: rows[net]], self._slots[net])
                for net in asked
            ]
        )
        if asked:
            self.net_seconds += time.perf_counter() - begin
        for net, outputs in zip(asked, answers, strict=True):
            self.pool.apply(net, *outputs)
        if self._engines is not None:
            self._ask(self._engines)
        finished = self.pool.take_finished()
        if self._engines is not None:
            for played in finished:
                self._engines.leave(played.index)
        return finished

    def _ask(self, engines: Engines) -> None:
        """Asks the engines whose turn it is, and takes their answers."""
        replies = [
            engines.ask((index, is_judge), player, state)
            for index, is_judge, player, state in self.pool.questions()
        ]
        failed = [reply for reply in replies if reply is not None]
        wait = _ENGINE_SECONDS if self.pool.waits and not failed else 0.0
        for reply in [*failed, *engines.replies(wait)]:
            index, is_judge = reply.seat
            if reply.move is not None:
                action, value, nodes, line = reply.move
                self.pool.reply(index, is_judge, action, value, nodes, line)
                continue
            self._failure = reply.failure
            if is_judge:
                raise PlayerError(reply.failure)
            (mover,) = {
                state.mover
                for game, judge, _, state in self.pool.questions()
                if (game, judge) == reply.seat
            }
            self.pool.stop(index, -1.0 if mover == 0 else 1.0, "forfeit")

    def hurry(self) -> None:
        """Asks all current searches to choose now, with what is known so far."""
        self.pool.hurry()
        if self._engines is not None:
            self._engines.hurry()

    @property
    def failure(self) -> str:
        """What the last engine did that has failed; "" if none has."""
        return self._failure

    def run(self, stop: Stop | None = None) -> Iterator[Played]:
        """Yields every game when it is finished; GameError if a human is to move.

        Each time that `stop` returns True, all current searches end and their players move.
        """
        while not self.pool.is_idle:
            yield from self.step()
            if stop is not None and stop():
                self.hurry()
            if self.pool.parked():
                raise GameError("a game waits for a human, who cannot move here")


def think(
    player: Player, state: State, *, tree: int = 0, visits: int = 1, stop: Stop | None = None
) -> Thought:
    """A player's thought about a state, with `tree` plies of its search tree.

    Below the root's moves, the tree has only nodes with at least `visits` visits. `stop` may end
    the search early.
    """
    for name, number in (("tree", tree), ("visits", visits)):
        if not isinstance(number, int | np.integer) or not 0 <= number <= _DEEPEST:
            raise PlayerError(
                f"{name}={number!r}: give a whole number from 0 to {_DEEPEST:,}"
                f"{', the plies of the tree to return' if name == 'tree' else ''}"
            )
    if not isinstance(state, State):
        raise TypeError(f"a player thinks about a State, not {state!r}")
    if player.is_human:
        raise GameError("a human player cannot think: give another kind of player")
    if state.is_over:
        raise GameError(f"the game is over ({state.end_reason}): there is nothing to choose")
    if state.mover == CHANCE:
        raise GameError("a die is pending, not a choice: apply one of its faces first")
    shown = (int(tree), int(visits))
    session = Session(state.game, [player], seed=player.seed, width=1, cache=0, tree=shown)
    session.add(0, state, most_plies=1, is_recorded=False)
    (played,) = session.run(stop)
    if session.failure:
        raise PlayerError(session.failure)
    if tree == 0:
        return thought_of(played, 0)
    thought, core = thought_of(played, 0), played.thought(0)
    nodes = [] if core is None else core.tree
    return msgspec.structs.replace(thought, tree=tree_of(nodes, state, thought.target))


def think_each(
    player: Player,
    states: Sequence[State],
    *,
    seed: int = 0,
    width: int = 64,
    cache: int = 1 << 16,
    on_thought: Callable[[int], None] | None = None,
) -> list[Thought]:
    """A player's thoughts about some states of one game, `width` of them at a time.

    `on_thought` is called with the number of states done.
    """
    session = Session(states[0].game, [player], seed=seed, width=width, cache=cache)
    for index, state in enumerate(states):
        session.add(index, state, most_plies=1, is_recorded=False)
    found = {}
    for played in session.run():
        if session.failure:
            raise PlayerError(session.failure)
        found[played.index] = thought_of(played, 0)
        if on_thought is not None:
            on_thought(len(found))
    return [found[index] for index in range(len(states))]
