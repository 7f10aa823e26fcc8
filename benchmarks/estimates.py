"""How near estimates come: `train --dry-run`, `cost --measure` and the run itself, side by side.

    .venv/bin/python benchmarks/estimates.py [RECIPE ...] [--preset tiny] [--rounds 3]
    .venv/bin/python benchmarks/estimates.py --run FOLDER

Every round does all three for every recipe, and the table has the medians. Estimates are for cores
that are otherwise idle. On a busy machine runs take longer, so beside the clock there is a run's
work: the CPU seconds of its main thread, plus those of its workers divided by their number.
With --run, nothing is trained: a finished run's log is compared with an estimate, part by part.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time

from rich.console import Console
from rich.table import Table

import rulezero as rz

_UNITS = {"hours": 3600, "minutes": 60}


def rulezero(*words: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "rulezero", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dry_run(recipe: str, preset: str) -> float:
    """Seconds that `train --dry-run` expects."""
    output = rulezero("train", recipe, "--preset", preset, "--dry-run")
    found = re.search(r"^# ([\d.,]+) (hours|minutes) in all", output, re.MULTILINE)
    assert found, output
    return float(found[1].replace(",", "")) * _UNITS[found[2]]


def cost(recipe: str, preset: str) -> float:
    """Seconds that `cost --measure` expects."""
    output = rulezero("cost", recipe, "--preset", preset, "--measure", "--json")
    (plan,) = json.loads(output)["plans"]
    return float(sum(plan["here"]["seconds"].values()))


TRAIN = """
import os, sys, time
from rulezero.cli import main
try:
    main()
finally:
    print("worked", time.thread_time(), sum(os.times()[2:4]), file=sys.stderr)
"""


def real(recipe: str, preset: str) -> tuple[float, float]:
    """Seconds that `train` takes from the command to its end, and those of its work."""
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        words = ["train", recipe, "--preset", preset, "--out", f"{folder}/run"]
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", TRAIN, *words], check=True, capture_output=True, text=True
        )
        took = time.perf_counter() - begin
    main, workers = map(float, done.stderr.splitlines()[-1].split()[1:])
    return took, main + workers / rz.cores()


def compare(recipes: list[str], preset: str, rounds: int) -> Table:
    """A row for each recipe."""
    columns = ["dry run, s", "cost, s", "work, s", "clock, s", "dry / work", "cost / work"]
    table = Table("recipe", *columns)
    known: dict[str, list[tuple[float, ...]]] = {recipe: [] for recipe in recipes}
    for _ in range(rounds):
        for recipe, rows in known.items():
            expected = dry_run(recipe, preset), cost(recipe, preset)
            clock, work = real(recipe, preset)
            rows.append((*expected, work, clock, expected[0] / work, expected[1] / work))
    for recipe, rows in known.items():
        figures = [statistics.median(column) for column in zip(*rows, strict=True)]
        table.add_row(
            recipe,
            *(f"{each:.1f}" for each in figures[:4]),
            *(f"{each:.2f}" for each in figures[4:]),
        )
    return table


def logged(run: rz.Run) -> dict[str, float]:
    """Seconds of each part of a run by its log; lessons are part of the games they go with."""
    found = dict.fromkeys(("bootstrap", "self-play", "trials", "fits"), 0.0)
    before = 0.0
    for entry in run.entries():
        part = "trials"
        if isinstance(entry, rz.log.FitEntry):
            part = "fits"
        elif isinstance(entry, rz.log.GamesEntry) and entry.is_training:
            part = "self-play" if entry.iteration else "bootstrap"
        found[part] += entry.seconds_so_far - before
        before = entry.seconds_so_far
    return found


def compare_run(folder: str) -> Table:
    """A row for each part of a finished run."""
    run = rz.open(folder)
    expected = rz.runs.expect(rz.config.read(run.config())).seconds
    table = Table("part", "estimate, s", "log, s", "estimate / log")
    lessons = expected.pop("lessons", 0.0)
    expected["self-play"] = expected.get("self-play", 0.0) + lessons
    took = logged(run)
    expected.pop("start")  # is no part of the log
    rows = [*took, "in all"]
    took["in all"], expected["in all"] = sum(took.values()), sum(expected.values())
    for part in rows:
        guess, seconds = expected.get(part, 0.0), took[part]
        ratio = f"{guess / seconds:.2f}" if seconds else ""
        table.add_row(part, f"{guess:.1f}", f"{seconds:.1f}", ratio)
    return table


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recipes", nargs="*", default=rz.config.recipes())
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", metavar="FOLDER")
    given = parser.parse_args()
    table = (
        compare(given.recipes, given.preset, given.rounds)
        if given.run is None
        else compare_run(given.run)
    )
    Console().print(table)


if __name__ == "__main__":
    main()
