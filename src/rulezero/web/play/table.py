"""One game on the page: people choose by messages, players and dice answer."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

import rulezero as rz
from rulezero.data.thoughts import Thought
from rulezero.stats.wdl import likely
from rulezero.web import shown
from rulezero.web.games import keep_pieces
from rulezero.web.limits import (
    CHOICE_SECONDS,
    MOST_PLIES,
    OWNER_SECONDS,
)
from rulezero.web.play import messages
from rulezero.web.play.analyst import Analyst
from rulezero.web.play.budget import admitted
from rulezero.web.play.records import record_of
from rulezero.web.play.searching import Order
from rulezero.web.play.thinker import Thinker, Ticket
from rulezero.web.visitors import Visitor

Listener = Callable[[messages.ToPage], None]


class Table:
    """A game in which people choose for the seats that are human.

    Its methods are called in the event loop. A player's choice depends on the position, its history
    and the seed, so it is the same after a choice was taken back and repeated.
    """

    def __init__(
        self, visitor: Visitor, thinker: Thinker, game: rz.Game, order: messages.NewTable
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.game = game
        self.listeners: set[Listener] = set()
        self._visitor = visitor
        self._thinker = thinker
        self._pieces = order.pieces
        self._seed = secrets.randbelow(2**53) if order.seed is None else order.seed
        start = game.start(seed=self._seed) if order.start is None else game.parse(order.start)
        self._start = start.text
        self._analyst = Analyst(visitor, thinker, game, self._start, self._tell)
        self._state = game.replay(start.text, order.actions)
        given = len(order.actions)
        self._opening = given if order.opening is None else min(order.opening, given)
        self._thoughts: list[Thought | None] = [None] * given
        self._seats = self._seated(order.players)
        self._nets: list[str | None] = [None, None]  # that chose in this game, by seat
        self._ended: tuple[float, str] | None = None  # by a person: seat 0's outcome, the reason
        self._is_paused = False
        self._is_saved = False
        self._pace = 0.0
        self._mode: Literal["off", "once", "live"] = "off"
        self._sims: int | None = None
        self._ticket: Ticket | None = None  # of the player that chooses
        self._tasks: dict[str, asyncio.Task[None]] = {}

    # --- what the page asks for ---

    def begin(self) -> None:
        """Lets players move if it is their turn."""
        self._continue()

    def whole(self) -> messages.TableShown:
        """The whole game, for a page that shows it anew."""
        return messages.TableShown(
            table=self.id,
            game=shown.meta(self.game),
            players=self._players(),
            position=self._position(),
            plies=shown.plies(self._state, self._opening),
            paused=self._is_paused,
            saved=self._is_saved,
            start=self._start,
            seed=self._seed,
            pieces=self._pieces,
        )

    def choose(self, action: int) -> None:
        """Makes a person's choice. MoveError if it is not legal."""
        if not self._is_asking():
            raise rz.GameError("no person is to move now")
        self._apply(action, None)
        self._continue()

    def undo(self, unit: Literal["ply", "turn"]) -> None:
        """Takes choices back to where a person was asked, or to the begin of that turn."""
        if self._ended is not None:  # a resignation is taken back alone
            self._ended = None
            self._show(len(self._state.actions))
            return
        state: rz.State | None = self._state.before
        while state is not None and not self._is_person(state):
            state = state.before
        if state is None:
            raise rz.GameError("no person has chosen anything yet")
        if unit == "turn":
            begin = shown.turn_start(state)
            state = begin if self._is_person(begin) else state
        self._stop("player", "analysis", "review")
        self._state = state
        kept = len(state.actions)
        del self._thoughts[kept:]
        self._opening = min(self._opening, kept)
        self._is_saved = False
        self._show(kept)
        self._continue()

    def past(self, ply: int) -> messages.Past:
        """The position after the first plies of the game. GameError if there are fewer."""
        made = len(self._state.actions)
        if ply > made:
            raise rz.GameError(f"the game has {made} plies so far, not {ply}")
        if ply == made:
            return messages.Past(ply, self._position())
        state = self._state
        for _ in range(made - ply):
            assert state.before is not None
            state = state.before
        return messages.Past(ply, shown.position(state))

    def set_players(self, players: tuple[str, str]) -> None:
        """Changes who plays; the game so far stays."""
        before, self._seats = self._seats, self._seated(players)
        for seat, (old, new) in enumerate(zip(before, self._seats, strict=True)):
            self._nets[seat] = self._nets[seat] if new == old else None
        self._stop("player")
        self._show(len(self._state.actions))
        self._continue()

    def resign(self) -> None:
        """The person to move gives up."""
        if not self._is_asking():
            raise rz.GameError("no person is to move now: wait for your turn, then resign")
        winner = 1 - self._state.mover
        self._ended = (1.0 if winner == 0 else -1.0), "resigned"
        self._show(len(self._state.actions))

    def hurry(self) -> None:
        """The player that thinks chooses now."""
        if self._ticket is not None:
            self._thinker.hurry(self._ticket)

    def pause(self, on: bool) -> None:
        """Stops or continues a game of two players."""
        self._is_paused = on
        self._show(len(self._state.actions))
        self._continue()

    def set_pace(self, seconds: float) -> None:
        """The least time between choices in a game of two players."""
        self._pace = seconds

    def analyse(self, mode: Literal["off", "once", "live"], sims: int | None) -> None:
        """Thinks about the current position, and with live about all later ones."""
        self._mode, self._sims = mode, sims
        self._stop("analysis")
        if mode != "off":
            self._analyse()

    def review(self) -> None:
        """Judges every choice of the game."""
        self._stop("review")
        self._start_task("review", self._analyst.review(self._state, self._seed))

    def _record(self, game: rz.Game) -> rz.Record:
        """The record of the finished game; `game` has the same rules, perhaps another text."""
        if not self._is_over():
            raise rz.GameError("the game is not over: finish or resign it before you save it")
        first, second = (player for _, player in self._seats)
        return record_of(
            game.parse(self._start),
            self._state.actions,
            self._thoughts,
            result=self._result(),
            players=(first, second),
            nets=(self._nets[0], self._nets[1]),
            seed=self._seed,
            opening=self._opening,
        )

    def save(self, place: Path) -> str:
        """Keeps the finished game in a store; returns the record's id."""
        record = self._record(self.game)
        if self._pieces is not None:  # their file lasts only as long as the server
            record = self._record(keep_pieces(self.game, self._pieces, place))
        with rz.Store(place) as store:
            store.add(record)
        self._is_saved = True
        return record.id

    def leave(self, listener: Listener) -> None:
        """A page has gone. Searches end with the last one."""
        self.listeners.discard(listener)
        if not self.listeners:
            self._stop("player", "analysis", "review")

    def join(self, listener: Listener) -> None:
        """A page shows this game from now on."""
        self.listeners.add(listener)
        listener(self.whole())
        self._continue()

    def close(self) -> None:
        """Ends everything."""
        self._stop("player", "analysis", "review")

    # --- the game goes on ---

    def _continue(self) -> None:
        """Starts the players' part of the game, unless it runs or a person is to choose."""
        running = self._tasks.get("player")
        if running is not None and not running.done():
            return
        if self._is_over() or self._is_asking() or self._is_paused or not self.listeners:
            return
        self._start_task("player", self._play())

    async def _play(self) -> None:
        """Dice and players choose until a person must, or the game is over."""
        while not (self._is_over() or self._is_asking() or self._is_paused):
            begun = asyncio.get_running_loop().time()
            state = self._state
            if state.mover == rz.CHANCE:
                self._apply(self._roll(state), None)
                continue
            thought = await self._think(state)
            if thought is None:
                return
            if self._pace and not any(player.is_human for _, player in self._seats):
                spent = asyncio.get_running_loop().time() - begun
                await asyncio.sleep(max(0.0, self._pace - spent))
            self._apply(thought.action, thought)

    def _roll(self, state: rz.State) -> int:
        """The face that the seed and the number of the ply give."""
        dice = np.random.default_rng([self._seed, len(state.actions)])
        return int(dice.choice(state.legal, p=np.array(state.chances) / sum(state.chances)))

    async def _think(self, state: rz.State) -> Thought | None:
        """What the player to move thinks; None if its search failed (the page shows the error)."""
        player = self._seats[state.mover][1]
        seconds = OWNER_SECONDS if self._visitor.is_owner else CHOICE_SECONDS
        try:
            order = Order(
                number=0,
                kind="choose",
                game=self.game.text,
                start=self._start,
                actions=state.actions,
                player=player.text,
                seed=self._seed,
                seconds=seconds,
            )
            self._ticket = self._thinker.submit(order, self._visitor.name)
        except asyncio.QueueFull:
            self._tell(messages.BUSY)
            return None
        self._tell(messages.Thinking(state.mover, self._thinker.waiting))
        try:
            async with contextlib.aclosing(self._thinker.answers(self._ticket)) as answers:
                async for answer in answers:
                    if answer.chosen is not None:
                        self._nets[state.mover] = answer.chosen.net
                        return answer.chosen.thought
                    if answer.error is not None:
                        self._tell(messages.Failed(answer.error))
        finally:
            self._ticket = None
            self._tell(messages.Thinking(None))
        return None

    def _apply(self, action: int, thought: Thought | None) -> None:
        self._state = self._state.apply(action)
        self._thoughts.append(thought)
        self._stop("analysis", "review")
        ply = len(self._state.actions) - 1
        self._show(ply)
        if thought is not None and thought.value is not None:
            wdl = likely(thought.value, thought.draw)
            self._tell(messages.ThoughtShown(ply, thought.value, wdl, thought.sims))
        if self._mode == "live" and not self._is_over() and self._state.mover != rz.CHANCE:
            self._analyse()

    # --- analysis ---

    def _analyse(self) -> None:
        if not self._is_over() and self._state.mover != rz.CHANCE:
            self._start_task("analysis", self._analysis())

    async def _analysis(self) -> None:
        async for found in self._analyst.analyse(self._state, self._seed, self._sims):
            self._tell(messages.AnalysisShown(**msgspec.structs.asdict(found)))

    # --- small things ---

    def _seated(self, players: tuple[str, str]) -> tuple[tuple[str, rz.Player], ...]:
        owner = self._visitor.is_owner
        return tuple(
            (text, admitted(text, self.game, seat, is_owner=owner))
            for seat, text in enumerate(players)
        )

    def _players(self) -> tuple[messages.PlayerShown, messages.PlayerShown]:
        first, second = (
            messages.PlayerShown(
                "human" if player.is_human else "level" if ":" in given[:6] else "player",
                "you" if player.is_human else given.removeprefix("level:"),
                player.text,
            )
            for given, player in self._seats
        )
        return first, second

    def _is_person(self, state: rz.State) -> bool:
        return state.mover in (0, 1) and self._seats[state.mover][1].is_human

    def _is_over(self) -> bool:
        return (
            self._ended is not None
            or self._state.is_over
            or len(self._state.actions) >= min(self.game.facts.max_plies, MOST_PLIES)
        )

    def _is_asking(self) -> bool:
        return not self._is_over() and self._is_person(self._state)

    def _result(self) -> tuple[float, str]:
        if self._ended is not None:
            return self._ended
        if self._state.outcome is not None:
            return self._state.outcome, self._state.end_reason or ""
        return 0.0, "cap"

    def _position(self) -> shown.Position:
        words = None
        if self._is_over():
            words = rz.view.say_result(*self._result(), self.game.facts.seat_names)
        position = shown.position(self._state, is_asked=self._is_asking(), result=words)
        if not self._is_over():
            return position
        outcome, reason = self._result()
        return msgspec.structs.replace(position, outcome=outcome, reason=reason)

    def _show(self, first: int) -> None:
        """Tells the pages about the position, and the plies from a number on."""
        self._tell(
            messages.Moved(
                position=self._position(),
                first=first,
                plies=shown.plies(self._state, self._opening, first),
                players=self._players(),
                paused=self._is_paused,
            )
        )

    def _tell(self, message: messages.ToPage) -> None:
        for listener in list(self.listeners):
            listener(message)

    def _start_task(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._stop(name)
        self._tasks[name] = asyncio.get_running_loop().create_task(work)

    def _stop(self, *names: str) -> None:
        """Ends tasks, but not the one that is running now."""
        for name in names:
            task = self._tasks.get(name)
            if task is not None and task is not asyncio.current_task():
                self._tasks.pop(name).cancel()
