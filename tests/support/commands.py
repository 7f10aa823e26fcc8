"""Runs `rulezero` commands as processes."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

from support.forks import Forks

# Verbs that usually learn, and modules that they then import in three seconds.
_LEARNING = ("diagnose", "fit", "generate", "train")
_LEARNERS = ("rulezero.learn.learner", "torch._dynamo", "rulezero.training.tensorboard")


def run(
    *arguments: str | Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs `rulezero ...` without a terminal; returns its output, errors and exit code."""
    modules = _LEARNERS if arguments and arguments[0] in _LEARNING else ()
    return _forks(*modules).run(
        [*map(str, arguments)],
        stdin,
        {**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=120,
    )


@functools.cache
def _forks(*modules: str) -> Forks:
    return Forks(*modules)


def succeeds(*arguments: str | Path, stdin: str = "") -> str:
    """The stdout of a command; asserts that the exit code is 0 and stderr is empty."""
    result = run(*arguments, stdin=stdin)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def fails(*arguments: str | Path) -> str:
    """The error line of a command; asserts exit code 2, one line on stderr and an empty stdout."""
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("rulezero: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def begin(*arguments: str | Path, program: str = "-mrulezero") -> "subprocess.Popen[str]":
    """Starts a command as a process with pipes, which receives Ctrl-C as in a terminal."""
    return subprocess.Popen(
        [sys.executable, program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def stop(process: "subprocess.Popen[str]", number: signal.Signals) -> tuple[str, str]:
    """Sends a signal to a process until it ends; returns its remaining stdout and stderr.

    A signal that arrives just before a blocking read takes effect only after it. People then press
    Ctrl-C again, and so does this function.
    """
    for _ in range(12):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)
    raise AssertionError("it does not end")


def read_until(stream: IO[str] | None, words: str) -> str:
    """The output of a process up to and including these words, which must appear."""
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
