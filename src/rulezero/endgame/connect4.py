"""Solves Connect Four: exact values, mistakes, and fixed positions for measuring mistakes.

from rulezero.endgame import connect4

connect4.values(state)
"""

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from rulezero._core import Connect4Solver, GameError, MoveError, State
from rulezero.games.load import load

Kind = Literal["early", "middle", "late"]

MEN: dict[Kind, range] = {"early": range(8, 15), "middle": range(15, 25), "late": range(25, 35)}
"""The numbers of men in the positions of each kind."""

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


def men_of(state: State) -> int:
    """The number of men on the board."""
    return sum(state.text.count(man) for man in "XO")


def positions(kind: Kind) -> tuple[Solved, ...]:
    """The 500 fixed positions of a kind: always the same, in the same order.

    In each, the mover has no immediate win, a mistake that the opponent cannot punish at once, and
    a better move.
    """
    if kind not in get_args(Kind):
        raise GameError(f"there are no '{kind}' positions; known: {', '.join(get_args(Kind))}")
    return _shipped()[kind]


@cache
def _shipped() -> dict[Kind, tuple[Solved, ...]]:
    """All fixed positions, by kind."""
    solved = [read(line) for line in POSITIONS.read_text(encoding="utf-8").splitlines()]
    return {
        kind: tuple(one for one in solved if men_of(one.state) in men) for kind, men in MEN.items()
    }


def write(solved: Solved) -> str:
    """The line that `read` reads: the position's text, and a sign for each column from a to g."""
    signs = (SIGNS[solved.values[c]] if c in solved.values else "." for c in range(7))
    return f"{solved.state.text} {''.join(signs)}"


def read(line: str) -> Solved:
    """A position and its values from a line of the file."""
    text, signs = line.rsplit(" ", 1)
    meaning = {sign: number for number, sign in SIGNS.items()}
    known = {column: meaning[sign] for column, sign in enumerate(signs) if sign != "."}
    return Solved(load("connect4").parse(text), known)
