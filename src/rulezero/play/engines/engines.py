"""The engines of a session: which engine plays which game, and who has answered."""

import contextlib
import logging
import select
import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rulezero._core import Game, PlayerError, State
from rulezero.play.engines.process import EngineFailure
from rulezero.play.engines.settings import EngineSettings, check_engine
from rulezero.play.engines.uci import Engine, EngineMove

MOST_GAMES = 8  # at a time: each has its own engine
_LOG = logging.getLogger("rulezero")
_MOST_IDLE = 8  # engines kept running for the next session
_MOST_WARNINGS = 5  # of a session

_lock = threading.Lock()
_idle: list[Engine] = []

Seat = tuple[int, bool]  # a game, and whether the engine judges it


class Reply(NamedTuple):
    """What became of a question."""

    seat: Seat
    move: EngineMove | None  # None: the engine has failed
    failure: str = ""


class Engines:
    """The engines of some players, by their numbers in a session."""

    def __init__(self, players: Mapping[int, EngineSettings], game: Game) -> None:
        """Starts one engine of each; PlayerError if one cannot be started or is no UCI engine."""
        self._players = players
        self._variant = game.facts.uci
        self._seated: dict[tuple[Seat, int], Engine] = {}  # by game and player
        self._asked: dict[Seat, tuple[int, Engine]] = {}
        self._warnings = 0
        for settings in players.values():
            check_engine(settings, game)
        for settings in players.values():
            _give_back(_take(settings, self._variant))
        self._end = weakref.finalize(self, _close_all, self._seated)

    def ask(self, seat: Seat, player: int, state: State) -> Reply | None:
        """Asks an engine, unless it was asked already; a reply if it has failed at once."""
        if seat in self._asked:
            return None
        try:
            engine = self._seated.get((seat, player))
            if engine is None:
                engine = self._seated[seat, player] = _ready(self._players[player], self._variant)
            engine.ask(state)
        except (EngineFailure, PlayerError) as failure:
            return self._fail(seat, player, failure)
        self._asked[seat] = player, engine
        return None

    def replies(self, seconds: float) -> Iterator[Reply]:
        """The answers that have arrived; waits at most this long for the first."""
        if self._asked and seconds > 0:
            select.select([engine.output for _, engine in self._asked.values()], [], [], seconds)
        for seat, (player, engine) in list(self._asked.items()):
            try:
                move = engine.answer()
            except EngineFailure as failure:
                del self._asked[seat]
                yield self._fail(seat, player, failure)
                continue
            if move is not None:
                del self._asked[seat]
                yield Reply(seat, move)

    def hurry(self) -> None:
        """Asks all engines that think to move now."""
        for _, engine in self._asked.values():
            with contextlib.suppress(EngineFailure):  # it is noticed by its answer
                engine.stop()

    def leave(self, index: int) -> None:
        """Frees the engines of a game that is over."""
        for key in [key for key in self._seated if key[0][0] == index]:
            engine = self._seated.pop(key)
            if self._asked.pop(key[0], None) is None:
                _give_back(engine)
            else:
                engine.close()

    def _fail(self, seat: Seat, player: int, failure: Exception) -> Reply:
        """Ends an engine that has failed, and warns about it."""
        engine = self._seated.pop((seat, player), None)
        if engine is not None:
            engine.close()
        name = self._players[player].name
        words = str(failure)
        if isinstance(failure, EngineFailure):
            words = f"the engine '{name}' {words}"
        if not seat[1]:
            self._warnings += 1
            if self._warnings <= _MOST_WARNINGS:
                last = "; more such games are not reported" * (self._warnings == _MOST_WARNINGS)
                _LOG.warning("%s: it loses game %d%s", words, seat[0] + 1, last)
        return Reply(seat, None, words)


def _take(settings: EngineSettings, variant: str) -> Engine:
    """An idle engine with these settings, or a new one."""
    with _lock:
        for engine in _idle:
            if (engine.settings, engine.variant) == (settings, variant):
                _idle.remove(engine)
                return engine
    return Engine(settings, variant)


def _ready(settings: EngineSettings, variant: str) -> Engine:
    """An engine for a new game. One that has died while it was idle is replaced."""
    engine = _take(settings, variant)
    try:
        engine.begin()
    except EngineFailure:
        engine.close()
        engine = Engine(settings, variant)
        engine.begin()
    return engine


def _give_back(engine: Engine) -> None:
    """Keeps an engine that does nothing for later, and ends the one that waited longest."""
    with _lock:
        _idle.append(engine)
        surplus = _idle.pop(0) if len(_idle) > _MOST_IDLE else None
    if surplus is not None:
        surplus.close()


def _close_all(seated: dict[tuple[Seat, int], Engine]) -> None:
    """Ends engines whose games are left: they may still think."""
    for engine in seated.values():
        engine.close()
