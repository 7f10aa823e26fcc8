"""Where in a file something is wrong."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from rulezero.data.columns import RecordError

IMPORTED = "import:"  # how the `source` of a record begins that was read from a file
Report = Callable[[RecordError], None]  # raises, or makes a note so that reading goes on


class Place(msgspec.Struct, frozen=True):
    """A line of a file."""

    file: str
    line: int

    def error(self, what: object) -> RecordError:
        """What is wrong there, in one line."""
        return RecordError(f"{self.file}:{self.line}: {what}")


def printable(text: str) -> str:
    """The text as a record can hold it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:4096]


def source_of(file: str) -> str:
    """The `source` of a record that was read from a file: its name, without its folders."""
    return printable(f"{IMPORTED}{Path(file).name}")
