"""Checks the shipped lessons of Monster Chess against endgame tables, or writes them again.

.venv/bin/python scripts/monster_lessons.py endgames          checks them
.venv/bin/python scripts/monster_lessons.py endgames --make   writes them again, then checks them

`endgames` is the folder of the tables (`rulezero solve`).
"""

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rulezero._core import GameError, RulezeroError, State
from rulezero.endgame.monster import GAME, Tables
from rulezero.endgame.monster import open as open_tables
from rulezero.endgame.positions import draw
from rulezero.fleet.local import run
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.play.task import Task
from rulezero.training.games.monster import TIERS, check, lessons, line_of
from rulezero.training.games.training import Lesson

FILE = (
    Path(__file__).parents[1] / "src" / "rulezero" / "training" / "games" / "data" / "monster.txt"
)

# Tiers 1 and 2, Black to move: tier, number of positions, men, distances.
_SOLVED = [
    (1, 2, "KvKQR", range(2, 3)),
    (1, 2, "KvKQQR", range(2, 3)),
    (1, 2, "KvKRRR", range(2, 3)),
    (1, 1, "KvKQBN", range(2, 3)),
    (1, 2, "KPvKQR", range(2, 3)),
    (2, 2, "KvKQQQ", range(4, 6)),
    (2, 2, "KvKQQR", range(4, 7)),
    (2, 2, "KvKQRR", range(4, 7)),
    (2, 2, "KvKRRR", range(4, 8)),
    (2, 2, "KPvKQR", range(4, 8)),
]

# Tiers 3 to 5 come from games that begin with these men, or from the start of the game: number of
# positions, men.
_PLAYED: dict[int, tuple[int, tuple[str, ...]]] = {
    3: (7, ("KPvKQRR", "KPvKRRR", "KPPvKQQR", "KPPvKQRR")),
    4: (8, ("KPPvKQQRR", "KPPvKQRRBN", "KPPPvKQQRRB", "KPPPvKQRRRN")),
    5: (6, ()),
}
_PLAYER = "puct:sims=200,temperature=1,temperature_turns=20"
_ESTIMATE = "puct:sims=3200"
_GAMES = 120  # of each tier
_SKIPPED = 8  # first plies of a game that are skipped
_LEAST_ADVANTAGE = -0.3  # seat 0's value in a lesson is below this
_STATES = 6  # states of a game that are tried


def make(tables: Tables, seed: int = 0) -> list[Lesson]:
    """Lessons of all tiers."""
    dice = random.Random(seed)
    solved = [
        lesson
        for tier, many, men, distances in _SOLVED
        for lesson in _solved(tables, tier, many, men, distances, dice)
    ]
    return [*solved, *_played(tables, seed, dice)]


def _solved(
    tables: Tables, tier: int, many: int, men: str, distances: range, dice: random.Random
) -> Iterator[Lesson]:
    game = load(GAME)
    while many > 0:
        state = game.parse(draw(men, dice))
        known = tables.probe(state)
        if known is None:
            raise GameError(f"there is no table of {men}: rulezero solve {GAME} {men}")
        if known.value == -1 and known.distance in distances:
            yield Lesson(state.text, tier, -1, known.distance)
            many -= 1


def _played(tables: Tables, seed: int, dice: random.Random) -> Iterator[Lesson]:
    """Lessons from games, at most one from each game."""
    for tier, (many, armies) in _PLAYED.items():
        starts = [draw(army, dice) for army in armies for _ in range(_GAMES)]
        found = 0
        for states in _games(tier, starts, seed):
            lesson = next(_worthy(tables, tier, states, dice), None)
            if lesson is not None:
                yield lesson
                found += 1
            if found == many:
                break
        else:
            raise GameError(f"{_GAMES} games have {found} of {many} lessons of tier {tier}")


def _games(tier: int, starts: Sequence[str], seed: int) -> Iterator[list[State]]:
    """Games from these starts, or from the usual one: the states in which Black moves."""
    game = load(GAME)
    fine = [text for text in starts if not game.parse(text).is_over]
    random.Random(seed).shuffle(fine)
    task = Task(
        game=GAME,
        a=_PLAYER,
        b=_PLAYER,
        games=_GAMES,
        seed=seed,
        swap=False,
        starts=tuple(fine[:_GAMES]),
        opening=0 if starts else 6,
        name=f"lessons/{tier}",
    )
    records = sorted((done.record for done in run(task, workers=0)), key=lambda r: r.index)
    for record in records:
        yield _states(game.parse(record.start), record.action_numbers().tolist())


def _worthy(
    tables: Tables, tier: int, states: Sequence[State], dice: random.Random
) -> Iterator[Lesson]:
    """States of a game that no table covers, with white pawns, in which Black seems better."""
    later = [
        state
        for state in states[_SKIPPED // 3 :]
        if "P" in state.text.split()[0] and tables.probe(state) is None
    ]
    for state in dice.sample(later, min(_STATES, len(later))):
        value = read_player(_ESTIMATE).think(state).value
        if value is not None and value < _LEAST_ADVANTAGE:
            yield Lesson(state.text, tier, round(value, 2))


def _states(start: State, actions: Sequence[int]) -> list[State]:
    """Every state in which Black moves, without its history and with its move clock at 0."""
    found, state = [], start
    for action in actions:
        if state.mover == 1:
            board, side, castling, passing, *_ = state.text.split()
            found.append(state.game.parse(f"{board} {side} {castling} {passing} 0 1"))
        state = state.apply(action)
    return found


def main() -> int:
    """Checks the lessons; returns 1 if a shipped lesson is wrong."""
    folder, *options = sys.argv[1:] or [""]
    tables = open_tables(folder)
    if options == ["--make"]:
        head = [f"# tier {tier}: {about}" for tier, about in TIERS.items()]
        made = [line_of(lesson) for lesson in make(tables)]
        FILE.write_text("\n".join([*head, "", *made, ""]), encoding="utf-8")
    shipped = lessons(FILE)
    problems = list(check(shipped, tables))
    for problem in problems:
        print(problem)
    print(f"{len(shipped)} lessons, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RulezeroError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
