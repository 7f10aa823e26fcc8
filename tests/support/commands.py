"""The command line as its users meet it: a process with an exit code."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO


def run(
    *arguments: str | Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """What `rulezero ...` prints and returns, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "rulezero", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=120,
        check=False,
    )


def succeeds(*arguments: str | Path, stdin: str = "") -> str:
    """What it prints; the exit code is 0 and nothing is on stderr."""
    result = run(*arguments, stdin=stdin)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def fails(*arguments: str | Path) -> str:
    """The one line that a wrong input gives; the exit code is 2 and nothing is printed."""
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("rulezero: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def begin(*arguments: str | Path, program: str = "-mrulezero") -> "subprocess.Popen[str]":
    """The same as a process that runs on; it hears Ctrl-C, as one begun in a terminal does."""
    return subprocess.Popen(
        [sys.executable, program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def stop(process: "subprocess.Popen[str]", number: signal.Signals) -> tuple[str, str]:
    """What a process still says once it is told to end.

    A signal that comes just before a read waits as long as that read does; people then press
    Ctrl-C again, and so does this.
    """
    for _ in range(12):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)
    raise AssertionError("it does not end")


def read_until(stream: IO[str] | None, words: str) -> str:
    """What comes out of a process up to these words, which must come."""
    assert stream is not None
    seen = ""
    while not seen.endswith(words):
        letter = stream.read(1)
        assert letter, f"it ended without saying {words!r}: {seen[-500:]}"
        seen += letter
    return seen


def workers_of(pid: int) -> list[int]:
    """The worker processes of a process; Linux only."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
