"""The documentation is correct: its Python runs, and its commands print the output it shows."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rulezero as rz
from rulezero import _core
from sentences import sentences
from support import samples
from support.documents import ROOT, Block, blocks, tic_tac_toe

_TYPED = re.compile(r"your (?:\w+ )?move: (.*)")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_python(block: Block, names: dict[str, object], path: Path) -> None:
    """Runs a block; one with >>> is a session whose answers must be right."""
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, str(path), "exec"), names)
        return
    session = doctest.DocTestParser().get_doctest(
        block.text, names, path.name, str(path), block.line - 1
    )
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    report: list[str] = []
    runner.run(session, out=report.append, clear_globs=False)
    names.update(session.globs)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def run_console(block: Block) -> None:
    """Runs the `$ rulezero ...` lines of a block that shows their output, and compares it.

    In the shown output, ... stands for anything, and text after a prompt is typed as input.
    """
    for part in block.text.split("$ ")[1:]:
        command, _, wanted = part.partition("\n")
        words = shlex.split(command, comments=True)
        if Path(words[0]).name != "rulezero" or not wanted:
            continue
        result = subprocess.run(
            [sys.executable, "-m", "rulezero", *words[1:]],
            input="\n".join(_TYPED.findall(wanted)),
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            check=False,
        )
        shown = result.stdout + result.stderr
        checker = doctest.OutputChecker()
        assert checker.check_output(wanted, shown, doctest.ELLIPSIS), f"{command}\n{shown}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_true(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's blocks run in order, in an empty folder, and share their variables."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": path.stem}
    for block in blocks(path):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            run_python(block, names, path)
        elif block.language == "console":
            run_console(block)


def test_tests_play_the_game_that_is_taught() -> None:
    """tests/support/tictactoe.py is the first block of docs/add_a_game.md, letter by letter."""
    assert blocks(ROOT / "docs" / "add_a_game.md")[0].text == tic_tac_toe()


def test_planes_are_described_in_full() -> None:
    """docs/planes.md has a section per game that names every event, and EXCHANGE's 75 channels."""
    text = (ROOT / "docs" / "planes.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    for name in _core.game_options():
        (section,) = [body for title, body in sections.items() if name in title.split(" and ")]
        for event in rz.load(name).facts.events:
            assert f"`{event}`" in section, (name, event)
    rows = [row for row in sections["exchange"].split("\n") if row.startswith("| ")]
    channels = [int(row.split("|")[1]) for row in rows if row.split("|")[1].strip().isdigit()]
    assert channels == list(range(75))


def test_every_game_has_its_rules_told() -> None:
    """docs/games.md has a section per game that names every way its games end in random play."""
    text = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")
    for name in _core.game_options():
        assert f"\n## {name}\n" in text
        for seed in range(5):
            reason = samples.played(name, seed)[-1].end_reason
            assert reason is None or f"*{reason}*" in text.replace("\n", " "), reason


_LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


@pytest.mark.parametrize(
    "path", [*PAGES, *ROOT.glob("C*.md"), ROOT / "cpp" / "README.md"], ids=lambda path: path.name
)
def test_links_lead_to_files_and_headings(path: Path) -> None:
    """The targets of a page's relative links, pictures and #headings exist."""
    for found in _LINK.finditer(path.read_text(encoding="utf-8")):
        link = found[1] or found[2]
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def headings(page: Path) -> set[str]:
    """The anchors of a page, as web sites of repositories make them from its headings."""
    lines = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", line.lower()) for line in lines)
    return {line.strip().replace(" ", "-") for line in words}


def test_the_site_has_every_page() -> None:
    """mkdocs.yml names each page of docs/ once, and no other."""
    named = re.findall(r"(\w+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(page.name for page in PAGES[1:])


def test_no_sentence_has_a_phrase_that_readers_stumble_over() -> None:
    """`scripts/sentences.py --marked` finds no sentence that should be rewritten."""
    assert [f"{each.place}: {each.text}" for each in sentences() if each.marks()] == []
