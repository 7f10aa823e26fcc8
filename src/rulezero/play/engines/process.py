"""An engine's process: lines to it and from it, without ever waiting for longer than asked."""

import contextlib
import os
import select
import subprocess
import sys
import time
import weakref
from collections import deque
from pathlib import Path

_GUARD = Path(__file__).with_name("guard.py")
_CHUNK = 1 << 16  # bytes that are read at a time
_LONGEST = 1 << 20  # bytes of a line
_MOST = 16 << 20  # bytes between two orders
_MOST_UNREAD = 1 << 20  # bytes that an engine has not read yet


class EngineFailure(Exception):  # noqa: N818
    """What an engine did wrong, in words that follow its name."""


class EngineProcess:
    """A running engine, which ends with this object and with this process."""

    def __init__(self, command: tuple[str, ...]) -> None:
        lifeline, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_GUARD), str(lifeline), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(lifeline,),
                start_new_session=True,
                bufsize=0,
            )
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(lifeline)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        self._input = self._process.stdin.fileno()
        for number in (self.output, self._input):
            os.set_blocking(number, False)
        self._unread = bytearray()  # what it has not taken yet
        self._read = bytearray()  # the beginning of its next line
        self._lines: deque[str] = deque()
        self._size = 0  # of its output since the last order
        self._is_closed = False
        self.close = weakref.finalize(self, _end, self._process, self._lifeline)

    def send(self, line: str) -> None:
        """Sends a line; EngineFailure if the engine does not read its input."""
        self._size = 0
        self._unread += line.encode() + b"\n"
        if len(self._unread) > _MOST_UNREAD:
            raise EngineFailure("does not read its input")
        self._flush()

    def lines(self) -> list[str]:
        """The lines that have arrived; EngineFailure if the engine has ended or writes too much."""
        self._flush()
        while True:
            try:
                found = os.read(self.output, _CHUNK)
            except BlockingIOError:
                break
            if not found:
                self._is_closed = True
                break
            self._size += len(found)
            if self._size > _MOST:
                raise EngineFailure(f"wrote more than {_MOST >> 20} MB without a move")
            self._read += found
            if b"\n" in found:
                *whole, rest = self._read.split(b"\n")
                self._lines += [line.decode(errors="replace").strip() for line in whole]
                self._read = bytearray(rest)
                break  # more is read next time, so that no engine can keep us here
            if len(self._read) > _LONGEST:
                raise EngineFailure(f"wrote a line of more than {_LONGEST >> 20} MB")
        taken = [*self._lines]
        self._lines.clear()
        if not taken and self._is_closed:
            raise EngineFailure(self._ending())
        return taken

    def wait(self, until: float) -> list[str]:
        """Its next lines; [] if there are none until this time (monotonic)."""
        while not (found := self.lines()):
            left = until - time.monotonic()
            if left <= 0:
                return []
            select.select([self.output], [], [], left)
        return found

    def _flush(self) -> None:
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            while self._unread:
                del self._unread[: os.write(self._input, self._unread)]

    def _ending(self) -> str:
        """How it ended, in words."""
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "closed its output"
        signal = 256 - code
        return f"crashed (signal {signal})" if 0 < signal < 65 else f"ended with exit code {code}"


def _end(process: "subprocess.Popen[bytes]", lifeline: int) -> None:
    """Ends an engine: its guard kills it when the lifeline is closed."""
    os.close(lifeline)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    try:
        process.wait(2.0)
    except subprocess.TimeoutExpired:
        process.kill()  # then Linux kills the engine
        process.wait()
