"""A game in a notebook: a person plays by clicks, drags, keys or text."""

import secrets
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, Literal

import msgspec

from rulezero._core import CHANCE, Game, GameError, MoveError, RulezeroError, State
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.replay import is_played
from rulezero.data.store import Store
from rulezero.games.load import load
from rulezero.games.view import last_words, say_result
from rulezero.notebook.around import Around, Hint, Message, hinted, played
from rulezero.notebook.background import Background
from rulezero.notebook.board import Board, Bundle, Order
from rulezero.notebook.opponents import adviser_of, opponent_of
from rulezero.notebook.still import Still, still
from rulezero.play.dialogue import Dialogue, Ply
from rulezero.play.players import Player, read_player, seat_number
from rulezero.play.session import Stop, think
from rulezero.web import shown

Unit = Literal["ply", "turn"]

_BOTH = "both"  # seats of people


class Moment(msgspec.Struct, frozen=True):
    """The game as it is shown while the opponent's thread may change it."""

    state: State
    plies: tuple[Ply, ...]
    outcome: float | None
    end_reason: str | None
    is_asking: bool

    @classmethod
    def of(cls, game: Dialogue) -> "Moment":
        """The game now."""
        return cls(game.state, tuple(game.plies), game.outcome, game.end_reason, game.is_asking)


