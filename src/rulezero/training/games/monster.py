"""Lessons for Black in Monster Chess: positions by tier, with their values.

Tiers 1 and 2 are solved, so their values are certain; tiers 3 to 5 come from games, and their
values are a search's estimates. A file of lessons is also a file of starts: the value of each
position is in a comment after it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path

from rulezero._core import Game, PositionError
from rulezero.data.record import Record
from rulezero.endgame.monster import GAME, Tables
from rulezero.games.load import load
from rulezero.learn.targets import TargetSettings
from rulezero.training.games.figures import GameFigures, TierResults
from rulezero.training.games.training import GameTraining, Lesson

TIERS = {
    1: "the white king is trapped, and lost with the next turn",
    2: "the white king is lost in a few turns",
    3: "few men, the white king has little room",
    4: "queens and rooks enough, and white pawns",
    5: "the middle of the game",
}
PROVEN = (1, 2)

SHIPPED = Path(str(resources.files("rulezero.training"))) / "games" / "data" / "monster.txt"

_FORM = re.compile(
    r"(?P<text>[^#]+?)\s+# tier (?P<tier>\d), "
    r"(?:value (?P<value>-?1|0) in (?P<distance>\d+), proven|about (?P<about>[+-]?\d\.\d\d))"
)


def line_of(lesson: Lesson) -> str:
    """A lesson as a line of a file."""
    if lesson.is_proven:
        known = f"value {lesson.value:.0f} in {lesson.distance}, proven"
    else:
        known = f"about {lesson.value:+.2f}"
    return f"{lesson.text}  # tier {lesson.tier}, {known}"


def lessons(path: str | Path | None = None) -> list[Lesson]:
    """The lessons of a file, or the shipped ones. Raises PositionError for a wrong line."""
    if path is None:
        text = SHIPPED.read_text(encoding="utf-8")
    else:
        text = Path(path).read_text(encoding="utf-8")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = _FORM.fullmatch(line.strip())
        if match is None:
            raise PositionError(f"{path or SHIPPED}:{number}: this is not a lesson: {line!r}")
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
    """Yields a line for each mistake in lessons. Proven lessons need a table."""
    game = load(GAME)
    for lesson in found:
        state = game.parse(lesson.text)
        if state.is_over:
            yield f"{lesson.text}: the game is over"
        if lesson.is_proven != (lesson.tier in PROVEN):
            yield f"{lesson.text}: lessons of tiers {PROVEN} must be proven, and no others"
        known = tables.probe(state)
        if known is None:
            if lesson.is_proven:
                yield f"{lesson.text}: there is no table for it"
        elif (known.value, known.distance) != (lesson.value, lesson.distance):
            yield f"{lesson.text}: the table has value {known.value} in {known.distance}"


class MonsterTraining(GameTraining):
    """Lessons for Black, and the results of the games that begin from them."""

    game = GAME

    def lessons(self) -> Sequence[Lesson]:
        """The lessons that are shipped with rulezero."""
        return lessons()

    def figures(
        self, game: Game, records: Sequence[Record], settings: TargetSettings
    ) -> GameFigures:
        """Results by the tier of the lesson that games began from."""
        return GameFigures(tiers=tiers(records))


def tiers(records: Sequence[Record]) -> dict[str, TierResults]:
    """Results by the tier of the lesson that games began from; 0 is for all other starts."""
    known = {lesson.text: lesson.tier for lesson in lessons()}
    found: dict[str, Counter[str]] = {}
    for record in records:
        result = "drawn" if record.outcome == 0 else "white" if record.outcome > 0 else "black"
        found.setdefault(str(known.get(record.start, 0)), Counter())[result] += 1
    return {tier: TierResults(**counts) for tier, counts in sorted(found.items())}
