"""The notebooks of the documentation run, and their stored outputs are those of such a run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import rulezero as rz
from support.documents import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
_RUN = """
import sys, nbformat, nbclient
book = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
nbformat.write(book, sys.argv[2])
"""


def shown(path: Path) -> list[str]:
    """The output of each code cell, without numbers that differ from run to run."""
    book = nbformat.read(path, 4)
    texts = []
    for cell in book.cells:
        if cell.cell_type == "code":
            parts = [put.get("text") or put["data"]["text/plain"] for put in cell.outputs]
            texts.append(re.sub(r"\d[\d,.]*( s\b| samples/s| sims/s)", "...", "".join(parts)))
    return texts


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    """All cells run, and at least half of the outputs are the stored ones (nets vary)."""
    code = [sys.executable, "-c", _RUN, str(path), str(tmp_path / "run.ipynb")]
    here = {**os.environ, "PYTHONPATH": str(Path(rz.__file__).parents[1])}
    done = subprocess.run(
        code, cwd=tmp_path, env=here, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    stored, found = shown(path), shown(tmp_path / "run.ipynb")
    assert [bool(text) for text in stored] == [bool(text) for text in found]
    same = [one == other for one, other in zip(stored, found, strict=True)]
    assert sum(same) >= len(same) / 2, found  # outputs without a net are the same everywhere


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_fit_for_others(path: Path) -> None:
    """A notebook was run in order without errors, is small, and contains no local paths."""
    text = path.read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert not re.search(r"/(home|root|tmp|work|Users)/|\\u001b|Traceback", text)
    book = nbformat.read(path, 4)
    counts = [cell.execution_count for cell in book.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
