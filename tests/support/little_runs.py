"""A tiny run, made once for all tests of a process."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

from rulezero import runs
from rulezero.training.run import Run

_folder = Path(tempfile.mkdtemp(prefix="little_runs_"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)

_CHANGES = ["selfplay.games=30", "anchor.games=4", "anchor.every=1", "window.held_out=0.2"]


@functools.cache
def run() -> Run:
    """A run of two iterations of Connect Four. Tests that write into it must use `copy`."""
    return runs.train("connect4", "tiny", _folder / "run", changes=_CHANGES, workers=1)


def copy(path: Path) -> Run:
    """The same run in another folder."""
    shutil.copytree(run().path, path)
    return runs.open_run(path)
