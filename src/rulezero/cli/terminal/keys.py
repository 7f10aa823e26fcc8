"""Lines that people type, and keys that act at once: arrows, Home and End."""

import codecs
import contextlib
import os
import select
import sys
from collections.abc import Iterator
from typing import Any

try:
    import termios
    import tty
except ImportError:  # Windows
    HAS_KEYS = False
else:
    HAS_KEYS = True

_SECONDS = 0.05  # that the rest of a key's sequence may take
_ESCAPE, _END, _ERASE, _CLEAR = "\x1b", "\x04", "\x08\x7f", "\x15"
_NAMES = {
    **{"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"},
    **{"1~": "home", "7~": "home", "4~": "end", "8~": "end", "5~": "up", "6~": "down"},
}


class Keys:
    """The keyboard of a terminal while nothing that is typed shows by itself."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._before: list[Any] = []  # how the terminal was
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Keys come one by one as long as this lasts; Ctrl-C stays what it is."""
        if not HAS_KEYS:
            yield
            return
        self._before = termios.tcgetattr(self._file)
        try:
            tty.setcbreak(self._file, termios.TCSADRAIN)  # what was typed already counts
            yield
        finally:
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Between times the terminal is as it was: others ask for lines."""
        if HAS_KEYS:
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
        yield
        if HAS_KEYS:
            tty.setcbreak(self._file, termios.TCSADRAIN)

    def ask(self, prompt: str) -> str:
        """A line, or the name of a key in angle brackets: <left>. EOFError at the end of input."""
        if not HAS_KEYS:
            return input(prompt)
        line = ""
        _show(prompt)
        while True:
            letter = self._letter()
            if letter in "\r\n":
                _show("\n")
                return line
            if letter == _END and not line:
                raise EOFError
            if letter == _ESCAPE:
                if name := self._key():
                    _show("\n")
                    return f"<{name}>"
            elif letter in _ERASE and line:
                line = line[:-1]
                _show("\b \b")
            elif letter == _CLEAR:
                _show("\b \b" * len(line))
                line = ""
            elif letter.isprintable():
                line += letter
                _show(letter)

    def _letter(self) -> str:
        """The next letter that is typed."""
        while True:
            byte = os.read(self._file, 1)
            if not byte:
                raise EOFError
            if letter := self._decoder.decode(byte):
                return letter[-1]

    def _key(self) -> str | None:
        """The key whose sequence an escape has begun; None for Escape itself and unknown keys."""
        if not self._is_there() or (first := self._letter()) not in "[O":
            return None
        rest = ""
        while self._is_there():
            rest += self._letter()
            if first == "O" or "@" <= rest[-1] <= "~":
                break
        return _NAMES.get(rest)

    def _is_there(self) -> bool:
        """Whether more has been typed."""
        return bool(select.select([self._file], [], [], _SECONDS)[0])


def _show(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()