class PlayGame:
    """A game between a person and a player, as the output of a cell.

    Searches run in a thread: the kernel is free for other cells meanwhile. What a person can do by
    clicks, programs can do by methods.
    """

    def __init__(
        self,
        game: Game | str | Any,
        *,
        seat: int | str | None = None,
        opponent: str | Path | Player | None = None,
        sims: int | None = None,
        start: str | State | None = None,
        store: str | Path | None = None,
        name: str | None = None,
        seed: int | None = None,
        hints: str | Player | None = None,
    ) -> None:
        """A new game.

        game      a name, a PythonGame, or the path of a Python file with rules
        seat      your seat: 0, 1, its name, or "both" (default: the seat that suits a person)
        opponent  a level of the game such as "club", a player's text, or the path of a run or a net
        sims      simulations per choice of the opponent (default: as its text says)
        start     a position's text or a state (default: the start of the game)
        store     a folder; finished games are kept there (default: they are not kept)
        name      your name in records
        seed      of dice, random starts and the opponent (default: a new one for each game)
        hints     the player that gives hints (default: the opponent, if it has a net, else puct)
        """
        self.game = game if isinstance(game, Game) else load(game)
        self.store = None if store is None else Path(store)
        if self.store is not None and self.store.is_file():
            raise RecordError(f"'{self.store}' is a file; a store is a folder")
        human = self._seat(seat)
        self.people = [0, 1] if human is None else [human]
        machine = opponent_of(self.game, 1 - (human or 0), opponent, sims)
        self.opponent = None if human is None else machine
        self._adviser = read_player(hints) if hints is not None else adviser_of(machine, sims)
        self._given = start
        self._name = name
        self._seed = seed
        self.saved: list[str] = []  # ids of records
        self.finished: list[Record] = []
        self._lock = threading.RLock()
        self._player = Background(self._failed)
        self._hinter = Background(self._failed)
        self._after: Unit | None = None  # to be taken back once the search has ended
        self._message = Message("", False, 0)
        self._hint: Hint | None = None
        self._is_thinking = self._is_hinting = False
        self.widget = Board(kind="play")
        self.widget.show_game(self.game)
        self.widget.flipped = self.people == [1]
        self.widget.on_order(self._obey)
        self._begin()

    # --- what a person does ---

    @property
    def state(self) -> State:
        """The position now."""
        return self._now.state

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._now.end_reason is not None

    def move(self, text: str) -> None:
        """Makes moves as text: e2e4 or Nf3; the moves of a turn may be separated by spaces."""
        with self._lock:
            try:
                actions = [self._read(self.state, text.strip())]
            except MoveError:
                if len(words := text.replace(",", " ").split()) < 2:
                    raise
                actions, state = [], self.state
                for word in words:
                    actions.append(self._read(state, word))
                    state = state.apply(actions[-1])
            for action in actions:
                self.choose(action)

    def choose(self, action: int) -> None:
        """Makes a choice by its number. MoveError if it is not legal."""
        with self._lock:
            if not self._now.is_asking:
                raise GameError("it is not your turn")
            self.dialogue.choose(action)
            self._continue()

    def undo(self, unit: Unit = "ply") -> None:
        """Takes back your last choice and what followed, or with "turn" all choices of that turn.

        While the opponent thinks, its search is ended first.
        """
        with self._lock:
            if self._is_thinking:
                self._after = unit
                self._player.hurry()
                return
            dialogue = self.dialogue
            if dialogue.end_reason == "resigned":
                dialogue.outcome = dialogue.end_reason = None
            elif not dialogue.undo():
                raise GameError("you have not chosen anything yet")
            elif unit == "turn":
                begin = len(shown.turn_start(dialogue.state).actions)
                while len(dialogue.plies) > begin and dialogue.undo():
                    pass
            self._say("")
            self._continue()

    def resign(self) -> None:
        """Gives up the game; it is your turn."""
        with self._lock:
            if self._is_thinking:
                raise GameError("it is not your turn: wait for it, then resign")
            self.dialogue.resign()
            self._finish()

    def new(self) -> None:
        """Begins another game with the same settings."""
        with self._lock:
            self._player.hurry()
            self._hinter.hurry()
            self._say("")
            self._begin()

    def swap(self) -> None:
        """Begins another game in the other seat."""
        with self._lock:
            self.people = [1 - seat for seat in self.people]
            self.widget.flipped = self.people == [1]
            self.new()

    def go(self) -> None:
        """The opponent moves now, with what its search has found."""
        with self._lock:
            if self._is_thinking:
                self._player.hurry()
            else:
                self._continue()

    def hint(self) -> None:
        """Searches your position, and shows the best moves."""
        with self._lock:
            if not self._now.is_asking:
                raise GameError("hints are for your own turn")
            state = self.state
            self._is_hinting = True
            self._hinter.start(lambda stop: self._search(state, stop))
            self._show()

    def wait(self, seconds: float | None = None) -> None:
        """Waits until the opponent, and a hint, have finished."""
        self._player.wait(seconds)
        self._hinter.wait(seconds)

    def picture(self) -> Still:
        """The game as it is now, as a picture that stays in the notebook's file."""
        found = [played(*each) for each in self._plies()]
        last = next((each for each in reversed(found) if each.value is not None), None)
        value = None
        if last is not None and last.value is not None and last.wdl is not None:
            value = last.value, last.wdl
        return still(
            self.state,
            self._position().caption,
            plies=[each.ply for each in found],
            is_flipped=self.widget.flipped,
            value=value,
            lines=[self._message.words] if self._message.words else [],
        )

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        found = self.picture()
        return self.widget.bundle(found.html, found.text)

    # --- orders of the browser ---

    def _obey(self, order: Order) -> None:
        ways: dict[str, Callable[[], None]] = {
            "move": lambda: self.choose(int(order["action"])),
            "text": lambda: self.move(str(order["text"])),
            "undo": lambda: self.undo("turn" if order.get("unit") == "turn" else "ply"),
            "resign": self.resign,
            "new": self.new,
            "swap": self.swap,
            "go": self.go,
            "hint": self.hint,
        }
        try:
            ways[order["do"]]()
        except RulezeroError as error:
            self._failed(str(error))
        except Exception as error:  # of rules in Python
            self._failed(f"{type(error).__name__}: {error}")

    # --- the game goes on ---

    def _dialogue(self) -> Dialogue:
        seed = secrets.randbelow(2**53) if self._seed is None else self._seed
        given = self._given
        players = tuple(
            read_player("human") if seat in self.people or self.opponent is None else self.opponent
            for seat in (0, 1)
        )
        names = tuple(self._name if self.people == [seat] else None for seat in (0, 1))
        return Dialogue(
            self.game,
            (players[0], players[1]),
            start=self.game.parse(given) if isinstance(given, str) else given,
            seed=seed,
            is_recorded=self.store is not None,
            names=(names[0], names[1]),
            date=date.today().strftime("%Y.%m.%d"),
        )

    def _begin(self) -> None:
        self._after, self._is_thinking = None, False
        self.dialogue = self._dialogue()
        self._opening = len(self.dialogue.plies)
        self._continue()

    def _continue(self) -> None:
        """Lets players and dice choose, in the background, until a person must."""
        self._hinter.hurry()
        self._hint, self._is_hinting = None, False
        dialogue = self.dialogue
        if dialogue.is_asking or dialogue.state.is_over:
            dialogue.advance()  # without a search: it ends the game, also at its greatest length
        if dialogue.is_over or dialogue.is_asking:
            self._finish()
            return
        self._is_thinking = True
        self._now = Moment.of(dialogue)
        self._show()
        self._player.start(lambda stop: self._advance(dialogue, stop))

    def _advance(self, dialogue: Dialogue, stop: Stop) -> None:
        """Runs in a thread."""
        unit: Unit | None = None
        try:
            dialogue.advance(stop)
        finally:
            with self._lock:
                if dialogue is self.dialogue:
                    unit, self._after, self._is_thinking = self._after, None, False
        with self._lock:
            if dialogue is not self.dialogue:
                return  # a new game has begun
            if unit is None:
                self._finish()
            else:
                self.undo(unit)

    def _search(self, state: State, stop: Stop) -> None:
        """Runs in a thread."""
        try:
            thought = think(self._adviser, state, stop=stop)
        finally:
            with self._lock:
                is_asked = state is self.state and self._is_hinting
                if is_asked:
                    self._is_hinting = False
        if is_asked:
            with self._lock:
                self._hint = hinted(state, thought)
                self._show()

    def _finish(self) -> None:
        """Shows what was played; keeps the game if it is over."""
        self._now = Moment.of(self.dialogue)
        if self.is_over:
            self._keep(self.dialogue.record())
        self._show()

    def _keep(self, record: Record) -> None:
        self.finished.append(record)
        if self.store is None or not is_played(record, self.game):
            return
        with Store(self.store, tolerant=True) as store:
            store.add(record)
        self.saved.append(record.id)
        self._say(f"Saved in {self.store} as record {record.id[:12]}.")

    # --- what is shown ---

    def _failed(self, words: str) -> None:
        with self._lock:
            self._say(words, is_error=True)
            self._show()

    def _say(self, words: str, *, is_error: bool = False) -> None:
        self._message = Message(words, is_error, self._message.number + 1)

    def _plies(self) -> list[tuple[shown.PlyShown, Ply]]:
        now = self._now
        self._opening = min(self._opening, len(now.plies))  # some may be taken back
        return list(zip(shown.plies(now.state, self._opening), now.plies, strict=True))

    def _position(self) -> shown.Position:
        words = None
        outcome, reason = self._now.outcome, self._now.end_reason
        if outcome is not None:
            words = say_result(outcome, reason, self.game.facts.seat_names)
        position = shown.position(self.state, is_asked=self._now.is_asking, result=words)
        if outcome is None:
            return position
        return msgspec.structs.replace(position, outcome=outcome, reason=reason)

    def _show(self) -> None:
        with self._lock:
            now, players = self._now, self.dialogue.players
            asked = [at for at, ply in enumerate(now.plies) if ply.state.mover in self.people]
            begin = shown.turn_start(now.plies[asked[-1]].state) if asked else now.state
            around = Around(
                plies=[played(*each) for each in self._plies()],
                players=(players[0].text, players[1].text),
                people=self.people,
                last=last_words(self.state),
                is_thinking=self._is_thinking,
                is_hinting=self._is_hinting,
                can_undo=bool(asked) or now.end_reason == "resigned",
                can_undo_turn=bool(asked) and len(begin.actions) < asked[-1],
                hint=self._hint,
                message=self._message,
            )
            self.widget.show(position=self._position(), shown=around)

    # --- settings ---

    def _seat(self, given: int | str | None) -> int | None:
        """The person's seat; None: both."""
        if given is None:
            return self.game.facts.human_seat
        words = str(given).lower()
        if words == _BOTH:
            return None
        names = [name.lower() for name in self.game.facts.seat_names]
        return names.index(words) if words in names else seat_number(words)

    @staticmethod
    def _read(state: State, text: str) -> int:
        if state.mover == CHANCE or state.is_over:
            raise MoveError(f"'{text}': there is nothing to choose in this position")
        return state.read(text)
