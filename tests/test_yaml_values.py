"""YAML with line numbers: what is wrong, in which line, as an error of the reader's own kind."""

from pathlib import Path

import pytest

from rulezero._core import RulezeroError
from rulezero.yaml_values import line_of, read_file

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
    """The line of its key, or of an entry of a list, counted from 1."""
    assert line_of(RECIPE, path) == line


@pytest.mark.parametrize(
    "path", [(), ("fat",), ("game", "batch"), ("fit", 0), ("bootstrap", 2), ("bootstrap", "0")]
)
def test_what_is_not_there_has_no_line(path: tuple[str | int, ...]) -> None:
    """Keys that are missing, indices of no list, keys of no map."""
    assert line_of(RECIPE, path) is None


def test_of_two_the_last_counts() -> None:
    """As it does where YAML is read into Python."""
    assert line_of("a: 1\nb: 2\na: 3\n", ("a",)) == 3


@pytest.mark.parametrize("text", ["", "a: [", "\t: b", "? [a]\n: b\n", "\x00"])
def test_odd_texts_have_no_lines(text: str) -> None:
    """Broken YAML is told by whoever reads it, not here."""
    assert line_of(text, ("a",)) is None


def test_numbers_are_keys_too() -> None:
    """A YAML key may look like a number."""
    assert line_of("x: 1\n4: 5\n", (4,)) == line_of("x: 1\n4: 5\n", ("4",)) == 2


@pytest.mark.parametrize("text", ["a: [", "a: &x 1", "- b", "a: {b: {c: [[[[[[]]]]]]}}"])
def test_mistakes_are_errors_of_the_readers_own_kind(tmp_path: Path, text: str) -> None:
    """Whoever reads a file names the error that its mistakes are: one line, with a line number."""
    path = tmp_path / "own.yaml"
    path.write_text(text + "\n")
    with pytest.raises(OwnError, match=r"^[^\n]*own\.yaml:[12]: [^\n]+; [^\n]+$") as caught:
        read_file(path, "write one", OwnError).fields(["a"])["a"].whole(0, 9)
    assert type(caught.value) is OwnError
