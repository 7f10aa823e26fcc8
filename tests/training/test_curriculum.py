"""Lessons for Black: those of the package, and the checks of lessons."""

from collections import Counter
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.endgame import Tables
from rulezero.play.starts import read_starts
from rulezero.training.games.monster import PROVEN, TIERS, check, lessons, line_of
from rulezero.training.games.training import Lesson
from rulezero.training.tasks import starts_of

GAME = rz.load("monster")
WON = "8/8/8/8/2r5/1q6/8/K2k4 b - - 0 1"  # Black wins in four turns


def test_what_is_shipped(tables: Tables) -> None:
    """Each tier has enough different lessons with Black to move, which agree with the tables."""
    shipped = lessons()
    assert len(shipped) >= 31
    assert set(Counter(lesson.tier for lesson in shipped)) == set(TIERS)
    assert len({lesson.text for lesson in shipped}) == len(shipped)
    assert all(lesson.is_proven == (lesson.tier in PROVEN) for lesson in shipped)
    assert all(GAME.parse(lesson.text).mover == 1 for lesson in shipped)
    told = [lesson for lesson in shipped if tables.probe(GAME.parse(lesson.text))]
    assert len(told) >= 4
    assert list(check(told, tables)) == []


def test_lessons_that_are_wrong(tables: Tables) -> None:
    """The error for a wrong lesson says what is wrong with it."""
    over = "8/8/8/8/8/8/8/K7 b - - 0 1"
    pawn = "4k3/8/8/8/8/q7/4P3/4K3 b - - 0 1"
    assert list(check([Lesson(WON, 2, -1, 4)], tables)) == []
    for lesson, words in [
        (Lesson(WON, 2, -1, 3), "has value -1 in 4"),
        (Lesson(WON, 2, 1, 4), "has value -1 in 4"),
        (Lesson(WON, 3, -1, 4), "must be proven, and no others"),
        (Lesson(WON, 3, -0.7), "has value -1 in 4"),
        (Lesson(WON, 1, -0.7), "must be proven, and no others"),
        (Lesson(pawn, 2, -1, 4), "no table"),
        (Lesson(over, 3, -0.5), "the game is over"),
    ]:
        problems = list(check([lesson], tables))
        assert any(words in problem for problem in problems), (lesson, problems)


def test_a_file_of_lessons(tmp_path: Path) -> None:
    """A file of lessons is also a file of starts; the error for a wrong line names it."""
    known = [Lesson(WON, 2, -1, 4), Lesson("4k3/8/8/8/8/q7/4P3/4K3 b - - 0 1", 4, -0.25)]
    path = tmp_path / "lessons.txt"
    path.write_text("# mine\n" + "".join(f"{line_of(lesson)}\n" for lesson in known))
    assert lessons(path) == known
    assert read_starts(path, GAME) == [lesson.text for lesson in known]
    path.write_text(f"{line_of(known[0])}\n{WON}\n")
    with pytest.raises(rz.PositionError, match=r"lessons\.txt:2: this is not a lesson"):
        lessons(path)


def test_starts_of_some_tiers() -> None:
    """Starts are those of all tiers or of the named ones; unknown tiers are refused."""
    by_tier = {tier: [lesson.text for lesson in lessons() if lesson.tier == tier] for tier in TIERS}
    assert starts_of("curriculum:1+3", "monster") == by_tier[1] + by_tier[3]
    assert len(starts_of("curriculum", "monster")) == len(lessons())
    for text in ("curriculum:0", "curriculum:1+6", "curriculum:first", "curriculum:1,2"):
        with pytest.raises(rz.RulezeroError, match="there is no tier"):
            starts_of(text, "monster")
