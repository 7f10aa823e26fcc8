"""`check_game` finds mistakes in rules, names them with their place, and finds none elsewhere."""

import ast
from pathlib import Path

import pytest

import rulezero as rz
from support import documents
from support.broken_games import BROKEN, REFUSED, Broken
from support.rules_in_python import SOURCES


def check(folder: Path, source: str, games: int = 12) -> rz.GameCheck:
    """What is found in a file of this text."""
    path = folder / "mine.py"
    path.write_text(source, encoding="utf-8")
    return rz.check_game(str(path), games=games, seconds=60, other_process=False)


def line_of(source: str, method: str) -> int:
    """Where the rules of a source define a method, or their class."""
    (rules,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
        and any("PythonGame" in ast.unparse(base) for base in node.bases)
    ]
    if not method:
        return min([rules.lineno, *(each.lineno for each in rules.decorator_list)])
    found = [each for each in rules.body if isinstance(each, ast.FunctionDef)]
    lines = {each.name: each.lineno for each in found}
    return lines.get(method, line_of(source, "") if method else 0)


@pytest.mark.parametrize("name", SOURCES)
def test_correct_games_have_no_fault(tmp_path: Path, name: str) -> None:
    """Neither an error nor a warning."""
    found = check(tmp_path, SOURCES[name], games=30)
    assert found.errors == found.warnings == ()
    assert found.is_sound
    assert found.games == len(found.lengths) == sum(found.results) + found.cut == 30
    assert found.sample[-1].is_over


@pytest.mark.parametrize("name", BROKEN)
def test_mistakes_are_found(tmp_path: Path, name: str) -> None:
    """With the words that name the mistake, and the line of the method that is to blame."""
    broken = BROKEN[name]
    found = check(tmp_path, broken.source)
    faults = found.warnings if broken.is_warning else found.errors
    told = [str(fault) for fault in faults]
    place = f"{tmp_path / 'mine.py'}:{line_of(broken.source, broken.method)}"
    method = f" {broken.method}()" if broken.method else ""
    assert any(each.startswith(f"{place}{method}: ") and broken.words in each for each in told), (
        told or found
    )
    assert all("\n" not in each for each in told)


@pytest.mark.parametrize("name", REFUSED)
def test_mistakes_in_facts_are_found_when_the_file_is_loaded(tmp_path: Path, name: str) -> None:
    """With the line of the class."""
    broken: Broken = REFUSED[name]
    with pytest.raises(rz.GameError) as caught:
        check(tmp_path, broken.source)
    place = f"{tmp_path / 'mine.py'}:{line_of(broken.source, '')}"
    assert str(caught.value).startswith(f"{place}: ")
    assert broken.words in str(caught.value)


@pytest.mark.parametrize("name", ["connect4", "monster", "exchange", "razzle", "chess"])
def test_games_in_the_core_have_no_fault(name: str) -> None:
    """They have a history, of which a text says nothing."""
    found = rz.check_game(name, games=10, seconds=20)
    assert found.errors == found.warnings == ()
    assert found.plies_per_second > 0
    assert found.planes_per_second > 0


def test_several_mistakes_are_all_told(tmp_path: Path) -> None:
    """One in place and one in the texts of moves: neither hides the other."""
    source = BROKEN["apply works on the heaps themselves"].source
    source = source.replace('"pass" if heap == len(HEAPS) else f', "f")
    source = source.replace("{'abc'[heap]}{count + 1}", "{count + 1}")
    found = check(tmp_path, source)
    assert [(fault.law, fault.method) for fault in found.errors] == [
        ("unchanged", "apply"),
        ("move text", "say"),
    ]
    assert repr(found) == "<check of python:file=mine.py: 12 games, 2 errors, 0 warnings>"


def test_the_order_of_a_set_is_found_in_another_process(tmp_path: Path) -> None:
    """Texts have another hash there, and a set of them another order."""
    path = tmp_path / "mine.py"
    source = SOURCES["tictactoe"].replace("@rz.register\n", "")
    source = source.replace(
        'return [at for at in range(9) if position[at] == "-"]',
        'return [int(at) for at in {str(at) for at in range(9) if position[at] == "-"}]',
    )
    path.write_text(source, encoding="utf-8")
    found = rz.check_game(str(path), games=12, seconds=60)
    assert [each.method for each in found.errors if each.law == "another process"] == ["legal"]
    assert "do not use the order of a set" in str(found.errors[-1])


def test_positions_that_know_themselves_are_not_copied(tmp_path: Path) -> None:
    """A game whose empty squares are one object, asked for by `is`, is correct."""
    source = SOURCES["heaps"].replace("MOST = 3\n", "MOST = 3\nNOBODY = object()\n")
    source = source.replace("return [list(HEAPS), 0, 0]", "return [list(HEAPS), 0, 0, NOBODY]")
    source = source.replace("found = [[", "found = [[").replace(
        "int(passes)]", "int(passes), NOBODY]"
    )
    source = source.replace("passes = position\n", "passes, nobody = position\n")
    source = source.replace("passes + 1]", "passes + 1, nobody]").replace(
        "mover, 0]", "mover, 0, nobody]"
    )
    source = source.replace(
        "return position[1]\n", "return position[1] if position[3] is NOBODY else 7\n"
    )
    assert check(tmp_path, source).errors == ()
    source = source.replace("        heaps = list(heaps)\n", "")
    assert "changes the position" in str(check(tmp_path, source).errors[0])


def test_there_are_many_mistakes() -> None:
    """The list is meant to be long; each game has one mistake."""
    assert len(BROKEN) + len(REFUSED) >= 50


def test_rules_that_end_the_program_are_named(tmp_path: Path) -> None:
    """They end nothing while they are checked."""
    source = documents.tic_tac_toe().replace("@rz.register\n", "")
    head, legal, rest = source.partition("    def legal(self, position):\n")
    assert legal
    found = check(tmp_path, f"{head}{legal}        raise SystemExit(3)\n{rest}")
    (fault,) = [each for each in found.errors if each.method == "legal"]
    assert "ends the program: SystemExit(3)" in fault.words


def test_a_seat_that_never_wins_is_a_warning(tmp_path: Path) -> None:
    """Such as an outcome that is the winner's number: 1 for seat 1, 0 for seat 0."""
    source = documents.tic_tac_toe().replace("@rz.register\n", "")
    wrong = source.replace('("x", 1), ("o", -1)', '("x", 0), ("o", 1)')
    assert wrong != source
    found = check(tmp_path, wrong, games=100)
    assert any("win none of" in each.words for each in found.warnings)
