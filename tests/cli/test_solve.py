"""`rulezero solve`: makes endgame tables and looks positions up in them."""

import signal
import time
from pathlib import Path

import rulezero as rz
from support.commands import begin, fails, run, succeeds


def test_a_table_and_what_it_says(tmp_path: Path) -> None:
    """Prints a table's counts; solves the tables it needs too, and never the same table twice."""
    output = succeeds("solve", "monster", "KvKQ", "--out", tmp_path, "--check", "1000")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["KvK.table", "KvKQ.table"]
    lines = output.splitlines()
    assert lines[0].strip() == "KvKQ"
    assert len([line for line in lines if line.startswith(("White", "Black"))]) == 4
    assert len([line for line in lines if line.endswith(" %")]) == 4
    assert "249,984" in output  # 64 x 63 x 62: three men on different squares
    assert "longest win of White: " in output
    assert "longest win of Black: " in output
    assert lines[-1] == "1,000 entries of each table agree with the rules"
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = succeeds("solve", "monster", "kvqk", "--out", tmp_path)
    assert again.splitlines()[1:] == lines[1:-1]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_what_cannot_be_solved(tmp_path: Path) -> None:
    """The error is one line, before any table is solved or written."""
    out = tmp_path / "new"
    for arguments, words in [
        (("chess", "KvKQ"), "only monster has endgame tables"),
        (("monster", "KvKQ", "KvX"), "is not a man"),
        (("monster", "KvKQ", "KvKQQQQ"), "at most two white and three black men"),
        (("monster", "KvKQ", "--workers", "-1"), "--workers"),
        (("monster", "KvKQ", "KQQvKQQQ"), "of memory to solve"),
    ]:
        assert words in fails("solve", *arguments, "--out", out)
        assert not out.exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """The error is one line."""
    (tmp_path / "file").write_text("")
    assert "is a file" in fails("solve", "monster", "KvK", "--out", tmp_path / "file")
    result = run("solve", "monster", "KvK", "--out", tmp_path / "file" / "tables")
    assert result.returncode == 2
    assert result.stderr.startswith("rulezero: error: ")
    assert result.stderr.count("\n") == 1


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    """The error says to delete the damaged table and solve it again."""
    succeeds("solve", "monster", "KvK", "--out", tmp_path)
    path = tmp_path / "KvK.table"
    path.write_bytes(path.read_bytes()[:-9])
    assert "delete it, and solve it again" in fails("solve", "monster", "KvKQ", "--out", tmp_path)


def test_a_position_is_looked_up(tmp_path: Path) -> None:
    """Prints the winner and distance of the position and of each legal move, best move first."""
    succeeds("solve", "monster", "KvKQ", "--out", tmp_path)
    position = "8/5q2/8/8/8/8/8/K1k5 b - - 0 1"
    first, heading, *moves = succeeds("solve", "probe", tmp_path, position).splitlines()
    assert first == "White wins in 9 turns"
    assert heading.split() == ["Black", "to", "move", "then"]
    state = rz.load("monster").parse(position)
    said = [line.split(maxsplit=1) for line in moves]
    assert sorted(move for move, _ in said) == sorted(state.say(a, san=True) for a in state.legal)
    turns = [int(words.split()[-2]) for _, words in said]
    assert turns == sorted(turns, reverse=True)  # in a lost position, the longest defence is best
    won = succeeds("solve", "probe", tmp_path, "8/8/8/8/8/8/8/kqK5 b - - 0 1").splitlines()
    assert won[0] == "Black wins in 1 turn"
    assert won[2].split(maxsplit=1)[1].strip() == "Black has won"


def test_what_no_table_knows(tmp_path: Path) -> None:
    """A position or folder that no table covers is an error of one line."""
    assert "no endgame tables" in fails("solve", "probe", tmp_path, "8/8/8/8/8/8/8/kqK5 b - - 0 1")
    succeeds("solve", "monster", "KvK", "--out", tmp_path)
    for arguments, words in [
        (["8/8/8/8/8/8/8/kqK5 b - - 0 1"], "no table in"),
        (["8/8/8/8/8/8/8/k7 b - - 0 1"], "over"),
        (["nonsense"], "FEN"),
        ([], "give the folder"),
    ]:
        assert words in fails("solve", "probe", tmp_path, *arguments)
    assert "'♕' in 'KvK♕' is not a man" in fails("solve", "monster", "KvK♕", "--out", tmp_path)
    assert "is not a folder's name" in fails("solve", "monster", "KvK", "--out", "")


def test_ctrl_c_ends_a_long_check(tmp_path: Path) -> None:
    """Ctrl-C ends `--check` within 20 s, with exit code 130."""
    succeeds("solve", "monster", "KvK", "--out", tmp_path)
    long = ["--check", str(10**12)]
    with begin("solve", "monster", "KvK", "--out", tmp_path, *long) as process:
        time.sleep(4)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
    assert process.returncode == 130
