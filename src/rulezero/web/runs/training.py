"""Runs that train in processes of their own, started from the page.

They end with the server: Ctrl-C is sent to them, and each can be resumed. What they print is kept
while the server runs.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Literal

from rulezero.errors import RunError

try:
    import fcntl
except ImportError:  # Windows: runs are not locked
    fcntl = None  # type: ignore[assignment]

MOST_TRAINING = 2  # runs that train at the same time from the page
_STOP_SECONDS = 8.0  # then a run that does not end is killed, which loses only unfinished work
_ESTIMATE_SECONDS = 180.0
_NICE = 5  # people who play come first
_OUTPUT_BYTES = 16 << 10  # of the end of the output that is shown
_CTRL_C = (130, -signal.SIGINT)  # exit codes
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}")

Activity = Literal["", "starting", "here", "stopping", "elsewhere"]


def check_name(name: str) -> None:
    """RunError unless a run can have this name."""
    if not _NAME.fullmatch(name):
        raise RunError(
            f"{name[:60]!r} is not a name for a run: use up to 60 letters, digits, '-' and '_'"
        )


def _is_begun(path: Path) -> bool:
    return (path / "config.yaml").is_file()


def is_locked(path: Path) -> bool:
    """Whether a process trains the run in this folder."""
    return is_held(path / "state" / "lock")


def is_held(lock: Path) -> bool:
    """Whether a process holds the lock on a file."""
    if fcntl is None:
        return False
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class _Child:
    """A process that trains a run."""

    def __init__(self, words: Sequence[str]) -> None:
        self.output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the child
        self.is_stopping = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rulezero", *words],
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # the server's Ctrl-C is passed on by the server
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, _NICE)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def lines(self) -> list[str]:
        """The last lines of its output."""
        size = os.fstat(self.output.fileno()).st_size
        start = max(0, size - _OUTPUT_BYTES)
        text = os.pread(self.output.fileno(), _OUTPUT_BYTES, start).decode("utf-8", "replace")
        lines = [line.rstrip() for line in text.splitlines()]
        return [line for line in (lines[1:] if start else lines) if line]

    @property
    def fault(self) -> str | None:
        """Why it failed, in one line; None if it did not."""
        code = self.process.poll()
        if code in (None, 0, *_CTRL_C) or self.is_stopping:
            return None
        lines = self.lines()
        words = lines[-1].removeprefix("rulezero: error: ") if lines else f"exit code {code}"
        return words[:500]

    def interrupt(self) -> None:
        """Sends Ctrl-C."""
        self.is_stopping = True
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def end(self, until: float) -> None:
        """Waits for its end; kills it at a time of the monotonic clock."""
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Trainings:
    """The runs that were started from the page. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._children: dict[Path, _Child] = {}  # the newest of each run
        self._estimates: list[_Child] = []
        self._begun: set[Path] = set()  # folders that had a run when they were looked at
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def training(self) -> int:
        """How many runs train."""
        with self._lock:
            return sum(child.is_alive for child in self._children.values())

    @property
    def paths(self) -> list[Path]:
        """The runs that were started from the page and train, or have failed or not begun."""
        with self._lock:
            return [
                path
                for path, child in self._children.items()
                if child.is_alive or child.fault is not None or not _is_begun(path)
            ]

    def activity(self, path: Path) -> Activity:
        """Whether a run trains, and who started it."""
        child = self._find(path)
        if child is not None and child.is_alive:
            if child.is_stopping:
                return "stopping"
            return "here" if _is_begun(path) else "starting"
        return "elsewhere" if is_locked(path) else ""

    def fault(self, path: Path) -> str | None:
        """Why the last training of a run failed, or why there is no run in this folder."""
        child = self._find(path)
        if child is not None and (child.is_alive or child.fault is not None):
            return child.fault
        if _is_begun(path):
            self._begun.add(path)
            return None
        if child is not None and path not in self._begun:
            return "this run was stopped before it began: start it again, or remove it"
        return "the folder of this run is gone: it was moved or deleted"

    def output(self, path: Path) -> list[str]:
        """What the run has printed lately, if it was started from the page."""
        child = self._find(path)
        return [] if child is None else child.lines()

    def start(self, path: Path, words: Sequence[str]) -> None:
        """Starts `rulezero train` with these words for the run in a folder."""
        with self._lock:
            if self._is_closed:
                raise RunError("the server is about to end: start it again")
            child = self._children.get(path)
            if (child is not None and child.is_alive) or is_locked(path):
                raise RunError(f"{path.name} trains already")
            if sum(each.is_alive for each in self._children.values()) >= MOST_TRAINING:
                raise RunError(
                    f"{MOST_TRAINING} runs train already: stop one first, or use"
                    " `rulezero train` in a terminal"
                )
            if child is not None:
                child.output.close()
            self._children[path] = _Child(["train", *words])

    def stop(self, path: Path) -> None:
        """Sends Ctrl-C to a run, which then can be resumed. RunError if it does not train here."""
        child = self._find(path)
        if child is None or not child.is_alive:
            if is_locked(path):
                raise RunError("this run was started elsewhere: stop it there with Ctrl-C")
            raise RunError("this run does not train")
        child.interrupt()
        until = time.monotonic() + _STOP_SECONDS
        threading.Thread(target=child.end, args=(until,), daemon=True).start()

    def forget(self, path: Path) -> None:
        """Forgets a run that has ended."""
        with self._lock:
            child = self._children.get(path)
            if child is not None and not child.is_alive:
                self._children.pop(path).output.close()
                self._begun.discard(path)

    def estimate(self, words: Sequence[str]) -> list[str]:
        """What `rulezero train --dry-run` says about the time of a run, a line for each part."""
        with self._lock:
            if self._is_closed or any(each.is_alive for each in self._estimates):
                raise RunError("another estimate is being made: wait for it")
            child = _Child(["train", *words, "--dry-run"])
            self._estimates = [child]
        child.end(time.monotonic() + _ESTIMATE_SECONDS)
        lines, fault = child.lines(), child.fault
        child.output.close()
        if fault is not None:
            raise RunError(fault)
        found = [line.removeprefix("# ") for line in lines if line.startswith("# ")]
        return [line for line in found if not line.startswith("measuring")]

    def close(self) -> None:
        """Ends all runs that train: each can be resumed."""
        with self._lock:
            self._is_closed = True
            children = [*self._children.values(), *self._estimates]
        alive = [child for child in children if child.is_alive]
        for child in alive:
            child.interrupt()
        until = time.monotonic() + _STOP_SECONDS
        for child in alive:
            child.end(until)
        with self._lock:
            for child in self._children.values():
                child.output.close()
            self._children.clear()

    def _find(self, path: Path) -> _Child | None:
        with self._lock:
            return self._children.get(path)
