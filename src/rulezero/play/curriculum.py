"""Lessons for Black in Monster Chess: positions by tier, with what is known of them.

    python -m rulezero.play.curriculum endgames          checks the shipped lessons against tables
    python -m rulezero.play.curriculum endgames --make   makes them anew

Tiers 1 and 2 are solved, so their values are certain; tiers 3 to 5 come from games, and their
values are a search's estimates. A file of lessons is a file of starts like any other: what is
known stands behind each position as a comment.
"""

import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path

import msgspec

from rulezero._core import GameError, PositionError, State
from rulezero.endgame.tables import GAME, Tables
from rulezero.endgame.tables import open as open_tables
from rulezero.games.load import load
from rulezero.play.runner import run
from rulezero.play.seats import seat
from rulezero.play.task import Task

TIERS = {
    1: "the white king is lost at once",
    2: "the white king is lost in a few turns",
    3: "few men, the white king has little room",
    4: "queens and rooks enough, and white pawns",
    5: "the middle of the game",
}
PROVEN = (1, 2)

_FORM = re.compile(
    r"(?P<text>[^#]+?)\s+# tier (?P<tier>\d), "
    r"(?:value (?P<value>-?1|0) in (?P<distance>\d+), proven|about (?P<about>[+-]?\d\.\d\d))"
)

# Tiers 1 and 2: so many positions of these men, at these distances, Black to move.
_SOLVED = [
    (1, 2, "KvKQR", range(1, 3)),
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

# Tiers 3 to 5 come from games in which Black thinks harder.
_WHITE = "puct:sims=16,temperature=1,temperature_turns=20"
_BLACK = "puct:sims=400"
_GAMES = 200
_ESTIMATE = "puct:sims=3200"
_LEAST_ADVANTAGE = -0.3  # of a lesson's estimate, seat 0's
_MEN: dict[int, tuple[int, Callable[[str], bool]]] = {
    3: (7, lambda men: _heavy(men) >= 2 and _black(men) <= 4 and 1 <= men.count("P") <= 2),
    4: (8, lambda men: _heavy(men) >= 3 and 4 < _black(men) <= 9 and 1 <= men.count("P") <= 3),
    5: (6, lambda men: _black(men) >= 10 and men.count("P") <= 3),
}


class Lesson(msgspec.Struct, frozen=True):
    """A position to learn from."""

    text: str
    tier: int
    value: float  # seat 0's
    distance: int | None = None  # the winner's turns to the end, where it is proven

    @property
    def is_proven(self) -> bool:
        """Whether the value is certain."""
        return self.distance is not None

    @property
    def line(self) -> str:
        """As a file has it."""
        if self.is_proven:
            known = f"value {self.value:.0f} in {self.distance}, proven"
        else:
            known = f"about {self.value:+.2f}"
        return f"{self.text}  # tier {self.tier}, {known}"


def lessons(path: str | Path | None = None) -> list[Lesson]:
    """The lessons of a file, or the shipped ones. PositionError names the line that is none."""
    if path is None:
        text = (resources.files("rulezero.games") / "data/starts/monster.txt").read_text("utf-8")
    else:
        text = Path(path).read_text(encoding="utf-8")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = _FORM.fullmatch(line.strip())
        if match is None:
            raise PositionError(f"{path}:{number}: this is no lesson: {line!r}")
        distance = match["distance"]
        found.append(
            Lesson(
                match["text"],
                int(match["tier"]),
                float(match["value"] or match["about"]),
                None if distance is None else int(distance),
            )
        )
    return found


def check(found: Iterable[Lesson], tables: Tables) -> Iterator[str]:
    """What is wrong with lessons, a line each. Proven ones need a table."""
    game = load(GAME)
    for lesson in found:
        state = game.parse(lesson.text)
        if state.is_over:
            yield f"{lesson.text}: the game is over"
        if lesson.is_proven != (lesson.tier in PROVEN):
            yield f"{lesson.text}: tiers {PROVEN} are proven, and no others"
        if not lesson.is_proven:
            continue
        known = tables.probe(state)
        if known is None:
            yield f"{lesson.text}: there is no table for it"
        elif (known.value, known.distance) != (lesson.value, lesson.distance):
            yield f"{lesson.text}: it is {known.value} in {known.distance}"


def make(tables: Tables, seed: int = 0) -> list[Lesson]:
    """Lessons of all tiers."""
    dice = random.Random(seed)
    solved = [
        lesson
        for tier, many, men, distances in _SOLVED
        for lesson in _solved(tables, tier, many, men, distances, dice)
    ]
    return [*solved, *_played(seed, dice)]


def _solved(
    tables: Tables, tier: int, many: int, men: str, distances: range, dice: random.Random
) -> Iterator[Lesson]:
    game = load(GAME)
    while many > 0:
        state = game.parse(_any_position(men, dice))
        known = tables.probe(state)
        if known is None:
            raise GameError(f"there is no table of {men}: rulezero solve {GAME} {men}")
        if known.value == -1 and known.distance in distances:
            yield Lesson(state.text, tier, -1, known.distance)
            many -= 1


def _any_position(men: str, dice: random.Random) -> str:
    """Some men on different squares, Black to move."""
    white, black = men.split("v")
    letters = white + black.lower()
    while True:
        board = dict(zip(dice.sample(range(64), len(letters)), letters, strict=True))
        if any(man == "P" and square // 8 in (0, 7) for square, man in board.items()):
            continue
        cells = "".join(board.get(square, ".") for square in range(64))
        rows = (cells[8 * rank : 8 * rank + 8] for rank in range(7, -1, -1))
        packed = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows))
        return f"{packed} b - - 0 1"


