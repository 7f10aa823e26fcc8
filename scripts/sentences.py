"""Prints every sentence that users can read: .venv/bin/python scripts/sentences.py [--marked].

Help texts, messages of the code (errors, warnings, output), comments in recipes, and documents.
With --marked only sentences with a phrase that newcomers stumble over are printed, each with the
phrase's name, and the exit code is 1 if there is one.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import typer

from rulezero.cli import app
from rulezero.cli.terminal.helptext import EXAMPLES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rulezero"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

# Phrases that readers found hard to understand, by what is wrong with them. A help text has its
# default in parentheses, so a semicolon there is a clause without a verb.
MARKS = {
    "vague count": r"\bso many\b|\bso-many",
    "vague verb": r"\b(comes?|came) to (a|an|the|what|it|be)\b|\bis (no|an)other (thing|matter)\b",
    "told": r"\b(is|are|was|were|be|been) told\b|\btold\b|\btells? (how|what|who|which|apart)\b",
    "nobody": r"\b(nobody|somebody|whoever|anybody)\b",
    "besides": r"\bbesides\b",
    "unknown document": r"\bthe(ir)? documents?\b|'s document\b",
    "goes on": r"\b(goes?|going|went|gone) on with\b",
    "metaphor": r"\bsmells?\b|\bhears? of\b|\bleash\b|\bby heart\b",
    "lacks": r"\blacks?\.?$",
    "relative clause first": r"^(?-i:Who|Whose|Whom) [^?]*$",
    "adverb behind": r"\bbehind (so|a mistake|it comes)\b",
}
_HELP_MARKS = {"semicolon in a help text": r";"}
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[\"])")
_CPP_STRING = re.compile(r'"((?:\\.|[^"\\])*)"')


class Sentence(NamedTuple):
    """A sentence, and where it is."""

    kind: str  # help, message, recipe or document
    place: str
    text: str

    def marks(self) -> list[str]:
        """The names of the phrases in it that readers found hard to understand."""
        known = MARKS | (_HELP_MARKS if self.kind == "help" else {})
        plain = re.sub(r"`[^`]*`", "`", self.text)  # code is not prose
        return [name for name, mark in known.items() if re.search(mark, plain, re.IGNORECASE)]


def sentences() -> Iterator[Sentence]:
    """All sentences, help texts first."""
    yield from _help(typer.main.get_command(app), "rulezero")
    for path in sorted(PACKAGE.rglob("*.py")):
        yield from _split("message", path, python_messages(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "cpp").rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            yield from _split("message", path, cpp_messages(path.read_text(encoding="utf-8")))
    for path in sorted((PACKAGE / "recipes").glob("*.yaml")):
        yield from _split("recipe", path, yaml_comments(path.read_text(encoding="utf-8")))
    for path in [*DOCUMENTS, *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from _split("document", path, paragraphs(path.read_text(encoding="utf-8")))


def _help(command: Any, name: str) -> Iterator[Sentence]:
    """The help of a typer command, of its options and of its subcommands."""
    texts = [(name, (command.help or "").partition(EXAMPLES)[0])]
    for option in command.params:
        words = getattr(option, "help", None) or ""
        texts.append((f"{name} {(option.opts or [option.name])[0]}", words))
    for place, text in texts:
        for sentence in _END.split(" ".join(text.split())):
            if sentence:
                yield Sentence("help", place, sentence)
    for word, below in getattr(command, "commands", {}).items():
        yield from _help(below, f"{name} {word}")


def _split(kind: str, path: Path, found: Iterator[tuple[int, str]]) -> Iterator[Sentence]:
    for line, text in found:
        for sentence in _END.split(" ".join(text.split())):
            if re.search(r"\w \w", sentence):
                yield Sentence(kind, f"{path.relative_to(ROOT).as_posix()}:{line}", sentence)


def python_messages(code: str) -> Iterator[tuple[int, str]]:
    """Strings of several words that are not docstrings; values in f-strings become {}."""
    tree = ast.parse(code)
    quiet = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(each) for each in ast.walk(node) if each is not node}
            parts = [
                str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values
            ]
            yield node.lineno, "".join(parts)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in quiet | inside:
            continue
        if isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


def cpp_messages(code: str) -> Iterator[tuple[int, str]]:
    """String literals of a statement, joined by {} where a value stands between them."""
    plain = re.sub(r"//[^\n]*", lambda found: " " * len(found[0]), code)
    for statement in re.finditer(r"[^;{}]+[;{}]", plain):
        parts, end = [], -1
        for literal in _CPP_STRING.finditer(statement[0]):
            gap = statement[0][end : literal.start()].strip() if end >= 0 else ""
            parts.append(("{}" if gap else "") + literal[1])
            end = literal.end()
        text = "".join(parts)
        if " " in text.strip() and "#include" not in statement[0]:
            line = plain.count("\n", 0, statement.start() + len(statement[0]) - 1) + 1
            yield line, text


def yaml_comments(text: str) -> Iterator[tuple[int, str]]:
    """Comments; comments on consecutive lines are one text."""
    before, begun, words = -1, 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"(?:^|\s)#\s?(.*)", line)
        if found is None:
            continue
        is_alone = line.lstrip().startswith("#")
        if words and not (is_alone and number == before + 1):
            yield begun, words
            words = ""
        begun = begun if words else number
        words, before = f"{words} {found[1]}", number
    if words:
        yield begun, words


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Prose: paragraphs, list items, headings and cells of tables, without code blocks."""
    begun, words, is_code = 0, "", False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            line = ""
        elif is_code:
            continue
        is_new = not line.strip() or re.match(r"\s*([-*#|>]|\d+\.)\s?", line)
        if is_new and words:
            yield begun, words
            words = ""
        if line.lstrip().startswith("|"):
            yield from (
                (number, cell) for cell in re.split(r"(?<!\\)\|", line) if cell.strip(" -:")
            )
        elif line.strip():
            begun = begun if words else number
            words += " " + re.sub(r"^\s*([-*#>]+|\d+\.)\s", "", line)


def main() -> int:
    """Prints the sentences; returns 1 with --marked if there is a marked one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--marked", action="store_true", help="print marked sentences only")
    given = parser.parse_args()
    found = [(each, each.marks()) for each in sentences()]
    shown = [(each, marks) for each, marks in found if marks or not given.marked]
    for each, marks in shown:
        mark = f"[{', '.join(marks)}] " if marks else ""
        print(f"{each.place}: {mark}{each.text}")
    count = sum(bool(marks) for _, marks in found)
    print(f"{len(found)} sentences, {count} marked", file=sys.stderr)
    return int(given.marked and count > 0)


if __name__ == "__main__":
    sys.exit(main())
