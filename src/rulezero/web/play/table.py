"""One game on the page: people choose by messages, players and dice answer."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import msgspec

import rulezero as rz
from rulezero.data.thoughts import Thought
from rulezero.stats.wdl import likely
from rulezero.web import shown
from rulezero.web.clients import Client
from rulezero.web.games import keep_pieces
from rulezero.web.levels import say_result
from rulezero.web.limits import CHOICE_SECONDS, MOST_PLIES, OWNER_SECONDS
from rulezero.web.play import messages
from rulezero.web.play.analyst import Analyst
from rulezero.web.play.history import History
from rulezero.web.play.records import record_of
from rulezero.web.play.searching import Order
from rulezero.web.play.seats import seated
from rulezero.web.play.tables import Tables
from rulezero.web.play.thinker import Thinker, Ticket
from rulezero.web.visitors import Visitor
from rulezero.web.wording import for_page

Listener = Callable[[messages.ToPage], None]
_TABLE_BYTES = 4_000  # of memory, about, beside the history's


class Table:
    """A game in which people choose for the seats that are human.

    Its methods are called in the event loop. While no page shows it, it sleeps: `wake` replays it
    before `join`. A player's choice depends on the position, its history and the seed, so it is the
    same after a choice was taken back and repeated.
    """

    def __init__(
        self,
        visitor: Visitor,
        client: Client,
        thinker: Thinker,
        tables: Tables,
        game: rz.Game,
        order: messages.NewTable,
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.game = game
        self.client = client
        self.is_closed = False
        self.listeners: set[Listener] = set()
        self._visitor = visitor
        self._thinker = thinker
        self._tables = tables
        self._pieces = order.pieces
        self._seed = secrets.randbelow(2**53) if order.seed is None else order.seed
        start = game.start(seed=self._seed) if order.start is None else game.parse(order.start)
        self._history = History(game, start.text, order.actions, order.opening)
        self._analyst = Analyst(visitor, client, thinker, game, start.text, self._tell)
        self._seats = seated(order.players, game, visitor)
        self._nets: list[str | None] = [None, None]  # that chose in this game, by seat
        self._ended: tuple[float, str] | None = None  # by a person: seat 0's outcome, the reason
        self._is_paused = False
        self._is_saved = False
        self._pace = 0.0
        self._mode: Literal["off", "once", "live"] = "off"
        self._sims: int | None = None
        self._ticket: Ticket | None = None  # of the player that chooses
        self._tasks: dict[str, asyncio.Task[None]] = {}

    # --- memory ---

    @property
    def weight(self) -> int:
        """The number of bytes that the game takes, about."""
        return _TABLE_BYTES + len(self._pieces or "") + self._history.weight

    @property
    def plies(self) -> int:
        """The number of choices so far."""
        return len(self._history)

    async def wake(self) -> None:
        """Replays the choices, in steps between which others are served. GameError."""
        async with self.client.work:
            await self._history.wake()
            self._tables.weigh(self)
            try:
                self._tables.check(self.client)
            except rz.GameError:
                self._rest()
                raise

    def _rest(self) -> None:
        """Ends searches, and keeps only the choices, if no page shows the game."""
        if not self.listeners:
            self._stop("player", "analysis", "review")
            self._history.sleep()
            self._tables.weigh(self)

    def forget(self) -> None:
        """Ends the game, which its visitor cannot find any longer."""
        self._visitor.tables.pop(self.id, None)
        self.close()

    # --- what the page asks for ---

    def whole(self) -> messages.TableShown:
        """The whole game, for a page that shows it anew."""
        return messages.TableShown(
            table=self.id,
            game=shown.meta(self.game),
            players=self._seats.shown(),
            position=self._position(),
            plies=list(self._history.plies),
            paused=self._is_paused,
            saved=self._is_saved,
            start=self._history.start,
            seed=self._seed,
            pieces=self._pieces,
        )

    def choose(self, action: int) -> None:
        """Makes a person's choice. MoveError if it is not legal."""
        if not self._is_asking():
            raise rz.GameError("no person is to move now")
        self._tables.check(self.client)
        self._apply(action, None)
        self._continue()

    def undo(self, unit: Literal["ply", "turn"]) -> None:
        """Takes choices back to where a person was asked, or to the begin of that turn."""
        if self._ended is not None:  # a resignation is taken back alone
            self._ended = None
            self._show(self.plies)
            return
        state: rz.State | None = self._history.state.before
        while state is not None and not self._seats.is_person(state):
            state = state.before
        if state is None:
            raise rz.GameError("no person has chosen anything yet")
        if unit == "turn":
            begin = shown.turn_start(state)
            state = begin if self._seats.is_person(begin) else state
        self._stop("player", "analysis", "review")
        self._history.go_back(state)
        self._tables.weigh(self)
        self._is_saved = False
        self._show(self.plies)
        self._continue()

    def past(self, ply: int) -> messages.Past:
        """The position after the first plies of the game. GameError if there are fewer."""
        state = self._history.at(ply)
        is_last = ply == self.plies
        return messages.Past(ply, self._position() if is_last else shown.position(state))

    def set_players(self, players: tuple[str, str]) -> None:
        """Changes who plays; the game so far stays."""
        before, self._seats = self._seats, seated(players, self.game, self._visitor)
        for seat, (old, new) in enumerate(zip(before, self._seats, strict=True)):
            self._nets[seat] = self._nets[seat] if new == old else None
        self._stop("player")
        self._show(self.plies)
        self._continue()

    def resign(self) -> None:
        """The person to move gives up."""
        if not self._is_asking():
            raise rz.GameError("no person is to move now: wait for your turn, then resign")
        winner = 1 - self._history.state.mover
        self._ended = (1.0 if winner == 0 else -1.0), "resigned"
        self._show(self.plies)

    def hurry(self) -> None:
        """The player that thinks chooses now."""
        if self._ticket is not None:
            self._thinker.hurry(self._ticket)

    def pause(self, on: bool) -> None:
        """Stops or continues a game of two players."""
        self._is_paused = on
        self._show(self.plies)
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
        self._start_task("review", self._analyst.review(self._history.state, self._seed))

    def _record(self, game: rz.Game) -> rz.Record:
        """The record of the finished game; `game` has the same rules, perhaps another text."""
        if not self._is_over():
            raise rz.GameError("the game is not over: finish or resign it before you save it")
        return record_of(
            game.parse(self._history.start),
            self._history.state.actions,
            self._history.thoughts,
            result=self._result(),
            players=(self._seats.first.player, self._seats.second.player),
            nets=(self._nets[0], self._nets[1]),
            seed=self._seed,
            opening=self._history.opening,
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
        self._rest()

    def join(self, listener: Listener) -> None:
        """A page shows this game from now on."""
        self.listeners.add(listener)
        listener(self.whole())
        self._continue()

    def close(self) -> None:
        """Ends everything."""
        self.is_closed = True
        self._stop("player", "analysis", "review")
        self._tables.forget(self)

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
        try:
            with contextlib.ExitStack() as stack:
                if self._seats.is_alone:
                    stack.enter_context(self._tables.alone(self.client))
                await self._choices()
        except rz.GameError as error:
            self._is_paused = True
            self._tell(messages.Failed(for_page(str(error)), "busy"))
            self._show(self.plies)

    async def _choices(self) -> None:
        while not (self._is_over() or self._is_asking() or self._is_paused):
            self._tables.check(self.client)
            begun = asyncio.get_running_loop().time()
            state = self._history.state
            if state.mover == rz.CHANCE:
                self._apply(self._history.roll(self._seed), None)
                continue
            thought = await self._think(state)
            if thought is None:
                return
            if self._pace and self._seats.is_alone:
                spent = asyncio.get_running_loop().time() - begun
                await asyncio.sleep(max(0.0, self._pace - spent))
            self._apply(thought.action, thought)

    async def _think(self, state: rz.State) -> Thought | None:
        """What the player to move thinks; None if its search failed (the page shows the error)."""
        player = self._seats[state.mover].player
        seconds = OWNER_SECONDS if self._visitor.is_owner else CHOICE_SECONDS
        try:
            order = Order(
                number=0,
                kind="choose",
                game=self.game.text,
                start=self._history.start,
                actions=state.actions,
                player=player.text,
                seed=self._seed,
                seconds=seconds,
            )
            self._ticket = self._thinker.submit(
                order, self._visitor.name, self.client, is_alone=self._seats.is_alone
            )
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
                        self._tell(messages.Failed(for_page(answer.error)))
        finally:
            self._ticket = None
            self._tell(messages.Thinking(None))
        return None

    def _apply(self, action: int, thought: Thought | None) -> None:
        ply = self.plies
        self._history.apply(action, thought)
        self._tables.weigh(self)
        self._stop("analysis", "review")
        self._show(ply)
        if thought is not None and thought.value is not None:
            wdl = likely(thought.value, thought.draw)
            self._tell(messages.ThoughtShown(ply, thought.value, wdl, thought.sims))
        if self._mode == "live":
            self._analyse()

    # --- analysis ---

    def _analyse(self) -> None:
        if not self._is_over() and self._history.state.mover != rz.CHANCE:
            self._start_task("analysis", self._analysis())

    async def _analysis(self) -> None:
        async for found in self._analyst.analyse(self._history.state, self._seed, self._sims):
            self._tell(messages.AnalysisShown(**msgspec.structs.asdict(found)))

    # --- small things ---

    def _is_over(self) -> bool:
        return (
            self._ended is not None
            or self._history.state.is_over
            or self.plies >= min(self.game.facts.max_plies, MOST_PLIES)
        )

    def _is_asking(self) -> bool:
        return not self._is_over() and self._seats.is_person(self._history.state)

    def _result(self) -> tuple[float, str]:
        if self._ended is not None:
            return self._ended
        if self._history.state.outcome is not None:
            return self._history.state.outcome, self._history.state.end_reason or ""
        return 0.0, "cap"

    def _position(self) -> shown.Position:
        words = say_result(*self._result(), self.game) if self._is_over() else None
        position = shown.position(self._history.state, is_asked=self._is_asking(), result=words)
        if words is None:
            return position
        outcome, reason = self._result()
        return msgspec.structs.replace(position, outcome=outcome, reason=reason)

    def _show(self, first: int) -> None:
        """Tells the pages about the position, and the plies from a number on."""
        self._tell(
            messages.Moved(
                position=self._position(),
                first=first,
                plies=self._history.plies[first:],
                players=self._seats.shown(),
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
