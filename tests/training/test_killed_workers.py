"""Killing a worker process costs a run nothing but time."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

import rulezero as rz
from support.commands import begin, workers_of

GAMES = ["selfplay.games=600", "anchor=null", "iterations=1"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_run_goes_on_without_a_killed_worker(tmp_path: Path) -> None:
    """Another worker replays its games; net and records equal those of an undisturbed run."""
    changes = [word for change in GAMES for word in ("--set", change)]
    command = ["train", "connect4", "--preset", "tiny", *changes, "--workers", "2"]
    with begin(*command, "--out", tmp_path / "run") as process:
        deadline = time.monotonic() + 120
        while not (tmp_path / "run").is_dir() or len(workers_of(process.pid)) < 2:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "a worker process was killed by signal 9; another one plays its games again" in errors
    again = rz.train(
        "connect4", "tiny", tmp_path / "again", changes=GAMES, workers=1, progress=False
    )
    assert rz.open_run(tmp_path / "run").fingerprint() == again.fingerprint()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_process_outlives_a_killed_estimate() -> None:
    """The processes that measure parts of a run end when the command is killed."""
    with begin("train", "connect4", "--preset", "tiny", "--dry-run", "--workers", "2") as process:
        deadline = time.monotonic() + 120
        while len(workers := workers_of(process.pid)) < 3:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.wait()
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.02)
