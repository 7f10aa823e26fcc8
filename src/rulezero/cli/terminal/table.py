"""A game of people on a screen: a dialogue, driven by lines that they type."""

import contextlib
import io
import signal
import sys
from collections.abc import Callable, Iterator, Sequence

from rich.columns import Columns
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.bar import print_value
from rulezero.cli.terminal.hurry import hurried_by_ctrl_c
from rulezero.cli.terminal.screen import print_pairs
from rulezero.cli.terminal.words import counted, say_line, say_proof, say_shares, say_turn

_ORDINALS = ("", "second", "third", "fourth", "fifth", "sixth")


def prepare_input() -> None:
    """Makes stdin ready for people's lines. GameError where there is none."""
    if sys.stdin is None:
        raise rz.GameError("there is no input to play from: it is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is no move either
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  lets input() edit lines and remember them


def seats_for(
    game: rz.Game,
    record: rz.Record,
    ply: int | None = None,
    seat: int | None = None,
    opponent: rz.Player | None = None,
) -> tuple[int, tuple[rz.Player, rz.Player]]:
    """Who plays a recorded game on: the seat of people, and both players.

    Unless given, they are those of the record if people played it; else people take the side that
    is to move, against the standard opponent.
    """
    person = rz.player("human")
    people = [number for number, player in enumerate(record.players) if player == person.text]
    if seat is not None:
        human = seat
    elif people:
        human = people[0]
    else:
        mover = game.replay(record.start, record.action_numbers().tolist()[:ply]).mover
        human = mover if mover in (0, 1) else game.facts.human_seat
    if opponent is None:
        other = record.players[1 - human]
        opponent = rz.player(other) if human in people else rz.play.opponent()
        if opponent.engine is not None:
            raise rz.PlayerError(
                f"the record's opponent '{other}' would start a program: add --opponent with this"
                " text if you trust it, or with another player"
            )
    return human, (person, opponent) if human == 0 else (opponent, person)


class Table:
    """A dialogue on a screen."""

    def __init__(
        self,
        dialogue: rz.play.Dialogue,
        console: Console,
        *,
        adviser: rz.Player,
        human: int,
        store: rz.Store | None = None,
        remarks: Sequence[str] = (),  # lines of the greeting
    ) -> None:
        self.dialogue = dialogue
        self.adviser = adviser
        self.store = store
        self.remarks = remarks
        self.begun = self.choices()  # without new ones, the game is not kept again
        self.console = console
        self.names = dialogue.game.facts.seat_names
        # People see their own men below, where the game has a near side and a far one.
        self.is_flipped = human == 1 and self.names == ("White", "Black")
        self.is_line_open = False  # a prompt stands there without its answer
        self.is_resigning = False  # the last line was resign, which has not been confirmed
        self.commands: dict[str, tuple[Callable[[], None], str]] = {
            "moves": (self.list_moves, "list your legal moves"),
            "hint": (self.hint, "show the move and the line that the machine would play"),
            "undo": (self.undo, "take back everything since your last choice, dice included"),
            "info": (
                self.show_info,
                "print the position as text, and what the board does not show",
            ),
            "board": (self.show, "draw the board again"),
            "flip": (self.flip, "draw the board from the other side"),
            "resign": (self.resign, "resign: the other side wins"),
            "quit": (dialogue.interrupt, "leave the game, without a winner"),
            "help": (self.help, "show this list"),
        }

    def play(self) -> bool:
        """The whole game; False if Ctrl-C or a hangup ended it."""
        is_stopped = False
        try:
            with _hearing_hangups():
                self.greet()
                self.go_on([])
                while not self.dialogue.is_over:
                    self.obey(self.ask())
        except (EOFError, KeyboardInterrupt) as stop:
            is_stopped = isinstance(stop, KeyboardInterrupt)
            self.is_line_open = True
        finally:  # whatever has happened, the game is kept
            self.dialogue.interrupt()
            if self.store is not None and self.is_news:
                self.store.add(self.dialogue.record())
        self.end()
        return not is_stopped

    @property
    def is_news(self) -> bool:
        """Whether something has happened that a store should keep."""
        return self.choices() != self.begun or self.dialogue.end_reason != "interrupted"

    def choices(self) -> list[int]:
        """What the players have chosen so far, without dice."""
        return [ply.action for ply in self.dialogue.plies if ply.state.mover != rz.CHANCE]

    def ask(self) -> str:
        """The next line that people write."""
        mover, turns = self.dialogue.state.mover, _turns(self.dialogue.plies)
        made = sum(ply.state.mover == mover for ply in turns[-1]) if turns else 0
        number = f"{_ORDINALS[made]} " if made < len(_ORDINALS) else f"{made + 1}th "
        prompt = f"{self.names[mover]}, your {number.lstrip()}move: "
        if sys.stdin.isatty():
            return input(prompt)
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        print(line.rstrip("\n"))
        return line

    def obey(self, line: str) -> None:
        """Does what a line says: a command, or a move. What is wrong with it is one line."""
        word = line.strip()
        if not word:
            return
        name = "help" if word == "?" else word.lower()
        command = self.commands.get(name)
        self.is_resigning = self.is_resigning and name == "resign"
        try:
            if command is not None:
                command[0]()
            else:
                choice = self.dialogue.choose(self.dialogue.state.read(word))
                try:
                    self.go_on([choice])
                except rz.RulezeroError:
                    self.dialogue.undo()  # the machine has no answer: people may choose again
                    raise
        except rz.RulezeroError as error:
            first, *rest = name.split()
            words = str(error)
            if rest and first in self.commands:
                what = "number" if rest[0].isdecimal() else "other words"
                words = f"{first} takes no {what}: type {first} alone"
            elif len(word) > 2:
                words += rz.nearest(name, self.commands)
            self.console.print(Text(words, "red"), soft_wrap=True)

    def go_on(self, plies: list[rz.play.Ply]) -> None:
        """Lets dice and the machine choose, and shows what they did after these plies."""
        with self.thinking("move") as stop:
            plies = plies + self.dialogue.advance(stop)
        for turn in _turns(plies):
            movers = [ply.state.mover for ply in turn if ply.state.mover != rz.CHANCE]
            if not movers:  # a die before the first move of a turn
                for ply in turn:
                    self.say(f"the die shows {ply.state.say(ply.action)}", "bold")
            elif len(movers) < len(turn) or not self.dialogue.players[movers[0]].is_human:
                words = say_turn(turn[0].state, [ply.action for ply in turn])
                self.say(f"{self.names[movers[0]]} plays {words}", "bold")
        if self.dialogue.is_over:
            return
        self.show()
        thoughts = [thought for ply in plies if (thought := ply.thought) is not None]
        if thoughts:
            print_value(self.console, thoughts[-1], self.names)
            self.tell_proof(self.dialogue.state)

    # --- commands --------------------------------------------------------------------------------

    def list_moves(self) -> None:
        state = self.dialogue.state
        for kind, actions in rz.moves_by_kind(state).items():
            texts = [Text(" ".join(_move_texts(state, action))) for action in actions]
            self.say(f"{len(texts)} {kind}", "dim")
            self.console.print(Columns(texts, padding=(0, 2), column_first=True))

    def hint(self) -> None:
        state = self.dialogue.state
        with self.thinking("hint") as stop:
            thought = self.adviser.think(state, stop=stop)
        self.say(f"{self.adviser.text} would play {rz.view.say(state, thought.action)}", "bold")
        if thought.shares:
            self.say(f"best     {say_shares(state, thought)}")
        if len(thought.line) > 1:
            self.say(f"expects  {say_line(state, thought.line)}")
        print_value(self.console, thought, self.names)
        self.tell_proof(state)

    def undo(self) -> None:
        taken = self.dialogue.undo()
        if not taken:
            self.say("there is nothing to take back")
            return
        words = say_turn(taken[0].state, [ply.action for ply in taken])
        self.say(f"taken back: {words}")
        self.show()

    def resign(self) -> None:
        if sys.stdin.isatty() and not self.is_resigning:  # one wrong word should not end a game
            self.is_resigning = True
            self.say("resign? Type resign again, or anything else to play on")
            return
        self.dialogue.resign()

    def show_info(self) -> None:
        print_pairs(self.console, rz.info(self.dialogue.state))

    def show(self) -> None:
        turns = _turns(self.dialogue.plies)  # the last one is marked as a whole
        board = rz.view.draw(
            self.dialogue.state,
            since=turns[-1][0].state if turns else None,
            is_flipped=self.is_flipped,
            names=self.names,
        )
        self.console.print()
        self.console.print(board)

    def flip(self) -> None:
        self.is_flipped = not self.is_flipped
        self.show()

    def help(self) -> None:
        state = self.dialogue.state
        example = " or ".join(_move_texts(state, state.legal[0]))
        commands = [(name, words) for name, (_, words) in self.commands.items()]
        print_pairs(self.console, [(example, "plays a move"), *commands])

    # --- words -----------------------------------------------------------------------------------

    def greet(self) -> None:
        sitting = list(zip(self.names, self.dialogue.players, strict=True))
        mine = " and ".join(name for name, seat in sitting if seat.is_human)
        others = "".join(f", {name} is {seat.text}" for name, seat in sitting if not seat.is_human)
        self.say(f"{rz.view.title(self.dialogue.game.text)}: you are {mine}{others}", "bold")
        for remark in self.remarks:
            self.say(remark)
        self.say("type a move, or help")

    def end(self) -> None:
        """Says how it ended, and where it is kept."""
        dialogue = self.dialogue
        record = dialogue.record()
        if self.is_line_open:
            self.console.print()
        if dialogue.state.is_over:
            self.show()
        elif record.end_reason == "resigned":
            winner = int(record.outcome < 0)
            self.say(f"{self.names[1 - winner]} resigns: {self.names[winner]} wins", "bold")
        elif record.end_reason == "forfeit":
            winner = int(record.outcome < 0)
            self.say(f"{self.names[1 - winner]} failed: {self.names[winner]} wins", "bold")
        elif record.end_reason == "cap":
            self.say(f"drawn: the game is stopped after {record.plies} plies", "bold")
        else:
            self.say(f"left after {counted(record.plies, 'ply')}", "bold")
        if self.store is not None and self.is_news:
            self.say(f"saved: rulezero replay {self.store.path} {record.id}{_trust(record.game)}")
        elif self.store is not None:
            self.say("nothing to save: no move was made")

    def say(self, words: str, style: str = "") -> None:
        self.console.print(Text(words, style), soft_wrap=True)

    def tell_proof(self, state: rz.State) -> None:
        """What the machine's tables prove of a position, if they do."""
        proof = self.adviser.probe(state)
        if proof is not None:
            self.say(f"solved: {say_proof(proof, self.names)}")

    @contextlib.contextmanager
    def thinking(self, wanted: str) -> Iterator[Callable[[], bool]]:
        """Shows that the machine thinks; what it asks whether Ctrl-C wants its answer now."""
        waiting: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if self.console.is_terminal:
            words = f"thinking (Ctrl-C: {wanted} now)"
            waiting = self.console.status(words, spinner_style="dim")
        with waiting, hurried_by_ctrl_c() as stop:
            yield stop


def _move_texts(state: rz.State, action: int) -> list[str]:
    """How a choice may be typed: its move text, and SAN where the game speaks it."""
    forms = (False, True) if rz.view.speaks_san(state) else (False,)
    return [state.say(action, san=form) for form in forms]


def _trust(game: str) -> str:
    """The option that a game needs whose rules are a file."""
    try:
        rz.data.game_of(game)
    except rz.RecordError:
        return " --trusted"
    return ""


def _turns(plies: list[rz.play.Ply]) -> list[list[rz.play.Ply]]:
    """The plies by turn; a die belongs to the choice before it."""
    turns: list[list[rz.play.Ply]] = []
    for ply in plies:
        mover = ply.state.mover
        if turns and mover in (rz.CHANCE, turns[-1][0].state.mover):
            turns[-1].append(ply)
        else:
            turns.append([ply])
    return turns


@contextlib.contextmanager
def _hearing_hangups() -> Iterator[None]:
    """A closed window or a polite kill is a Ctrl-C: the game is kept."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    names = ("SIGHUP", "SIGTERM")
    numbers = [signal.Signals[name] for name in names if name in signal.Signals.__members__]
    before = [signal.signal(number, interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
