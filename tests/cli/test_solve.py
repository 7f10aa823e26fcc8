"""`rulezero solve`: tables, what they say, and what cannot be solved."""

from pathlib import Path

from support.commands import fails, run, succeeds


def test_a_table_and_what_it_says(tmp_path: Path) -> None:
    """Those it needs come first; what is there is not solved again."""
    output = succeeds("solve", "monster", "KvKQ", "--out", tmp_path, "--check", "1000")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["KvK.table", "KvKQ.table"]
    lines = output.splitlines()
    assert lines[0].strip() == "KvKQ"
    assert len([line for line in lines if line.startswith(("White", "Black"))]) == 4
    assert len([line for line in lines if line.endswith(" %")]) == 4
    assert "249,984" in output  # 64 x 63 x 62: every man on a square of its own
    assert "longest win of White: " in output
    assert "longest win of Black: " in output
    assert lines[-1] == "1,000 entries of each table agree with the rules"
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = succeeds("solve", "monster", "kvqk", "--out", tmp_path)
    assert again.splitlines()[1:] == lines[1:-1]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_what_cannot_be_solved(tmp_path: Path) -> None:
    """One line, before anything is solved or written."""
    out = tmp_path / "new"
    for arguments, words in [
        (("chess", "KvKQ"), "only monster has endgame tables"),
        (("monster", "KvKQ", "KvX"), "is no man"),
        (("monster", "KvKQ", "KvKQQQQ"), "at most two white and three black men"),
        (("monster", "KvKQ", "--workers", "-1"), "--workers"),
        (("monster", "KvKQ", "KQQvKQQQ"), "of memory to solve"),
    ]:
        assert words in fails("solve", *arguments, "--out", out)
        assert not out.exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """One line."""
    (tmp_path / "file").write_text("")
    assert "is a file" in fails("solve", "monster", "KvK", "--out", tmp_path / "file")
    result = run("solve", "monster", "KvK", "--out", tmp_path / "file" / "tables")
    assert result.returncode == 2
    assert result.stderr.startswith("rulezero: error: ")
    assert result.stderr.count("\n") == 1


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    """And what to do about it."""
    succeeds("solve", "monster", "KvK", "--out", tmp_path)
    path = tmp_path / "KvK.table"
    path.write_bytes(path.read_bytes()[:-9])
    assert "delete it, and solve it again" in fails("solve", "monster", "KvKQ", "--out", tmp_path)
