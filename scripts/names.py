"""Prints where code names a game or a regime in a string: .venv/bin/python scripts/names.py.

Code that is special to a game or a regime belongs in a file with its name (CONTRIBUTING.md). A name
as a string literal in another file means that each new game needs an entry there. Recipes are left
out, because each is for one game.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rulezero._core import game_options
from rulezero.training.regimes import REGIMES

ROOT = Path(__file__).parents[1]
NAMES = [*game_options(), *REGIMES]

_LITERAL = re.compile(r"""//.*|/\*.*?\*/|(["'`])((?:\\.|(?!\1).)*)\1""")


class Literal(NamedTuple):
    """A game's or regime's name in the code."""

    path: str  # from the repository's root
    line: int
    name: str
    text: str  # the whole string


def literals() -> list[Literal]:
    """The names of games and regimes in code of files without that name."""
    files = [*(ROOT / "src" / "rulezero").rglob("*.*"), *(ROOT / "cpp").rglob("*.*")]
    return [
        literal
        for file in sorted(files)
        if file.suffix in {".py", ".js", ".h", ".cpp"} and file.parent.name != "recipes"
        for literal in foreign(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8"))
    ]


def foreign(path: str, code: str) -> Iterator[Literal]:
    """Strings that are a game's or regime's name, with or without options, except the file's."""
    strings = _python_strings(code) if path.endswith(".py") else _strings(code)
    for line, text in sorted(strings):
        name = text.partition(":")[0]
        if name in NAMES and name not in path and " " not in text:
            yield Literal(path, line, name, text)


def _python_strings(code: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _strings(code: str) -> Iterator[tuple[int, str]]:
    """Strings of C++ or JavaScript, without those in comments."""
    for number, line in enumerate(code.splitlines(), 1):
        for match in _LITERAL.finditer(line):
            if match[1]:
                yield number, match[2]


if __name__ == "__main__":
    found = literals()
    for literal in found:
        print(f"{literal.path}:{literal.line}: {literal.text!r}")
    print(f"{len(found)} names in {len({literal.path for literal in found})} files")
