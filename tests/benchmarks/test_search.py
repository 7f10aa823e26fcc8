"""benchmarks/search.py runs and prints a report; the tests check no speed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.documents import ROOT


def measured(*arguments: str) -> Any:
    """The parsed JSON output of a `--quick` run."""
    command = [sys.executable, str(ROOT / "benchmarks" / "search.py"), "--quick", "--json"]
    done = subprocess.run([*command, *arguments], capture_output=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


def test_a_part_is_measured_without_peers(tmp_path: Path) -> None:
    """A program that is not installed is left out, with one line that says how to get it."""
    report = measured("--only", "tree", "--rounds", "2", "--peers", str(tmp_path / "none"))
    games = [figure["what"].split(" ")[0] for figure in report["figures"]]
    assert games == ["monster", "chess"]
    for figure in report["figures"]:
        number = figure["number"]
        assert 0 < number["low"] <= number["median"] <= number["high"]
    (line,) = report["left_out"]
    assert "OpenSpiel" in line
    assert "make bench-peers" in line
    assert report["machine"]["cpu"]
