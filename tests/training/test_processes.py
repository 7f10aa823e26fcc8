"""Runs whose fits have several processes: they resume exactly, and leave no process behind."""

import multiprocessing
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rulezero as rz
from rulezero.learn import terms
from support.commands import begin, workers_of
from support.documents import ROOT

FEW: dict[str, Any] = {
    **{"iterations": 2, "anchor": None, "selfplay": {"games": 4, "a": "puct:net=best,sims=4"}},
    "net": {"blocks": 1, "channels": 8, "dropout": 0.1},
    "fit": {"batch": 16, "samples": 320, "processes": 2, "device": "cpu"},
}
OWN = {"hooks": "terms.py", "fit.loss.extra": {"entropy": 0.01, "men": 1.0}}


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test its own registry, working folder, and folder of known files."""
    monkeypatch.setattr(terms, "_registered", {})
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "known"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs" / "examples" / "terms.py", tmp_path / "terms.py")


class Killing(rz.Listener):
    """Kills a helper process in the second fit."""

    def __init__(self) -> None:
        self.steps = 0

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        self.steps += 1
        if self.steps == 30:
            (helper,) = multiprocessing.active_children()
            assert helper.pid is not None
            os.kill(helper.pid, signal.SIGKILL)


def fits(run: rz.Run) -> list[rz.log.FitEntry]:
    return [entry for entry in run.entries() if isinstance(entry, rz.log.FitEntry)]


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a signal")
def test_a_run_resumes_exactly_after_a_helper_was_killed() -> None:
    """The fit ends with one line; the resumed run equals an undisturbed one bit for bit."""
    changes = [FEW, OWN]
    whole = rz.train("connect4", "tiny", "whole", changes=changes, workers=1, progress=False)
    words = "a helper process of the fit was killed by signal 9: begin the fit again"
    with pytest.raises(rz.RunError, match=words):
        rz.train("connect4", "tiny", "half", changes=changes, workers=1, listener=Killing())
    assert not multiprocessing.active_children()
    Path("terms.py").unlink()
    resumed = rz.resume("half", workers=1, progress=False)
    assert resumed.fingerprint() == whole.fingerprint()
    assert [fit.train for fit in fits(resumed)] == [fit.train for fit in fits(whole)]
    assert set(fits(whole)[0].extra) == {"entropy", "men"}


def start_fit(out: Path, is_sharing: bool) -> "tuple[Any, list[int]]":
    """A command whose long fit has two helpers, and these: they are starting, or share batches."""
    places = out.with_name("places")  # the helpers of a fit meet in a folder here
    places.mkdir()
    long = ["--set", "selfplay.games=4", "--set", "fit.samples=3200000", "--set", "anchor=null"]
    options: list[str | Path] = [
        "--nproc",
        "3",
        "--set",
        "fit.device=cpu",
        "--workers",
        "1",
        "--out",
        out,
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(places))
        process = begin("train", "connect4", "--preset", "tiny", *long, *options)

    def is_far_enough() -> bool:
        found = len(workers_of(process.pid)) == 2
        assert not found or is_sharing or meet()
        return found and not (is_sharing and meet())

    def meet() -> list[Path]:
        return list(places.glob("rulezero_*"))

    deadline = time.monotonic() + 60
    while not is_far_enough():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    if is_sharing:
        time.sleep(0.3)
    return process, workers_of(process.pid)


def assert_ended(workers: list[int]) -> None:
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("is_sharing", [False, True])
def test_ctrl_c_ends_all_processes(is_sharing: bool, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of the terminal; the command says how to resume."""
    process, workers = start_fit(tmp_path / "run", is_sharing)
    with process:
        for pid in (*workers, process.pid):
            os.kill(pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == (
        f"stopped; continue with: rulezero train --resume {tmp_path / 'run'}"
    )
    assert "Traceback" not in errors
    assert_ended(workers)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("is_sharing", [False, True])
def test_no_helper_outlives_a_killed_run(is_sharing: bool, tmp_path: Path) -> None:
    """Helpers end when the main process is killed, and one killed helper ends the command."""
    process, workers = start_fit(tmp_path / "run", is_sharing)
    with process:
        process.kill()
    assert_ended(workers)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("is_sharing", [False, True])
def test_a_killed_helper_ends_the_command(is_sharing: bool, tmp_path: Path) -> None:
    """One line says what happened and what to do; the other helper ends, too."""
    process, workers = start_fit(tmp_path / "run", is_sharing)
    with process:
        os.kill(workers[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.splitlines()[-1] == (
        "rulezero: error: a helper process of the fit was killed by signal 9: begin the fit again"
        " (a run: with --resume), or use fewer processes (fit.processes)"
    )
    assert_ended(workers)


def test_fit_has_processes_too() -> None:
    """`rulezero fit --nproc 2` fits as one process does, up to the rounding of sums."""
    tiny = rz.experiment("connect4", "tiny", [FEW, {"fit.processes": 1}])
    rz.generate(tiny, "games", workers=1)
    one = rz.fit(tiny, "games", "one")
    command: list[str | Path] = ["fit", "games", "--recipe", "connect4", "--preset", "tiny"]
    changes = ["net.blocks=1", "net.channels=8", "net.dropout=0.1", "fit.batch=16"]
    options = [word for change in changes for word in ("--set", change)]
    device = ["--set", "fit.samples=320", "--set", "fit.device=cpu", "--nproc", "2"]
    with begin(*command, *options, *device, "--to", "two") as process:
        said, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert f"two: {one.steps} steps, {one.samples} samples" in said
