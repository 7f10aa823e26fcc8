"""Ctrl-C ends a command soon, says how to go on, and leaves no process behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import rulezero as rz
from support.commands import workers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

_ENOUGH = 240.0  # seconds for a phase to begin
_SOON = 60.0  # seconds, for a busy machine; on an idle one it takes less than one


def started(*arguments: str | Path) -> "subprocess.Popen[str]":
    """A command in a process group of its own, like one that a shell starts."""
    return subprocess.Popen(
        [sys.executable, "-mrulezero", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


def interrupted(process: "subprocess.Popen[str]", is_time: Callable[[], bool]) -> tuple[str, float]:
    """What a command prints to stderr after Ctrl-C at this time, and how long that takes."""
    deadline = time.monotonic() + _ENOUGH
    while not is_time():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=_ENOUGH)
    return errors, time.monotonic() - begin


def lives(group: int) -> bool:
    """Whether a process of a group is left, apart from those that only wait to be collected."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group, *_ = path.read_text().rpartition(")")[2].split()
            if int(its_group) == group and state not in "XZ":
                return True
    return False


def wait_for_end(group: int) -> None:
    """Waits until no process of a group is left."""
    deadline = time.monotonic() + _ENOUGH
    while lives(group):
        assert time.monotonic() < deadline
        time.sleep(0.01)


LONG = {  # keys that make a phase of `tiny` endless, for the purpose of this test
    "start": {},
    "workers": {"selfplay.games": 1_000_000},
    "generate": {"selfplay.games": 1_000_000},
    "threads": {"selfplay.games": 1_000_000},
    "fit": {"net.blocks": 10, "net.channels": 128, "fit.batch": 4096, "fit.samples": 1_000_000},
    "evaluate": {"anchor.games": 1_000_000},
}


@pytest.mark.parametrize("moment", LONG)
def test_ctrl_c_ends_a_run_in_every_phase(moment: str, tmp_path: Path) -> None:
    """Exit code 130 and one line that names the command to resume, whatever the run is doing: when
    it loads its libraries, starts workers, plays in them or in threads, or takes one long step."""
    path = tmp_path / "run"
    keys = [word for key, value in LONG[moment].items() for word in ("--set", f"{key}={value}")]
    fleet = ["--fleet", "local:threads=2"] if moment == "threads" else ["--workers", "2"]
    process = started("train", "connect4", "--preset", "tiny", "--out", path, *fleet, *keys)
    run = rz.Run(path)

    def is_time() -> bool:
        if moment == "start" or not run.exists:
            return run.exists
        if moment == "workers":
            return bool(workers_of(process.pid))
        if moment in ("generate", "threads"):
            return len(list(run.records.glob("*"))) > 0
        if not (run.state / "progress.json").is_file():
            return False
        return bool(run.progress().phase == moment)

    errors, seconds = interrupted(process, is_time)
    assert process.returncode == 130
    *_, last = errors.splitlines()
    end = " --fleet local:threads=2" if moment == "threads" else ""
    assert last == f"stopped; continue with: rulezero train --resume {path}{end}"
    assert "Traceback" not in errors
    assert seconds < _SOON
    wait_for_end(process.pid)
    assert rz.open(path).config()


def test_no_worker_outlives_a_killed_run(tmp_path: Path) -> None:
    """Workers end with their main process, also in the middle of a game that takes very long."""
    long = "selfplay.a=puct:net=best,sims=1000000"
    process = started(
        "train", "connect4", "--preset", "tiny", "--out", tmp_path / "run", "--set", long,
        "--workers", "2",
    )  # fmt: skip
    deadline = time.monotonic() + _ENOUGH
    while len(workers_of(process.pid)) < 2:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.communicate()
    wait_for_end(process.pid)


def test_ctrl_c_ends_generate(tmp_path: Path) -> None:
    """`generate` keeps its games and says that the same command goes on."""
    process = started("generate", "connect4", "--games", "1000000", "--to", tmp_path / "games")
    errors, seconds = interrupted(process, lambda: any((tmp_path / "games").glob("*")))
    assert (process.returncode, errors) == (130, "stopped: the same command goes on\n")
    assert seconds < _SOON
