"""`rulezero check`: `pieces` draws the moves that the rules allow; `game` reports mistakes."""

import io
from functools import partial
from pathlib import Path

from rich.console import Console
from typer.testing import CliRunner

import rulezero as rz
from rulezero import _core
from rulezero.cli import app
from rulezero.cli.games import check
from rulezero.games.pieces import PieceSet, read_pieces
from support.broken_games import BROKEN
from support.piece_files import HOP, KING, WIZARD, read
from support.rules_in_python import SOURCES


def marks(board: check.Board) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for (file, rank), mark in board.marks.items():
        found.setdefault(mark.name, set()).add("abcdefgh"[file] + str(rank + 1))
    return found


def squares(names: str) -> set[str]:
    return set(names.split())


def rules_of(loaded: PieceSet) -> check.Query:
    return partial(check.ask, _core.load_game("random_chess", {}, pieces=loaded.core), loaded)


def test_squares_are_asked_of_the_rules() -> None:
    loaded = read_pieces(["custom"])
    rook = squares("a4 b4 c4 e4 f4 g4 h4 d1 d2 d3 d5 d6 d7 d8")
    expected = {
        "P": [{"MOVE": squares("d5"), "CAPTURE": squares("c5 e5"), "FIRST": squares("d6")}],
        "N": [{"BOTH": squares("b3 b5 c2 c6 e2 e6 f3 f5")}],
        "K": [{"BOTH": squares("c3 c4 c5 d3 d5 e3 e4 e5")}],
        "R": [{"BOTH": rook}],
        "NN": [{"BOTH": squares("b3 b5 c2 c6 e2 e6 f3 f5 b8 f8 h6 h2")}],
        "+": [{"BOTH": squares("c7 e7 a5 g5 a3 g3 c1 e1 a1 b2 c3 e5 f6 g7 h8 a7 b6 c5 e3 f2 g1")}],
        "G": [
            {
                "HURDLE": squares("d6 d2 b4 f4 b6 f6 b2 f2"),
                "BOTH": squares("d7 d1 a4 g4 a7 g7 a1 g1"),
            }
        ],
        "X": [
            {"MOVE": rook},
            {
                "MOVE": squares("d5 d3 c4 e4"),
                "HURDLE": squares("d6 d2 b4 f4"),
                "CAPTURE": squares("d7 d8 d1 a4 g4 h4"),
            },
        ],
    }
    for symbol, found in expected.items():
        assert [*map(marks, check.boards(loaded.find(symbol), rules_of(loaded)))] == found


def test_a_piece_that_attacks_every_square_has_no_legal_position(tmp_path: Path) -> None:
    everywhere = [[x, y] for x in range(-4, 5) for y in range(-4, 5) if x or y]
    loaded = read(tmp_path, WIZARD.replace("[[1, 1], [1, 3]]", str(everywhere)))
    (board,) = check.boards(loaded.find("W"), rules_of(loaded))
    assert set(board.marks.values()) == {check.Mark.UNKNOWN}
    alone = read(tmp_path, KING)
    (board,) = check.boards(alone.find("K"), rules_of(alone))
    assert set(board.marks.values()) == {check.Mark.UNKNOWN}


def test_hurdles_leave_room_to_land(tmp_path: Path) -> None:
    hop = HOP.replace("[[0, 1]]", "[[0, 1], [1, 0]]").replace("land: 3", "land: 2")
    loaded = read(tmp_path, hop)
    (board,) = check.boards(loaded.find("J"), rules_of(loaded))
    assert marks(board) == {"HURDLE": squares("d5 d6 e4 f4"), "BOTH": squares("d8 h4")}
    assert board.has_hurdles


def drawn(width: int, encoding: str = "utf-8") -> str:
    loaded = read_pieces(["custom"])
    shown = [check.boards(loaded.find(word), lambda *_: True)[0] for word in ("P", "K", "NN")]
    terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(width=width, record=True, file=terminal, legacy_windows=False)
    check.draw(shown, console)
    return console.export_text()


def test_boards_stand_side_by_side_where_there_is_room() -> None:
    narrow, wide = drawn(40), drawn(100)
    assert len(wide.splitlines()) < len(narrow.splitlines()) / 2
    assert max(map(len, narrow.splitlines())) <= 40
    for text in (narrow, wide):
        assert "Pawn  P  value 1" in text
        assert "Nightrider  NN  value 5" in text
        assert "castles kingside and" in text
        assert "● moves and captures" in text
    assert "  ●  ●  ● NN  ●  ●  ●  ●" in narrow


def test_boards_in_a_terminal_of_plain_letters() -> None:
    text = drawn(80, "ascii")
    assert "  *  *  * NN  *  *  *  *" in text
    text.encode("ascii")


def test_the_command_draws_the_files_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(WIZARD)
    result = CliRunner().invoke(check.app, ["pieces", str(path)])
    assert result.exit_code == 0
    assert "Wizard  W  value 4.5" in result.output
    assert "Queen" not in result.output
    assert result.stdout.endswith("\n1 piece, no mistake found\n")

    path.write_text(WIZARD.replace("leap", "leep"))
    result = CliRunner().invoke(check.app, ["pieces", str(path)])
    assert isinstance(result.exception, rz.PiecesError)


def test_a_game_is_checked(tmp_path: Path) -> None:
    """A correct game gets a summary; mistakes are printed with file and line, and exit code 1."""
    path = tmp_path / "mine.py"
    path.write_text(SOURCES["heaps"], encoding="utf-8")
    command = ["check", "game", str(path), "--games", "12"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0
    assert result.stdout.endswith("no mistake found\n")
    for words in ("start", "games    12 random ones", "plies ", "results  seat 0 won ", "a second"):
        assert words in result.output
    path.write_text(BROKEN["apply works on the heaps themselves"].source, encoding="utf-8")
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    assert f"error: {path}:52 apply(): changes the position that it is given" in result.output
    assert result.stdout.endswith("1 mistake found\n")
    path.write_text(BROKEN["slot is shared"].source, encoding="utf-8")
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0
    assert f"warning: {path}:79 slot(): gives 0 for action 3 and for action 4" in result.output
    assert result.stdout.endswith("no mistake found, 1 warning\n")
    assert CliRunner().invoke(app, ["check", "game", str(tmp_path / "nope.py")]).exit_code != 0
