"""The house keeps its order: rooms depend downwards only."""

import re
from pathlib import Path

import pytest

from support.documents import ROOT

CPP = ROOT / "cpp"

# Each room may include itself and those behind it.
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
    """The house's own headers that a source includes, and those of others."""
    found = _INCLUDE.findall(text)
    return [path for quote, path in found if quote == '"'], [
        p for quote, p in found if quote == "<"
    ]


def trespasses(room: str, text: str) -> list[str]:
    """What a source of this room includes and may not."""
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
    """The test above can fail."""
    assert trespasses("games", '#include "bind/x.h"') == ["bind/x.h"]
    assert trespasses("search", '#include "endgame/x.h"') == ["endgame/x.h"]
    assert trespasses("games", '#include "game.h"') == ["game.h"]
    assert trespasses("games", "#include <nanobind/nanobind.h>") == ["nanobind/nanobind.h"]
    assert trespasses("play", "#include <Python.h>") == ["Python.h"]
    assert trespasses("bind", '#include <Python.h>\n#include "games/any.h"') == []


def test_headers_are_included_once() -> None:
    """Every header says so itself."""
    for path in FILES:
        if path.suffix == ".h":
            assert path.read_text(encoding="utf-8").startswith("#pragma once"), path


def test_the_readme_lists_every_room() -> None:
    """cpp/README.md names the rooms that exist, lowest first."""
    text = (CPP / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)
    assert listed == [room for room in ROOMS if room in listed]
    assert {path.relative_to(CPP).parts[0] for path in FILES} <= set(listed)
