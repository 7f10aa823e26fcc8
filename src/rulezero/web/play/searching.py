"""What a search process does: it chooses, and it analyses positions, for the page's server."""

import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, Literal

import msgspec

import rulezero as rz
from rulezero.data.thoughts import Thought as RecordedThought
from rulezero.play.binding import evaluator_for
from rulezero.play.session import Stop, think
from rulezero.play.thought import Thought
from rulezero.processes import end_with_parent
from rulezero.stats.wdl import likely
from rulezero.web.shown import line

_NICENESS = 10  # the server, which answers at once, comes first
_MOST_MOVES = 8  # of an analysis
_LINE = 8  # plies of an expected line
_POLL_SECONDS = 0.02  # between two looks for orders to stop


class Order(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A search that the server asks for."""

    number: int
    kind: Literal["choose", "analyse"]
    game: str
    start: str
    actions: list[int]
    player: str
    seed: int = 0
    seconds: float = 10.0  # then it ends with what it knows
    stages: tuple[int, ...] = ()  # simulations of an analysis, one after another


class StopOrder(msgspec.Struct, frozen=True, tag=True):
    """Ends a search: its result is what is known so far."""

    number: int


class MoveJudged(msgspec.Struct, frozen=True, rename="camel"):
    """A move in an analysis. Values are seat 0's."""

    action: int
    say: str
    share: float
    value: float | None
    line: list[str]
    actions: list[int]  # of the line
    movers: list[int]  # of each choice of the line; -1: a die
    touches: list[list[str]]
    line_touches: list[list[list[str]]]  # of each choice of the line


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What a search knows about a position. Values are seat 0's."""

    ply: int
    final: bool
    sims: int
    value: float | None
    wdl: tuple[float, float, float] | None
    best: int
    moves: list[MoveJudged]


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A player's choice, and its thought, which a record keeps."""

    thought: RecordedThought
    seconds: float
    net: str | None = None  # the identity of the player's net or weights


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One result of an order. `is_last`: there are no more."""

    number: int
    is_last: bool
    chosen: Chosen | None = None
    analysis: Analysis | None = None
    error: str | None = None


_ORDERS = msgspec.msgpack.Decoder(Order | StopOrder)


class _Inbox:
    """Orders that arrive, also while a search is running."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self._connection = connection
        self._waiting: list[Order] = []
        self._stopped: set[int] = set()
        self._looked = 0.0

    def next(self) -> Order:
        """Waits for the next order."""
        while not self._waiting:
            self._read()
        return self._waiting.pop(0)

    def is_stopped(self, number: int) -> bool:
        """Whether a search shall end."""
        now = time.monotonic()
        if now - self._looked >= _POLL_SECONDS:
            self._looked = now
            while self._connection.poll():
                self._read()
        return number in self._stopped

    def _read(self) -> None:
        order = _ORDERS.decode(self._connection.recv_bytes())
        if isinstance(order, Order):
            self._waiting.append(order)
        else:
            self._stopped = {order.number}


def search_for_server(connection: "Connection[Any, Any]") -> None:
    """Runs a search process until the server's end of the connection is closed."""
    end_with_parent()
    os.nice(_NICENESS)
    inbox = _Inbox(connection)
    while True:
        try:
            order = inbox.next()
            for answer in _answers(order, inbox):
                connection.send_bytes(msgspec.msgpack.encode(answer))
        except (EOFError, OSError):
            return


def _answers(order: Order, inbox: _Inbox) -> Iterator[Answer]:
    ends = time.monotonic() + order.seconds

    def stop() -> bool:
        return time.monotonic() >= ends or inbox.is_stopped(order.number)

    try:
        if order.kind == "choose":
            chosen = _choose(order, stop)
            yield Answer(number=order.number, is_last=True, chosen=chosen)
            return
        for analysis in _analyses(order, stop):
            yield Answer(number=order.number, is_last=analysis.final, analysis=analysis)
    except rz.RulezeroError as error:
        yield Answer(number=order.number, is_last=True, error=str(error))
    except Exception as error:  # of rules in Python
        words = f"the search failed: {type(error).__name__}: {error}"
        yield Answer(number=order.number, is_last=True, error=words)


def _choose(order: Order, stop: Stop) -> Chosen:
    begun = time.monotonic()
    player, state = rz.player(order.player, seed=order.seed), _state(order)
    thought = think(player, state, stop=stop)
    plain = {name: getattr(thought, name) for name in RecordedThought.__struct_fields__}
    seconds = time.monotonic() - begun
    net = evaluator_for(player, state.game).identity
    return Chosen(thought=RecordedThought(**plain), seconds=seconds, net=net)


def _state(order: Order) -> rz.State:
    return rz.load(order.game).replay(order.start, order.actions)


def _analyses(order: Order, stop: Callable[[], bool]) -> Iterator[Analysis]:
    """The position, searched with more and more simulations."""
    state = _state(order)
    player = rz.player(order.player, seed=order.seed)
    stages = order.stages if player.has("sims") else (0,)
    for number, sims in enumerate(stages):
        stronger = player.changed(sims=str(sims)) if sims else player
        thought = think(stronger, state, tree=_LINE, visits=max(1, sims // 200), stop=stop)
        is_last = number + 1 == len(stages) or stop()
        yield _analysis(state, thought, is_last)
        if is_last:
            return


def _analysis(state: rz.State, thought: Thought, is_last: bool) -> Analysis:
    children = {} if thought.tree is None else {c.action: c for c in thought.tree.children}
    order = sorted(thought.shares, key=lambda action: -thought.shares[action])[:_MOST_MOVES]
    if thought.action not in order:
        order = [thought.action, *order[:-1]]
    moves = []
    for action in order:
        node = children.get(action)
        actions = [action]
        below = node
        while below is not None and below.children and len(actions) < _LINE:
            below = max(below.children, key=lambda child: child.visits)
            if below.visits == 0 or below.action is None:
                break
            actions.append(below.action)
        if action == thought.action and len(thought.line) > len(actions):
            actions = thought.line[:_LINE]
        expected = line(state, actions)
        moves.append(
            MoveJudged(
                action=action,
                say=expected.words[0],
                share=thought.shares.get(action, 0.0),
                value=None if node is None else node.value,
                line=expected.words,
                actions=list(actions),
                movers=expected.movers,
                touches=expected.touches[0],
                line_touches=expected.touches,
            )
        )
    value = thought.value
    return Analysis(
        ply=len(state.actions),
        final=is_last,
        sims=thought.sims,
        value=value,
        wdl=None if value is None else likely(value, thought.draw),
        best=thought.action,
        moves=moves,
    )
