"""Memory of a learner whose window holds a million plies, and how fast it makes batches.

Other processes play the games first: razzle, searched without a net, with visits in the records.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import rulezero as rz
from proof import table, write
from rulezero import config
from rulezero.learn.batch import Batches
from rulezero.learn.learner import Learner
from rulezero.learn.targets import of_play
from rulezero.learn.window import Part, Window, WindowSettings, take
from rulezero.machine import cores
from rulezero.nets.tower import create

PLIES = 1_000_000
STEPS = 60
PLAYER = "puct:sims=64,temperature=1,temperature_turns=10"


def most_memory() -> float:
    """Peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def play(folder: str, games: int) -> None:
    """Plays games into a store, in another process."""
    words = (
        f"match razzle --a {PLAYER} --b {PLAYER} --games {games} --opening 4 --workers {cores()}"
    )
    command = [sys.executable, "-m", "rulezero", *words.split(), "--save", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Measures, and writes the section."""
    rows = []
    experiment = config.load("razzle", "small")
    game = rz.load("razzle")
    learner = Learner(create(game, experiment.net), game, experiment.fit)
    rows.append(["torch, a net and its optimiser", f"{most_memory():,.0f}"])
    window = Window(WindowSettings(kind="fixed", plies=PLIES))
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        games = 1000
        while window.seen < PLIES:
            store = Path(folder) / str(games)
            play(str(store), games)
            take(
                window,
                rz.records(store),
                game,
                lambda r, c, played, _: of_play(r, c, played, experiment.targets),
                0,
            )
            games = max(100, round((PLIES - window.seen) * len(window.games) / window.seen))
    rows.append([f"and a window of {len(window):,} plies", f"{most_memory():,.0f}"])
    batches = Batches(window, game, settings=experiment.targets, mirrors=True)
    dice = np.random.default_rng(0)
    known = window.positions(Part.TRAINING)
    begin = time.perf_counter()
    for _ in range(STEPS):
        batches.make(dice.choice(known, experiment.fit.batch), dice)
    made = STEPS * experiment.fit.batch / (time.perf_counter() - begin)
    begin = time.perf_counter()
    for _ in range(STEPS):
        learner.learn(batches.make(dice.choice(known, experiment.fit.batch), dice), 1e-3)
    rows.append([f"and {STEPS} steps of {experiment.fit.batch} positions", f"{most_memory():,.0f}"])
    write(
        "memory",
        "make proof-memory",
        "Peak memory of the learner's process, razzle `small`.\n\n"
        + table(["with", "MiB"], rows)
        + f"\n\nOne thread makes batches at {made:,.0f} positions a second.",
    )


if __name__ == "__main__":
    main()
