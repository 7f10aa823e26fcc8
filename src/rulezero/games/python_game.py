"""Games in pure Python: slower than the core's own, but whole."""

import inspect
import linecache
import sysconfig
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Generic, Literal, TypeVar

import numpy as np
import numpy.typing as npt

Position = TypeVar("Position")


# Frames of these are not the user's code: this package, other packages, Python itself.
_LIBRARIES = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    "<frozen",
)


def describe(error: BaseException) -> str:
    """What a rules method raised and where in the user's code, in one line."""
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    said = f": {words}" if words else ""
    return f"raised {type(error).__name__}{said}{_place(error)}"


def _place(error: BaseException) -> str:
    """Where the user's code raised an error, " (rules.py, line 3)"; not where a library did."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}, line {error.lineno})"
    frames = own_frames(error) or traceback.extract_tb(error.__traceback__)
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""


def own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of the user's code that an error went through, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]


def place_of_class(rules: type) -> str:
    """Where a class is written, "rules.py:12"; "" where there is no file of it."""
    try:
        file = inspect.getsourcefile(rules) or ""
        linecache.checkcache(file)  # it may have been edited since
        return f"{file}:{inspect.getsourcelines(rules)[1]}"
    except (OSError, TypeError, SyntaxError):
        return ""


def place_of_method(rules: object, method: str) -> str:
    """Where a method is written, "rules.py:41"; of one that is inherited from here, the class."""
    code = getattr(inspect.unwrap(getattr(rules, method, place_of_class)), "__code__", None)
    if code is None or code.co_filename == __file__:
        return place_of_class(type(rules))
    return f"{code.co_filename}:{code.co_firstlineno}"


class PythonGame(ABC, Generic[Position]):
    """A game's rules: subclass it, name the facts, answer the questions.

    A position is any value that is never changed once made (a tuple, a frozen dataclass, a
    string). It has no history; a game that forbids repetition keeps its own count inside it.

    Optional: heuristic(position), seat 0's value in [-1, 1]. And a symmetry that training uses to
    show every position twice: mirror(position), the image or None where it has none, with
    mirror_action(position, action), what the action is there.
    """

    name: str  # lower-case letters, digits and '_': load(name) once it is registered
    version: int = 1  # of the rules: raise it when a game may go differently
    encoding: int = 1  # of the planes and slots: raise it when a net would see something else
    actions: int  # action numbers are below this
    slots: int  # policy slots are below this
    planes: tuple[int, int, int]  # channels, rows, columns of encode()
    board: tuple[int, int]  # rows, columns of cells()
    max_plies: int  # choices after which a runner stops a game
    has_chance: bool = False  # whether some plies are a die's
    has_random_start: bool = False  # whether the seed draws the start
    event_names: Sequence[str] = ()  # columns of events()
    seat_names: tuple[str, str] = ("seat 0", "seat 1")  # what people call the seats
    human_seat: int = 0  # where a person sits by default
    policy_layout: Literal["planes", "from_to", "flat"] = "flat"  # of the slots (docs/planes.md)
    typical_plies: float = 0.0  # choices in a game of self-play; 0: unknown
    typical_moves: float = 0.0  # legal moves per choice in such games
    pgn_variants: Sequence[str] = ()  # PGN's Variant tag, then other spellings; (): no PGN
    constants: Mapping[str, int] = {}  # numbers of the rules by name
    pictures: Mapping[str, str] = {}  # what a man is drawn as: {"K": "king"} (games/men)

    @abstractmethod
    def start(self, seed: int) -> Position:
        """The first position; the seed draws what the rules leave to chance."""

    @abstractmethod
    def parse(self, text: str) -> Position:
        """The position a text describes; a ValueError says what is wrong with it."""

    @abstractmethod
    def text(self, position: Position) -> str:
        """The position as text: all of it, so that parse gives it back."""

    @abstractmethod
    def mover(self, position: Position) -> int:
        """Who chooses now: 0, 1 or CHANCE."""

    @abstractmethod
    def ending(self, position: Position) -> tuple[float, str] | None:
        """Seat 0's outcome, in [-1, 1], and the reason; None while the game goes on."""

    @abstractmethod
    def legal(self, position: Position) -> Sequence[int]:
        """The legal actions in a fixed order; asked only while the game goes on."""

    @abstractmethod
    def apply(self, position: Position, action: int) -> Position:
        """The position after a legal action."""

    @abstractmethod
    def encode(self, position: Position) -> npt.NDArray[np.float32]:
        """What a net sees as the mover: [channels, rows, columns] in [0, 1]."""

    def slot(self, position: Position, action: int) -> int:
        """The policy slot of a legal action; its own number unless said otherwise."""
        return action

    def say(self, position: Position, action: int) -> str:
        """The move text of a legal action, another one for each."""
        return str(action)

    def chances(self, position: Position) -> Sequence[float]:
        """Probabilities beside legal() while the mover is CHANCE; even unless said otherwise."""
        faces = len(self.legal(position))
        return [1 / faces] * faces

    def events(self, position: Position, action: int) -> Sequence[float]:
        """What the action does, one number for each of event_names."""
        return [0.0] * len(self.event_names)

    def cells(self, position: Position) -> Sequence[tuple[str, int]]:
        """(man, seat) for each square, from the bottom row up; ("", -1) where nobody stands."""
        rows, columns = self.board
        return [("", -1)] * (rows * columns)

    def info(self, position: Position) -> Sequence[tuple[str, str]]:
        """(label, words) about what the position holds beside the men on their squares."""
        return []

    def kind(self, position: Position, action: int) -> str:
        """What kind of action a legal one is, for people who are shown the choices."""
        return "moves"
