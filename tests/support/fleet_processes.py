"""The processes of a run with --fleet http, and how far it is. Linux only."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from support.commands import begin

# Two players that play for some seconds, so that there is time to kill processes.
RUN = ["connect4", "--preset", "tiny", "--set", "selfplay.games=160", "--iterations", "1"]


def children(pid: int) -> list[int]:
    """The processes that a process has started, by any of its threads."""
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, file.read_text().split())
    return sorted(found)


def servers(pid: int) -> list[int]:
    """The servers that a trainer has started."""
    return [child for child in children(pid) if "serve" in words(child)]


def workers(pid: int) -> list[int]:
    """The worker processes that a trainer, or `rulezero worker`, has started."""
    return [child for child in children(pid) if words(child)[-1:] == ["rulezero.fleet"]]


def words(pid: int) -> list[str]:
    """The command line of a process; [] if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    except OSError:
        return []


def train(out: Path, *options: str) -> "subprocess.Popen[str]":
    """Starts training with a server and two workers of its own."""
    return begin("train", *RUN, "--fleet", "http", "--workers", "2", "--out", out, *options)


def resume(out: Path) -> "subprocess.Popen[str]":
    """Starts training again in the same folder."""
    return begin("train", "--resume", out, "--fleet", "http", "--workers", "2")


def stored(out: Path) -> int:
    """The number of games that the server of a run has confirmed."""
    log = out / "fleet" / "server.log"
    lines = log.read_text("utf-8").splitlines() if log.is_file() else []
    uploads = [line for line in lines if '"event":"stored"' in line]
    return sum(int(line.rpartition('"games":')[2].strip("}")) for line in uploads)


def wait(condition: Callable[[], object], process: "subprocess.Popen[str] | None" = None) -> None:
    """Waits until a condition is true, as long as the process runs."""
    deadline = time.monotonic() + 240
    while not condition():
        if process is not None and process.poll() is not None:
            raise AssertionError(process.communicate())
        assert time.monotonic() < deadline
        time.sleep(0.02)


def kill(pid: int) -> None:
    """Kills a process at once."""
    os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Whether a process has not ended. One that waits for its parent to notice has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def finish(process: "subprocess.Popen[str]") -> str:
    """Waits until a command has ended well; returns its stderr."""
    _, errors = process.communicate(timeout=400)
    assert process.returncode == 0, errors
    return errors


IS_LINUX = sys.platform == "linux"
