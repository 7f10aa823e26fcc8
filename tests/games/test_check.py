"""`check_game` finds mistakes in rules and names their places; correct games pass."""

import ast
import signal
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.games import observed
from support import documents
from support.broken_games import BROKEN, REFUSED, Broken
from support.rules_in_python import SOURCES


def check(folder: Path, source: str, games: int = 12) -> rz.GameCheck:
    """The result of check_game for a file with this source."""
    path = folder / "mine.py"
    path.write_text(source, encoding="utf-8")
    return rz.check_game(str(path), games=games, seconds=60, other_process=False)


def line_of(source: str, method: str) -> int:
    """The line at which the game's class defines a method, or at which the class begins."""
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
    """A correct game gives neither errors nor warnings."""
    found = check(tmp_path, SOURCES[name], games=30)
    assert found.errors == found.warnings == ()
    assert found.is_sound
    assert found.games == len(found.lengths) == sum(found.results) + found.cut == 30
    assert found.sample[-1].is_over


@pytest.mark.parametrize("name", BROKEN)
def test_mistakes_are_found(tmp_path: Path, name: str) -> None:
    """Each mistake is described in one line, with the line number of the faulty method."""
    broken = BROKEN[name]
    # Warnings, and that no game ends, need ten games.
    needs_many = broken.is_warning or name == "the game never ends"
    found = check(tmp_path, broken.source, games=12 if needs_many else 5)
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
    """Wrong facts raise a GameError that names the line of the class."""
    broken: Broken = REFUSED[name]
    with pytest.raises(rz.GameError) as caught:
        check(tmp_path, broken.source)
    place = f"{tmp_path / 'mine.py'}:{line_of(broken.source, '')}"
    assert str(caught.value).startswith(f"{place}: ")
    assert broken.words in str(caught.value)


@pytest.mark.parametrize("name", ["connect4", "monster", "exchange", "razzle", "chess"])
def test_games_in_the_core_have_no_fault(name: str) -> None:
    """The games of the core pass, although their texts do not contain the history."""
    found = rz.check_game(name, games=10, seconds=20)
    assert found.errors == found.warnings == ()
    assert found.plies_per_second > 0
    assert found.planes_per_second > 0


def test_several_mistakes_are_all_told(tmp_path: Path) -> None:
    """A mistake in apply() does not hide one in say()."""
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
    """Strings have other hashes in another process, so a set of strings has another order."""
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
    """A game that compares an object of its positions by `is` is correct."""
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
    """There are at least 50 broken games, with one mistake each."""
    assert len(BROKEN) + len(REFUSED) >= 50


def test_rules_that_end_the_program_are_named(tmp_path: Path) -> None:
    """Rules that raise SystemExit are reported, and do not end the check."""
    source = documents.tic_tac_toe().replace("@rz.register\n", "")
    head, legal, rest = source.partition("    def legal(self, position):\n")
    assert legal
    found = check(tmp_path, f"{head}{legal}        raise SystemExit(3)\n{rest}")
    (fault,) = [each for each in found.errors if each.method == "legal"]
    assert "ends the program: SystemExit(3)" in fault.words


def test_a_method_that_never_returns_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check ends and names the method; the timer of the test runner still runs."""
    monkeypatch.setattr(observed, "_SLOWEST", 0.2)
    source = documents.tic_tac_toe().replace("@rz.register\n", "")
    head, legal, rest = source.partition("    def legal(self, position):\n")
    found = check(tmp_path, f"{head}{legal}        while position.count('x') == 2: pass\n{rest}")
    (fault,) = [each for each in found.errors if "has not returned after" in each.words]
    assert fault.method == "legal"
    assert fault.place.endswith(f":{line_of(source, 'legal')}")
    left, _ = signal.getitimer(signal.ITIMER_REAL)  # the test runner's own, or none
    assert left == 0.0 or left > 1.0


def test_a_move_that_is_a_command_is_a_warning(tmp_path: Path) -> None:
    """`rulezero play` takes the word for its command, so the move could not be played there."""
    source = documents.tic_tac_toe().replace("@rz.register\n", "")
    usual = 'return "abc"[action % 3]'
    wrong = source.replace(
        usual, f'return "quit" if action == 4 else{usual.removeprefix("return")}'
    )
    assert wrong != source
    (warning,) = [each for each in check(tmp_path, wrong).warnings if each.method == "say"]
    assert "'quit'" in warning.words


def test_a_seat_that_never_wins_is_a_warning(tmp_path: Path) -> None:
    """Found, for example, if the outcome is by mistake the winner's seat, 0 or 1."""
    source = documents.tic_tac_toe().replace("@rz.register\n", "")
    wrong = source.replace('("x", 1), ("o", -1)', '("x", 0), ("o", 1)')
    assert wrong != source
    found = check(tmp_path, wrong, games=100)
    assert any("win none of" in each.words for each in found.warnings)
