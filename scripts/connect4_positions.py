"""Writes the fixed positions of Connect Four: .venv/bin/python scripts/connect4_positions.py.

Each position comes from a different game. The players choose some of their moves with care and the
others at random; the share of careful moves is drawn for every game. The positions are spread
evenly over the numbers of men, and over wins and draws for the mover (early: three to one). In lost
positions, no move is a mistake.
"""

import itertools
import random
import sys
from collections import Counter
from pathlib import Path

from rulezero._core import Connect4Solver, State
from rulezero.endgame.connect4 import MEN, Part, Solved, men_of, write
from rulezero.games.load import load

FILE = Path(__file__).parents[1] / "src" / "rulezero" / "endgame" / "data" / "connect4.txt"
SEED = 0
EACH = 500  # positions of a kind
_CARE = (0.0, 0.5, 0.8, 1.0)  # shares of careful moves
_SOLVED_FROM = 18  # men; from here on, careful moves are perfect
_WORTHS: dict[Part, tuple[int, ...]] = {  # values for the mover, in turn; early draws are rare
    "early": (1, 1, 1, 0),
    "middle": (1, 0),
    "late": (1, 0),
}


def make(kind: Part, *, seed: int = SEED, each: int = EACH, table: int = 512) -> list[Solved]:
    """The positions of a kind, by their number of men; they depend only on the seed.

    `table` is the size of the solver's table in MiB: the larger, the faster.
    """
    dice = random.Random(f"{seed}/{kind}")
    solver = Connect4Solver(table=table)
    open_places = _places(kind, each)
    seen: set[str] = set()
    found: list[Solved] = []
    while open_places:
        men = dice.choice(sorted({men for men, _ in open_places}))
        state = _play(men, dice, solver)
        if state is None or state.text in seen or not _is_open(state):
            continue
        place = (men, solver.value(state) * (1 if state.mover == 0 else -1))
        if place not in open_places:
            continue
        solved = Solved(state, solver.values(state))
        if not _is_subtle(solved):
            continue
        seen |= {state.text, mirrored(state.text)}
        found.append(solved)
        open_places -= Counter({place: 1})
        print(f"\r{kind}: {len(found)} of {each}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return sorted(found, key=lambda one: (men_of(one.state), one.state.text))


def mirrored(text: str) -> str:
    """The text of the position's mirror image."""
    board, side = text.split()
    return "/".join(row[::-1] for row in board.split("/")) + " " + side


def _places(kind: Part, each: int) -> Counter[tuple[int, int]]:
    """The number of positions to make for each number of men and each value, 1 won or 0 drawn."""
    places = itertools.cycle((men, worth) for worth in _WORTHS[kind] for men in MEN[kind])
    return Counter(itertools.islice(places, each))


def _play(men: int, dice: random.Random, solver: Connect4Solver) -> State | None:
    """The position of a game after this many moves; None if the game does not get there.

    Moves that win at once are not played, so that the game does not end before.
    """
    care = dice.choice(_CARE)
    state = load("connect4").start()
    for played in range(men):
        winning = _winning(state)
        moves = [action for action in state.legal if action not in winning]
        if not winning and dice.random() < care:
            moves = _careful(state, solver) if played >= _SOLVED_FROM else _cautious(state)
        if not moves:
            return None
        state = state.apply(dice.choice(moves))
    return state


def _cautious(state: State) -> list[int]:
    """Moves that do not lose at once, or all moves if there are none."""
    return [a for a in state.legal if not _winning(state.apply(a))] or state.legal


def _careful(state: State, solver: Connect4Solver) -> list[int]:
    """Moves that are not mistakes."""
    solved = Solved(state, solver.values(state))
    return [action for action in state.legal if not solved.is_mistake(action)]


def _winning(state: State) -> list[int]:
    """The moves that win at once."""
    return [action for action in state.legal if state.apply(action).end_reason == "four"]


def _is_open(state: State) -> bool:
    """Whether there is no win at once, and several moves that do not lose at once."""
    return not _winning(state) and sum(not _winning(state.apply(a)) for a in state.legal) > 1


def _is_subtle(solved: Solved) -> bool:
    """Whether there is a mistake after which the opponent has no win at once."""
    state = solved.state
    return any(solved.is_mistake(a) and not _winning(state.apply(a)) for a in state.legal)


if __name__ == "__main__":
    made = [solved for kind in MEN for solved in make(kind)]
    FILE.write_text("".join(f"{write(solved)}\n" for solved in made), encoding="utf-8")
