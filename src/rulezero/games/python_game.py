"""The base class of games written in Python: slower than the core's games, but complete."""

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

from rulezero.games.library import shown

Position = TypeVar("Position")


# Files below these paths are not the user's code: this package, other packages, Python itself.
_LIBRARIES = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    "<frozen",
)


def describe(error: BaseException) -> str:
    """What a method of the rules raised, and where in the user's code, in one line."""
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    said = f": {words}" if words else ""
    return f"raised {type(error).__name__}{said}{_place(error)}"


def _place(error: BaseException) -> str:
    """Where the user's code raised an error, " (rules.py, line 3)", not where a library did."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({shown(error.filename)}, line {error.lineno})"
    frames = own_frames(error) or traceback.extract_tb(error.__traceback__)
    return f" ({shown(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""


def own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of the user's code that an error went through, the innermost last."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]


def place_of_class(rules: type) -> str:
    """Where a class is defined, "rules.py:12"; "" if it has no file."""
    try:
        file = inspect.getsourcefile(rules) or ""
        linecache.checkcache(file)  # it may have been edited since
        return f"{file}:{inspect.getsourcelines(rules)[1]}"
    except (OSError, TypeError, SyntaxError):
        return ""


def place_of_method(rules: object, method: str) -> str:
    """Where a method is defined, "rules.py:41"; if it is inherited from here, the class."""
    code = getattr(inspect.unwrap(getattr(rules, method, place_of_class)), "__code__", None)
    if code is None or code.co_filename == __file__:
        return place_of_class(type(rules))
    return f"{code.co_filename}:{code.co_firstlineno}"


class PythonGame(ABC, Generic[Position]):
    """A game's rules: subclass it, set the facts, and implement the methods.

    A position is any value that no method changes (a tuple, a frozen dataclass, a string). It has
    no history; a game that forbids repetition keeps its own count in the position.

    Optional methods: heuristic(position) returns seat 0's value in [-1, 1]. A game with a symmetry
    can have mirror(position), the mirror image or None, and mirror_action(position, action), the
    action's number in the image; training then mirrors half of the positions.
    """

    name: str  # lower-case letters, digits and '_': load(name) once it is registered
    version: int = 1  # of the rules: increase it when they change
    encoding: int = 1  # of the planes and slots: increase it when they change
    actions: int  # action numbers are below this
    slots: int  # policy slots are below this
    planes: tuple[int, int, int]  # channels, rows, columns of encode()
    plane_names: Sequence[str] = ()  # what each plane shows, in a few words; (): no names
    board: tuple[int, int]  # rows, columns of cells()
    max_plies: int  # a game is stopped after this many choices
    has_chance: bool = False  # whether some plies are rolls of dice
    has_random_start: bool = False  # whether the start depends on the seed
    event_names: Sequence[str] = ()  # names of the numbers that events() returns
    seat_names: tuple[str, str] = ("seat 0", "seat 1")  # the seats' names for people
    human_seat: int = 0  # the seat of a person by default
    policy_layout: Literal["planes", "from_to", "flat"] = "flat"  # of the slots (docs/planes.md)
    typical_plies: float = 0.0  # average choices in a game of self-play; 0: unknown
    typical_moves: float = 0.0  # average legal moves per choice in such games
    pgn_variants: Sequence[str] = ()  # PGN's Variant tag, then other spellings; (): no PGN
    constants: Mapping[str, int] = {}  # numbers of the rules by name
    pictures: Mapping[str, str] = {}  # the drawing of a man: {"K": "king"} (games/men)

    @abstractmethod
    def start(self, seed: int) -> Position:
        """The first position; its random parts depend on the seed alone."""

    @abstractmethod
    def parse(self, text: str) -> Position:
        """The position that a text describes; raises ValueError if the text is wrong."""

    @abstractmethod
    def text(self, position: Position) -> str:
        """The complete position as text, from which parse() returns the same position."""

    @abstractmethod
    def mover(self, position: Position) -> int:
        """The side whose choice is next: 0, 1 or CHANCE."""

    @abstractmethod
    def ending(self, position: Position) -> tuple[float, str] | None:
        """Seat 0's outcome, in [-1, 1], and the reason; None while the game goes on."""

    @abstractmethod
    def legal(self, position: Position) -> Sequence[int]:
        """The legal actions in a fixed order; called only while the game goes on."""

    @abstractmethod
    def apply(self, position: Position, action: int) -> Position:
        """The position after a legal action."""

    @abstractmethod
    def encode(self, position: Position) -> npt.NDArray[np.float32]:
        """The net's input, from the mover's view: [channels, rows, columns] in [0, 1]."""

    def slot(self, position: Position, action: int) -> int:
        """The policy slot of a legal action; by default the action's number."""
        return action

    def say(self, position: Position, action: int) -> str:
        """The move text of a legal action, different for each; by default its number."""
        return str(action)

    def chances(self, position: Position) -> Sequence[float]:
        """The probabilities of legal() while the mover is CHANCE; by default all equal."""
        faces = len(self.legal(position))
        return [1 / faces] * faces

    def events(self, position: Position, action: int) -> Sequence[float]:
        """The effects of the action, one number for each of event_names."""
        return [0.0] * len(self.event_names)

    def cells(self, position: Position) -> Sequence[tuple[str, int]]:
        """(man, seat) for each square, from the bottom row up; ("", -1) if empty."""
        rows, columns = self.board
        return [("", -1)] * (rows * columns)

    def info(self, position: Position) -> Sequence[tuple[str, str]]:
        """Pairs (label, words) that describe the position besides the men on the board."""
        return []

    def kind(self, position: Position, action: int) -> str:
        """The kind of a legal action, under which lists for people show it."""
        return "moves"
