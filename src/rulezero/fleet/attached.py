"""Processes that end when the one that started them does, also when that one was killed."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

_BRIEF = 10.0  # seconds: a process that lived shorter is started again after a pause
_PAUSES = (0.2, 20.0)  # seconds before the first and at most before later starts
_LEAVE_SECONDS = 8.0  # for a process to end when its stdin was closed


class Death(NamedTuple):
    """A process has ended that should not have."""

    how: str  # "was killed by signal 9"
    number: int  # of deaths in a row, each of them soon after the start


class Attached:
    """A process that is started again when it ends, until `stop` is called.

    Its stdin begins with `first`, and is closed when this process ends. `on_line` gets the lines of
    its stdout, and `on_death` returns whether to start it again; a thread calls both.
    """

    def __init__(
        self,
        words: Callable[[], Sequence[str]],  # for `python -m rulezero.fleet`, at each start
        *,
        on_line: Callable[[bytes], None],
        on_death: Callable[[Death], bool],
        first: bytes = b"",
        log: Path | None = None,  # its stderr is appended to this file; None: to this process's
    ) -> None:
        self._words = words
        self._on_line = on_line
        self._on_death = on_death
        self._first = first
        self._log = log
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The process's id; None between two starts."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def stop(self) -> None:
        """Asks the process to end; `join` waits for it."""
        with self._starting:
            self._stopping.set()
            if self._process is not None and self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()

    def join(self) -> None:
        """Waits until the process has ended, which is killed if this takes long."""
        self._thread.join(_LEAVE_SECONDS)
        if self._thread.is_alive() and self._process is not None:
            self._process.kill()
            self._thread.join()

    def _keep(self) -> None:
        brief = 0
        while True:
            begun = time.monotonic()
            with self._starting:
                if self._stopping.is_set():
                    return
                self._process = process = self._start()
            with process:
                assert process.stdout is not None
                for line in process.stdout:
                    self._on_line(line)
                code = process.wait()
            if self._stopping.is_set():
                return
            brief = brief + 1 if time.monotonic() - begun < _BRIEF else 0
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            if not self._on_death(Death(how, brief)):
                return
            first, longest = _PAUSES
            self._stopping.wait(min(longest, first * 2**brief) if brief else 0)

    def _start(self) -> "subprocess.Popen[bytes]":
        with contextlib.ExitStack() as stack:
            process = subprocess.Popen(
                [sys.executable, "-m", "rulezero.fleet", *self._words()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if self._log is None else stack.enter_context(self._log.open("ab")),
                start_new_session=True,  # Ctrl-C reaches only this process, which ends the other
            )
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended already
            process.stdin.write(self._first)
            process.stdin.flush()
        return process
