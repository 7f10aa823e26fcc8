"""Lessons for Black in Monster Chess: positions by tier, with what is known of them.

Tiers 1 and 2 are solved, so their values are certain; tiers 3 to 5 come from games, and their
values are a search's estimates. A file of lessons is a file of starts like any other: what is
known stands behind each position as a comment.
"""

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

import msgspec

from rulezero._core import PositionError
from rulezero.endgame.tables import GAME, Tables
from rulezero.games.load import load

TIERS = {
    1: "the white king is trapped, and lost with the next turn",
    2: "the white king is lost in a few turns",
    3: "few men, the white king has little room",
    4: "queens and rooks enough, and white pawns",
    5: "the middle of the game",
}
PROVEN = (1, 2)

SHIPPED = Path(str(resources.files("rulezero.games"))) / "data" / "starts" / "monster.txt"

_FORM = re.compile(
    r"(?P<text>[^#]+?)\s+# tier (?P<tier>\d), "
    r"(?:value (?P<value>-?1|0) in (?P<distance>\d+), proven|about (?P<about>[+-]?\d\.\d\d))"
)


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
        text = SHIPPED.read_text(encoding="utf-8")
    else:
        text = Path(path).read_text(encoding="utf-8")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = _FORM.fullmatch(line.strip())
        if match is None:
            raise PositionError(f"{path or SHIPPED}:{number}: this is no lesson: {line!r}")
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
        known = tables.probe(state)
        if known is None:
            if lesson.is_proven:
                yield f"{lesson.text}: there is no table for it"
        elif (known.value, known.distance) != (lesson.value, lesson.distance):
            yield f"{lesson.text}: it is {known.value} in {known.distance}"
