"""Solves Connect Four: exact values, mistakes, and fixed positions for measuring mistakes.

from rulezero.endgame import connect4

connect4.values(state)
"""

import re
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from rulezero._core import Connect4Solver, GameError, MoveError, State
from rulezero.games.load import load

Part = Literal["early", "middle", "late"]
Set = Literal[
    "begin-easy", "begin-medium", "begin-hard", "middle-easy", "middle-medium", "end-easy"
]
Kind = Part | Set

MEN: dict[Part, range] = {"early": range(8, 15), "middle": range(15, 25), "late": range(25, 35)}
"""The numbers of men in the positions of each kind."""

SETS: dict[Set, tuple[range, range]] = {
    "begin-easy": (range(15), range(14)),
    "begin-medium": (range(15), range(14, 29)),
    "begin-hard": (range(15), range(29, 43)),
    "middle-easy": (range(15, 29), range(14)),
    "middle-medium": (range(15, 29), range(14, 29)),
    "end-easy": (range(29, 43), range(14)),
}
"""The sets by name: the number of moves played, and of those to the end under perfect play."""

POSITIONS = Path(__file__).parent / "data" / "connect4.txt"
"""The file of fixed positions, one per line; scripts/connect4_positions.py makes it."""

SIGNS = {1: "+", 0: "=", -1: "-"}
"""The sign of a column's value in that file; a full column has a dot."""


class Solved(NamedTuple):
    """A position with its exact values."""

    state: State
    values: dict[int, int]  # seat 0's, by legal action

    @property
    def for_mover(self) -> dict[int, int]:
        """The values for the mover."""
        sign = 1 if self.state.mover == 0 else -1
        return {action: sign * value for action, value in self.values.items()}

    @property
    def best(self) -> int:
        """The position's value for the mover: 1, 0 or -1."""
        return max(self.for_mover.values())

    def is_mistake(self, action: int) -> bool:
        """Whether the mover has a better move; MoveError if this one is not legal."""
        if action not in self.values:
            raise MoveError(f"action {action} is not legal here; legal: {self.state.legal}")
        return self.for_mover[action] < self.best


class Judged(NamedTuple):
    """A position with its exact value, and perhaps those of its moves."""

    state: State
    best: int  # the position's value for the mover: 1, 0 or -1
    moves: dict[int, int] | None = None  # for the mover, by action; None: not known

    def value_of(self, action: int) -> int:
        """The mover's value after a move, which is solved if it is not known."""
        if self.moves is not None:
            return self.moves[action]
        sign = 1 if self.state.mover == 0 else -1
        return sign * value(self.state.apply(action)) if self.best > -1 else -1


@cache
def solver() -> Connect4Solver:
    """The solver, shared by the whole process."""
    return Connect4Solver(table=64)


def value(state: State) -> int:
    """Seat 0's value with best play: 1, 0 or -1."""
    return solver().value(state)


def values(state: State) -> dict[int, int]:
    """Seat 0's value of each legal action: 1, 0 or -1; {} if the game is over.

    With fewer than eight men on the board it may take minutes.
    """
    return solver().values(state)


def is_mistake(state: State, action: int) -> bool:
    """Whether the action gives game value away: a win for a draw or a loss, a draw for a loss."""
    return Solved(state, values(state)).is_mistake(action)


def score(state: State) -> int:
    """The mover's score: 22 minus the number of men of the winner at the end, with best play.

    It is negative if the mover loses, and 0 for a draw.
    """
    return solver().score(state)


def remaining(state: State, score: int) -> int:
    """The number of moves to the end with best play, in a position with this score."""
    men = men_of(state)
    if score == 0:
        return 42 - men
    winner = state.mover if score > 0 else 1 - state.mover
    return 2 * (22 - abs(score)) - (winner == 0) - men


def men_of(state: State) -> int:
    """The number of men on the board."""
    return sum(state.text.count(man) for man in "XO")


def positions(kind: Part) -> tuple[Solved, ...]:
    """The 500 fixed positions of a kind: always the same, in the same order.

    In each, the mover has no immediate win, a mistake that the opponent cannot punish at once, and
    a better move.
    """
    if kind not in get_args(Part):
        raise GameError(f"there are no '{kind}' positions; known: {', '.join(get_args(Part))}")
    return _shipped()[kind]


