"""Runs that are lengthened or changed after their start, without losing earlier iterations."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from rulezero import config, runs
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.training.listener import Listener
from rulezero.training.log import ChangeEntry, FitEntry
from rulezero.training.run import Run
from support.commands import fails, succeeds
from support.commands import run as command

QUICK = ["selfplay.games=6", "anchor.games=2", "anchor.every=1", "gate.kind=always"]


def games_of(run: Run) -> dict[int | None, int]:
    """Self-play games by iteration."""
    return dict(Counter(r.iteration for r in run.store() if r.task.endswith("self-play")))


def begun(path: Path, *changes: str) -> Run:
    """A run of one iteration, finished."""
    changes = ("iterations=1", *changes)
    return runs.train("connect4", "tiny", path, changes=[*QUICK, *changes], workers=1)


class Stop(Listener):
    """A listener that raises KeyboardInterrupt in the fit of an iteration."""

    def __init__(self, iteration: int) -> None:
        self._iteration = iteration

    def begin(self, iteration: int, phase: str) -> None:
        if (iteration, phase) == (self._iteration, "fit"):
            raise KeyboardInterrupt


def test_a_lengthened_run_is_what_it_would_have_been(tmp_path: Path) -> None:
    """Net, optimiser and games equal those of a run that was longer from the start."""
    constant = "fit.rate.kind=constant"  # another schedule depends on the length
    run = begun(tmp_path / "run", constant)
    steps = [entry.steps for entry in run.entries() if isinstance(entry, FitEntry)]
    runs.resume(run.path, changes=["iterations=3"], workers=1)
    assert run.progress().iteration == 3
    assert run.progress().is_done
    assert len([entry for entry in run.entries() if isinstance(entry, FitEntry)]) > len(steps)
    (change,) = (entry for entry in run.entries() if isinstance(entry, ChangeEntry))
    assert (change.iteration, change.keys) == (2, {"iterations": 3})
    assert change.time.startswith("20")
    assert config.read(run.config()).iterations == 3
    changes = [*QUICK, constant, "iterations=3"]
    whole = runs.train("connect4", "tiny", tmp_path / "whole", changes=changes, workers=1)
    assert run.fingerprint() == whole.fingerprint()


def test_other_keys_change_the_iterations_to_come(tmp_path: Path) -> None:
    """An unfinished iteration keeps its old settings; later ones use the changed settings."""
    with pytest.raises(KeyboardInterrupt):
        runs.train(
            "connect4",
            "tiny",
            tmp_path / "run",
            changes=[*QUICK, "iterations=2"],
            workers=1,
            listener=Stop(1),
        )
    changes = ["selfplay.games=4", "iterations=4", "fit.batch=16"]
    with pytest.raises(KeyboardInterrupt):
        runs.resume(tmp_path / "run", changes=changes, workers=1, listener=Stop(3))
    run = runs.resume(tmp_path / "run", workers=1)
    assert games_of(run) == {1: 6, 2: 4, 3: 4, 4: 4}
    (change,) = (entry for entry in run.entries() if isinstance(entry, ChangeEntry))
    assert change.iteration == 2
    assert change.keys == {"selfplay.games": 4, "iterations": 4, "fit.batch": 16}
    assert list(run.earlier_configs()) == [1]
    again = runs.resume(run.path, changes=["iterations=5", "selfplay.games=2"], workers=1)
    assert games_of(again) == {1: 6, 2: 4, 3: 4, 4: 4, 5: 2}


def test_a_change_may_be_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a change is killed after any file it writes, the run is either unchanged or changed."""
    for survived in range(5):
        run = begun(tmp_path / str(survived))
        written = 0

        def write(path: Path, data: bytes, survived: int = survived) -> None:
            nonlocal written
            if written == survived:
                raise KeyboardInterrupt
            written += 1
            write_whole(path, data)

        with monkeypatch.context() as patched:
            patched.setattr(sys.modules[Run.__module__], "write_whole", write)
            with pytest.raises(KeyboardInterrupt):
                runs.resume(run.path, changes=["iterations=2"], workers=1)
        resumed = runs.resume(run.path, workers=1)
        assert resumed.progress().is_done
        assert resumed.progress().iteration == config.read(run.config()).iterations
        assert resumed.progress().iteration == (1 if survived < 3 else 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("seed=3", "seed cannot be changed once a run has begun: begin another run, with --set"),
        ("net.blocks=3", "net.blocks cannot be changed"),
        ("regime=teacher_student", "regime.kind cannot be changed"),
        ("window.held_out=0.3", "window.held_out cannot be changed"),
        ("iterations=0", "is already at iteration 1: iterations=0 is less"),
    ],
)
def test_the_past_is_not_changed(tmp_path: Path, change: str, words: str) -> None:
    """A change that affects the past is an error of one line, and the run stays unchanged."""
    run = begun(tmp_path / "run")
    before = run.fingerprint(), run.config(), run.manifest()
    with pytest.raises(RunError, match=words):
        runs.resume(run.path, changes=[change], workers=1)
    assert (run.fingerprint(), run.config(), run.manifest()) == before


def test_a_finished_run_says_so(tmp_path: Path) -> None:
    """Resuming a finished run does nothing; --iterations and --set continue it."""
    run = begun(tmp_path / "run")
    said = succeeds("train", "--resume", str(run.path))
    assert "is finished, after 1 iterations" in said
    assert "--iterations N" in said
    words = ["--iterations", "2", "--set", "selfplay.games=4", "--workers", "1"]
    assert command("train", "--resume", str(run.path), *words).returncode == 0
    assert games_of(run) == {1: 6, 2: 4}
    assert "leave --out" in fails("train", "--resume", str(run.path), "--out", "x")
