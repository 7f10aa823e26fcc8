"""The command line, run as a process: output, errors and exit codes."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rulezero as rz
from rulezero import _core, config
from support import documents
from support.commands import fails, run

GAMES = sorted(_core.game_options())  # without the games that tests register


def test_version() -> None:
    """--version prints the package's version."""
    assert run("--version").stdout == f"rulezero {rz.__version__}\n"


def test_help_names_every_verb() -> None:
    """`rulezero --help` lists the verbs, and each verb has its own --help."""
    for verb in ("games", "perft", "tour", "players", "match"):
        assert verb in run("--help").stdout
        assert run(verb, "--help").returncode == 0


@pytest.mark.parametrize("arguments", [["nonsense"], ["perft"], ["perft", "connect4", "x"]])
def test_usage_errors_exit_2(arguments: list[str]) -> None:
    """Unknown verbs and missing or malformed arguments print no traceback."""
    result = run(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_games_lists_every_game_in_a_line() -> None:
    """In a pipe, each game is a line with its sizes, and nothing is coloured."""
    lines = run("games").stdout.splitlines()
    for name in GAMES:
        facts = rz.load(name).facts
        line = next(line for line in lines if line.split()[:1] == [name])
        assert line.split()[1:4] == [
            "x".join(map(str, facts.board)),
            str(facts.actions),
            str(facts.slots),
        ]
    for recipe in config.recipes():
        assert any(line.split()[:1] == [recipe] and "tiny, small" in line for line in lines)
    assert "\x1b" not in "".join(lines)


def test_perft_ends_with_the_count() -> None:
    """stdout is the count, and stderr is empty."""
    result = run("perft", "connect4", "4")
    assert (result.stdout, result.stderr, result.returncode) == ("2401\n", "", 0)
    assert run("perft", "connect4", "0").stdout == "1\n"


def test_perft_divides_by_move() -> None:
    """--divide prints a line for each move, and the count last."""
    *moves, total = run("perft", "connect4", "3", "--divide").stdout.splitlines()
    assert moves == [f"{column}: 49" for column in "abcdefg"]
    assert total == "343"


@pytest.mark.parametrize("option", ["--position", "--fen"])
def test_perft_counts_from_a_position(option: str) -> None:
    """--position sets the position to count from; --fen is an alias."""
    assert run("perft", "connect4", "1", option, "O6/X6/O6/X6/O6/X6 x").stdout == "6\n"


def test_wrong_input_is_one_line() -> None:
    """An unknown game, option, position or file is an error of one line."""
    assert "did you mean 'connect4'" in fails("perft", "conect4", "3")
    assert "no option 'rows'" in fails("perft", "connect4:rows=3", "3")
    assert "6 rows" in fails("perft", "connect4", "3", "--position", "nonsense x")
    assert "no file" in fails("perft", "python:file=nowhere.py", "1")
    assert "0 to 1000" in fails("perft", "connect4", "100000")
    assert "seed" in fails("tour", "connect4", "--seed", "-1")
    players = ("--a", "random", "--b", "random")
    said = fails("match", "connect4", *players, "--games", "0")
    assert "--games is '0'; it should be greater than or equal to 1; see" in said
    assert "DEPTH is 'deep'; it should be a whole number" in fails("perft", "connect4", "deep")


def test_a_broken_game_file_is_one_line(tmp_path: Path) -> None:
    """A syntax error or a wrong return value in the user's file is an error of one line."""
    path = tmp_path / "broken.py"
    path.write_text("def\n", encoding="utf-8")
    assert "SyntaxError" in fails("perft", f"python:file={path}", "1")
    path.write_text(documents.tic_tac_toe().replace("return position\n", "return 7\n"))
    assert "text() must be text" in fails("perft", f"python:file={path}", "1")


def test_a_tour_plays_every_game_to_its_end() -> None:
    """The summary has a line for every game, and the same seed gives the same output."""
    result = run("tour", "--seed", "1")
    assert result.returncode == 0
    summary = result.stdout.split("\nsummary\n")[1]
    for name in GAMES:
        assert f"\n{name} " in summary
    assert "\x1b" not in result.stdout
    assert result.stdout == run("tour", "--seed", "1").stdout


def test_a_tour_works_without_unicode() -> None:
    """If the output encoding is ASCII, boards are drawn in ASCII."""
    result = run("tour", "connect4", PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert result.stdout.isascii()


def test_a_reader_that_leaves_is_no_error() -> None:
    """`rulezero tour | head -1` ends without an error message."""
    with subprocess.Popen(
        [sys.executable, "-m", "rulezero", "tour"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == b""
        process.wait(timeout=60)


def test_ctrl_c_ends_a_long_count_quietly() -> None:
    """Ctrl-C ends the process within 20 s, with exit code 130 and no output."""
    with subprocess.Popen(
        [sys.executable, "-m", "rulezero", "perft", "chess", "9"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(5)  # long enough to start, even on a busy machine; depth 9 takes hours
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (130, b"", b"")