def _played(seed: int, dice: random.Random) -> Iterator[Lesson]:
    """Lessons from games, no two from the same."""
    game = load(GAME)
    task = Task(
        game=GAME,
        a=_WHITE,
        b=_BLACK,
        games=_GAMES,
        seed=seed,
        swap=False,
        opening=4,
        name="lessons",
    )
    records = sorted((done.record for done in run(task, workers=0)), key=lambda r: r.index)
    judge = seat(_ESTIMATE)
    left = {tier: many for tier, (many, _) in _MEN.items()}
    for record in records:
        states = _states(game.parse(record.start), record.action_numbers().tolist())
        dice.shuffle(states)
        lesson = next(
            (
                Lesson(state.text, tier, round(value, 2))
                for tier, state in _fitting(states, left)
                if (value := judge.think(state).value) is not None and value < _LEAST_ADVANTAGE
            ),
            None,
        )
        if lesson is not None:
            left[lesson.tier] -= 1
            yield lesson
        if not any(left.values()):
            return
    raise GameError(f"{_GAMES} games have too few lessons: {left} are missing")


def _fitting(states: Sequence[State], left: dict[int, int]) -> Iterator[tuple[int, State]]:
    for tier, (_, fits) in _MEN.items():
        if left[tier]:
            yield from ((tier, state) for state in states[:40] if fits(state.text.split()[0]))


def _states(start: State, actions: Sequence[int]) -> list[State]:
    """Every state in which Black moves, without its past; the clock begins anew."""
    found, state = [], start
    for action in actions:
        if state.mover == 1:
            board, side, castling, passing, *_ = state.text.split()
            found.append(state.game.parse(f"{board} {side} {castling} {passing} 0 1"))
        state = state.apply(action)
    return found


def _heavy(men: str) -> int:
    return men.count("q") + men.count("r")


def _black(men: str) -> int:
    return sum(letter.islower() for letter in men)


def main() -> int:
    """Checks or makes the shipped lessons."""
    folder, *options = sys.argv[1:] or [""]
    tables = open_tables(folder)
    if options == ["--make"]:
        path = Path(str(resources.files("rulezero.games") / "data/starts/monster.txt"))
        path.parent.mkdir(exist_ok=True)
        head = [f"# tier {tier}: {about}" for tier, about in TIERS.items()]
        made = [lesson.line for lesson in make(tables)]
        path.write_text("\n".join([*head, "", *made, ""]), encoding="utf-8")
    problems = list(check(lessons(), tables))
    for problem in problems:
        print(problem)
    print(f"{len(lessons())} lessons, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