def judged(kind: str) -> tuple[Judged, ...]:
    """The fixed positions of a set, or of a part of the game, with the values of their moves."""
    for part, each in _shipped().items():
        if kind == part:
            return tuple(Judged(one.state, one.best, one.for_mover) for one in each)
    if kind not in SETS:
        known = ", ".join((*SETS, *get_args(Part)))
        raise GameError(f"there are no '{kind}' positions; known: {known}")
    return _set(kind)


@cache
def _set(kind: str) -> tuple[Judged, ...]:
    return read_set(folder_of_sets() / f"{kind}.txt")


def folder_of_sets() -> Path:
    """The folder with a file for each set; scripts/connect4_sets.py makes them."""
    return Path(__file__).parent / "data" / "connect4_sets"


def read_set(path: Path) -> tuple[Judged, ...]:
    """The positions of a file: in each line the columns played (1 to 7) and the mover's score.

    Our own files have a third word: the sign of the value of each column.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"'{path}' cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(read_line(line))
            except GameError as error:
                raise GameError(f"{path}:{number}: {error}") from None
    if not found:
        raise GameError(f"'{path}' has no positions: give a line such as '4455 18' for each")
    return tuple(found)


def read_line(line: str) -> Judged:
    """The position of a line such as "4455 18"; GameError."""
    columns, *rest = line.split()
    if not 1 <= len(rest) <= 2 or not re.fullmatch(r"-?[0-9]{1,2}", rest[0]):
        raise GameError(f"'{line[:60].strip()}' is not a position: give columns and a score")
    if not re.fullmatch("[1-7]{0,42}", columns):
        raise GameError(f"'{columns[:50]}' are not columns: give digits from 1 to 7")
    state = load("connect4").start()
    for column in columns:
        if int(column) - 1 not in state.legal:
            raise GameError(f"'{columns}': move {len(state.actions) + 1} is not legal")
        state = state.apply(int(column) - 1)
    if state.is_over:
        raise GameError(f"'{columns}': the game is over")
    points = int(rest[0])
    best = (points > 0) - (points < 0)
    if len(rest) == 1:
        return Judged(state, best)
    values = _read_signs(rest[1])
    if sorted(values) != state.legal or max(values.values()) != best:
        raise GameError(f"'{rest[1][:20]}' are not the values of the moves in '{columns}'")
    return Judged(state, best, values)


def write_line(state: State, score: int, values: dict[int, int]) -> str:
    """The line that `read_line` reads; `values` are seat 0's, by action."""
    sign = 1 if state.mover == 0 else -1
    columns = "".join(str(action + 1) for action in state.actions)
    return f"{columns} {score} {_signs({a: sign * v for a, v in values.items()})}"


@cache
def _shipped() -> dict[Part, tuple[Solved, ...]]:
    """All fixed positions, by kind."""
    solved = [read(line) for line in POSITIONS.read_text(encoding="utf-8").splitlines()]
    return {
        kind: tuple(one for one in solved if men_of(one.state) in men) for kind, men in MEN.items()
    }


def write(solved: Solved) -> str:
    """The line that `read` reads: the position's text, and a sign for each column from a to g."""
    return f"{solved.state.text} {_signs(solved.values)}"


def read(line: str) -> Solved:
    """A position and its values from a line of the file."""
    text, signs = line.rsplit(" ", 1)
    return Solved(load("connect4").parse(text), _read_signs(signs))


def _signs(values: dict[int, int]) -> str:
    return "".join(SIGNS[values[column]] if column in values else "." for column in range(7))


def _read_signs(signs: str) -> dict[int, int]:
    meaning = {sign: number for number, sign in SIGNS.items()}
    if not re.fullmatch(r"[-+=.]{7}", signs):
        raise GameError(f"'{signs[:20]}' are not the signs of seven columns, such as +=-...-")
    return {column: meaning[sign] for column, sign in enumerate(signs) if sign != "."}
