"""Writes six sets of Connect Four positions: .venv/bin/python scripts/connect4_sets.py [SET...].

The sets have the definition of the public ones, which programs for Connect Four are measured with:
the number of moves that were played, and the number of moves to the end of the game under perfect
play. Each position is reached by random moves; its number of moves is drawn evenly. Positions in
which the mover can win at once are left out, and so are mirror images of others. With fewer than
twelve men a position takes many seconds to solve with all its moves, so there are none.
"""

import random
import sys

from connect4_positions import mirrored
from rulezero._core import Connect4Solver, State
from rulezero.endgame.connect4 import SETS, Set, folder_of_sets, remaining, write_line
from rulezero.games.load import load

SEED = 0
EACH = 1000  # positions of a set
FEWER: dict[Set, int] = {"begin-easy": 240, "begin-medium": 400, "begin-hard": 190}  # slow to solve
FEWEST = 12  # men


def make(kind: Set, *, seed: int = SEED, each: int = EACH, table: int = 512) -> list[str]:
    """The lines of a set, by their number of moves; they depend only on the seed.

    `table` is the size of the solver's table in MiB: the larger, the faster.
    """
    dice = random.Random(f"{seed}/{kind}")
    solver = Connect4Solver(table=table)
    played, left = SETS[kind]
    lengths = range(max(FEWEST, played.start), min(played.stop, 43 - left.start))
    seen: set[str] = set()
    lines: list[str] = []
    while len(lines) < each:
        state = _play(dice.choice(lengths), dice)
        if state is None or state.text in seen:
            continue
        score = solver.score(state)
        if remaining(state, score) not in left:
            continue
        seen |= {state.text, mirrored(state.text)}
        lines.append(write_line(state, score, solver.values(state)))
        print(f"\r{kind}: {len(lines)} of {each}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return sorted(lines, key=lambda line: (line.index(" "), line))


def _play(moves: int, dice: random.Random) -> State | None:
    """The position after random moves; None if the game ends before, or can be won at once."""
    state = load("connect4").start()
    for _ in range(moves):
        state = state.apply(dice.choice(state.legal))
        if state.is_over:
            return None
    if any(state.apply(action).end_reason == "four" for action in state.legal):
        return None
    return state


if __name__ == "__main__":
    for kind in SETS:
        if kind in (sys.argv[1:] or SETS):
            made = make(kind, each=FEWER.get(kind, EACH))
            text = "".join(f"{line}\n" for line in made)
            (folder_of_sets() / f"{kind}.txt").write_text(text, encoding="utf-8")
