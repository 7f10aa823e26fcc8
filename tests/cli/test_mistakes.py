"""`rulezero mistakes`: sets, files of positions, and what it prints."""

from pathlib import Path

import msgspec

from rulezero.contest.mistakes import Figures, mistakes
from support.commands import fails, succeeds


def test_it_prints_what_the_function_counts() -> None:
    text = succeeds("mistakes", "puct:sims=8", "--positions", "end-easy", "--positions", "late")
    found = [mistakes("puct:sims=8", kind) for kind in ("end-easy", "late")]
    lines = text.splitlines()
    assert lines[0] == "puct:sims=8"
    for line, each in zip(lines[2:], found, strict=True):
        assert line.split()[:4] == [
            each.kind,
            str(each.positions),
            str(each.count),
            f"{100 * each.share:.1f}",
        ]
    printed = succeeds("mistakes", "puct:sims=8", "--positions", "late", "--json")
    assert msgspec.json.decode(printed, type=list[Figures]) == [found[1].figures]


def test_public_files_are_read(tmp_path: Path) -> None:
    """Lines of columns and a score; mistakes are found by solving the chosen move."""
    file = tmp_path / "Test_L3_R1"
    file.write_text("335662333565 -2\n2416615552 4\n32751571231557 -3\n", encoding="ascii")
    text = succeeds("mistakes", "random", "--positions", file, "--seed", "3")
    assert text.splitlines()[2].split()[1] == "3"


def test_wrong_files_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "positions"
    for line, words in (
        ("4455", "'4455' is not a position: give columns and a score"),
        ("4488 2", "'4488' are not columns: give digits from 1 to 7"),
        ("4444444 2", "'4444444': move 7 is not legal"),
        ("1212121 18", "'1212121': the game is over"),
        ("4455 18 xxx", "'xxx' are not the signs of seven columns"),
    ):
        file.write_text(f"\n{line}\n", encoding="ascii")
        assert f"{file}:2: {words}" in fails("mistakes", "random", "--positions", file)
    file.write_text("\n", encoding="ascii")
    assert "has no positions" in fails("mistakes", "random", "--positions", file)
    assert "cannot be read" in fails("mistakes", "random", "--positions", tmp_path / "none")
    assert "a human cannot play here" in fails("mistakes", "human", "--positions", "late")
