"""YAML with line numbers: errors name the line, and have the class that the caller gives."""

from pathlib import Path
from typing import Annotated

import pytest

from rulezero._core import RulezeroError
from rulezero.settings import Settings, whole
from rulezero.yaml_files import Document, read_file

RECIPE = """\
game: chess
fit:
  batch: 64

  rate: {start: 0.1,
         kind: cosine}
bootstrap:
  - games: 4
  - {a: random,
     games: 8}
presets:
  small: {fit: {batch: 32}}
"""


class OwnError(RulezeroError):
    """An error of these tests."""


class Own(Settings):
    """A model of these tests."""

    a: Annotated[int, whole(0, 9)]


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    return Document(text, "own.yaml", OwnError).line(path)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("game",), 1),
        (("fit", "batch"), 3),
        (("fit", "rate"), 5),
        (("fit", "rate", "kind"), 6),
        (("bootstrap", 0, "games"), 8),
        (("bootstrap", 1), 9),
        (("bootstrap", 1, "games"), 10),
        (("presets", "small", "fit", "batch"), 12),
    ],
)
def test_a_value_has_a_line(path: tuple[str | int, ...], line: int) -> None:
    """A value's line is that of its key or list entry, counted from 1."""
    assert line_of(RECIPE, path) == line


@pytest.mark.parametrize(
    "path", [(), ("fat",), ("game", "batch"), ("fit", 0), ("bootstrap", 2), ("bootstrap", "0")]
)
def test_what_is_not_there_has_no_line(path: tuple[str | int, ...]) -> None:
    """A missing key, an index into no list, or a key of no map has no line."""
    assert line_of(RECIPE, path) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", "own.yaml:3: key 'a' is given twice; keep one"),
        ("x: 1\n4: 5\n", "own.yaml:2: key is '4'; give text, in quotes if YAML reads it as"),
        ("b: 2\n? [a]\n: b\n", "own.yaml:2: key is a list; give text"),
        ("a: [", "own.yaml:1: this is not YAML: expected the node content"),
        ("\t: b", "own.yaml:1: this is not YAML: found character"),
        ("\x00", "own.yaml:1: there is a control character; take it out"),
    ],
)
def test_odd_texts_are_refused(text: str, words: str) -> None:
    """Duplicate keys and numbers as keys are refused as well, although YAML allows them."""
    with pytest.raises(OwnError) as caught:
        Document(text, "own.yaml", OwnError)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("~", None),
        ("7", 7),
        ("-0.5", -0.5),
        ("1e-4", 1e-4),
        (".5", 0.5),
        ("-.inf", -float("inf")),
        ("yes", True),
        ("2025-12-24", "2025-12-24"),
        ("010", "010"),
        ("0x10", "0x10"),
        ("1:30", "1:30"),
        ("9" * 5000, "9" * 5000),
        ("[1, {a: [b]}]", [1, {"a": ["b"]}]),
    ],
)
def test_numbers_are_plain(text: str, data: object) -> None:
    """Texts that YAML would read as dates or numbers of another base stay texts."""
    assert Document(text, "own.yaml", OwnError).data == data


def test_the_first_mistake_of_a_file_is_named() -> None:
    """The mistake in the earliest line is named, whatever the order of a model's fields."""
    with pytest.raises(OwnError) as caught:
        Document("b: {a: 11}\na: {a: 10}\n", "own.yaml", OwnError).read(dict[str, Own])
    assert str(caught.value) == "own.yaml:1: a is '11'; give a whole number from 0 to 9"


def test_what_is_below_fills_the_gaps() -> None:
    """Missing values are taken from the base, group by group; the file's values override it."""
    below = {"x": {"a": 1}, "y": {"a": 2}}
    found = Document("x: {a: 3}", "own.yaml", OwnError).read(dict[str, Own], below)
    assert found == {"x": Own(a=3), "y": Own(a=2)}


@pytest.mark.parametrize("text", ["a: [", "a: &x 1", "- b", "a: {b: {c: [[[[[[]]]]]]}}"])
def test_mistakes_are_errors_of_the_readers_own_kind(tmp_path: Path, text: str) -> None:
    """Mistakes raise the error class that the caller gives: one line, with a line number."""
    path = tmp_path / "own.yaml"
    path.write_text(text + "\n")
    with pytest.raises(OwnError, match=r"^[^\n]*own\.yaml:[12]: [^\n]+; [^\n]+$") as caught:
        read_file(path, "write one", OwnError).read(Own)
    assert type(caught.value) is OwnError
