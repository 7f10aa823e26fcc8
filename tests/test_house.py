"""The structure of the code: folders ("rooms") depend only downwards, and are small."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

import names
import rulezero as rz
from support.documents import ROOT

CPP = ROOT / "cpp"
PACKAGE = ROOT / "src" / "rulezero"

# Each room may include itself and the rooms listed for it.
ROOMS: dict[str, set[str]] = {
    "base": set(),
    "games": {"base"},
    "eval": {"games", "base"},
    "endgame": {"eval", "games", "base"},
    "search": {"eval", "games", "base"},
    "play": {"search", "endgame", "eval", "games", "base"},
    "bind": {"play", "search", "endgame", "eval", "games", "base"},
}
FILES = sorted(path for path in CPP.rglob("*") if path.suffix in {".h", ".cpp"})
_INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def includes(text: str) -> tuple[list[str], list[str]]:
    """The project's headers that a source includes, and those of other libraries."""
    found = _INCLUDE.findall(text)
    return [path for quote, path in found if quote == '"'], [
        p for quote, p in found if quote == "<"
    ]


def trespasses(room: str, text: str) -> list[str]:
    """The headers that a source of this room includes but must not."""
    own, foreign = includes(text)
    allowed = ROOMS[room] | {room}
    wrong = [path for path in own if path.split("/")[0] not in allowed or "/" not in path]
    if room != "bind":
        wrong += [path for path in foreign if re.match(r"(nanobind|Python|pybind11|py)\b", path)]
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(CPP).as_posix())
def test_includes_point_down(path: Path) -> None:
    """bind -> play -> search | endgame -> eval -> games -> base; only bind knows Python."""
    room = path.relative_to(CPP).parts[0]
    assert room in ROOMS, f"{room} is no room of the house"
    assert trespasses(room, path.read_text(encoding="utf-8")) == []


def test_trespasses_are_seen() -> None:
    """`trespasses` finds wrong includes, so the test above can fail."""
    assert trespasses("games", '#include "bind/x.h"') == ["bind/x.h"]
    assert trespasses("search", '#include "endgame/x.h"') == ["endgame/x.h"]
    assert trespasses("games", '#include "game.h"') == ["game.h"]
    assert trespasses("games", "#include <nanobind/nanobind.h>") == ["nanobind/nanobind.h"]
    assert trespasses("play", "#include <Python.h>") == ["Python.h"]
    assert trespasses("bind", '#include <Python.h>\n#include "games/any.h"') == []


def test_headers_are_included_once() -> None:
    """Every header starts with `#pragma once`."""
    for path in FILES:
        if path.suffix == ".h":
            assert path.read_text(encoding="utf-8").startswith("#pragma once"), path


def test_the_readme_lists_every_room() -> None:
    """cpp/README.md names the rooms that exist, lowest first."""
    text = (CPP / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)
    assert listed == [room for room in ROOMS if room in listed]
    assert {path.relative_to(CPP).parts[0] for path in FILES} <= set(listed)


def beside_the_face(code: str) -> list[str]:
    """The names of the package that code uses and that are neither public nor of the CLI."""
    wrong: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            wrong += [each.name for each in node.names if each.name.startswith("rulezero.")]
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "rulezero":
            wrong += [] if str(node.module).startswith("rulezero.cli") else [str(node.module)]
        elif isinstance(node, ast.Attribute):
            path = ast.unparse(node)
            if found := re.fullmatch(r"rz(?:\.(\w+))?\.\w+", path):
                face = getattr(rz, found[1], None) if found[1] else rz
                public = getattr(face, "__all__", [name for name in dir(face) if name[0] != "_"])
                wrong += [] if node.attr in public else [path]
    return wrong


def test_the_command_line_is_written_on_the_public_face() -> None:
    """The files of the CLI import only rulezero and each other, and use only public names."""
    for path in (PACKAGE / "cli").rglob("*.py"):
        assert beside_the_face(path.read_text(encoding="utf-8")) == [], path


def test_every_public_name_is_told() -> None:
    """docs/python.md names every public name."""
    told = set(re.findall(r"`(?:rz\.)?(\w+)`", (ROOT / "docs/python.md").read_text("utf-8")))
    assert set(rz.__all__) - told == set()


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("import rulezero as rz\nfrom rulezero.cli.games import tour\nrz.load('x').facts", []),
        ("import rulezero.config\nfrom rulezero import runs", ["rulezero.config", "rulezero"]),
        ("if x:\n    from rulezero.data.store import Store", ["rulezero.data.store"]),
        ("rz.stats.elo(rz.learn, rz.stats.tally)", ["rz.stats.tally", "rz.learn"]),
    ],
)
def test_what_is_beside_the_face_is_seen(code: str, wrong: list[str]) -> None:
    """`beside_the_face` finds names that are not public, so the test above can fail."""
    assert sorted(beside_the_face(code)) == sorted(wrong)


MOST_FILES = 20  # per room
MOST_LINES = 400  # per file


def test_rooms_are_small() -> None:
    """No folder of the package has more than 20 Python files."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    full = {folder for folder in folders if len([*folder.glob("*.py")]) > MOST_FILES}
    assert full == set()


def test_files_are_short() -> None:
    """No source has more than 400 lines."""
    own = (path for kind in ("py", "js", "css") for path in PACKAGE.rglob(f"*.{kind}"))
    for path in [*FILES, *own]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES, path


def test_a_name_stands_in_files_that_carry_it() -> None:
    """Names such as "exchange" or "distill" are only in their own files (see scripts/names.py)."""
    assert names.literals() == []


@pytest.mark.parametrize(
    ("path", "code", "lines"),
    [
        ("x/a.py", 'x = "exchange"\ny = {"monster:": 1, "chess:planes=history": 2}', [1, 2, 2]),
        ("x/a.py", '"""chess: a page."""\n# "monster"\nx = "Chess", f"monster {x}"', []),
        ("x/monster_hunt.cpp", 'f("monster");', []),
        ("x/a.h", '// "monster"\nf("say \\"razzle\\"", "razzle");  // "gated"', [2]),
        ("x/a.js", "f('connect4', `gated`)", [1, 1]),
    ],
)
def test_names_are_seen(path: str, code: str, lines: list[int]) -> None:
    """Names in strings are found, but not names in comments and sentences."""
    assert [literal.line for literal in names.foreign(path, code)] == lines


_PATH = re.compile(
    r"`((?:src|cpp|docs|tests|benchmarks|proofs|scripts)/[\w/.]*|(?:\w+/)+\w+\.(?:py|h|cpp))`"
)
_PAGES = [*ROOT.glob("[RC]*.md"), CPP / "README.md", *(ROOT / "docs").glob("*.md")]


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_pages_name_are_there(page: Path) -> None:
    """Paths in pages exist, from the root, package, core or tests; x stands for a new name."""
    named = {path for path in _PATH.findall(page.read_text(encoding="utf-8")) if "/x." not in path}
    roots = (ROOT, PACKAGE, CPP, ROOT / "tests")
    absent = {path for path in named if not any((root / path).exists() for root in roots)}
    assert absent == set()


def test_no_public_name_hides_a_package() -> None:
    """`import rulezero.training.log as log` works: names of the public face are no packages."""
    packages = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    modules = [path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__"]
    hidden = [
        name
        for name in (*packages, *modules)
        if hasattr(rz, name) and not isinstance(getattr(rz, name), ModuleType)
    ]
    assert hidden == []
