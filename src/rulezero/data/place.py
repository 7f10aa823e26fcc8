"""Places in files, for messages about mistakes."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from rulezero.data.columns import RecordError

IMPORTED = "import:"  # the prefix of `source` in a record that was read from a file
Report = Callable[[RecordError], None]  # raises, or keeps the error so that reading continues


class Place(msgspec.Struct, frozen=True):
    """A line of a file."""

    file: str
    line: int

    def error(self, what: object) -> RecordError:
        """An error about this line."""
        return RecordError(f"{self.file}:{self.line}: {what}")


def printable(text: str) -> str:
    """The text in a form that a record can have: printable, up to 4096 characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:4096]


def source_of(file: str) -> str:
    """The `source` of a record that was read from a file: its name, without its folders."""
    return printable(f"{IMPORTED}{Path(file).name}")
