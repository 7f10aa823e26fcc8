"""Kills processes of a run with --fleet http at random instants, again and again.

.venv/bin/python benchmarks/fleet_kills.py [--minutes 10] [--recipe connect4] [--seed N]

A worker, the server or the trainer is killed by kill -9 every few seconds; a killed trainer is
resumed. Each run must end complete, with the records and nets of an undisturbed local run.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import rulezero as rz

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support import fleet_processes as processes
from support.commands import begin

_CHANGES = {"connect4": ["selfplay.games=200"], "exchange": ["selfplay.games=40"]}


def main() -> None:
    """Runs until the time is over, and prints what was killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--recipe", default="connect4", choices=_CHANGES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=float, default=4, help="mean seconds between two kills")
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    changes = _CHANGES[asked.recipe]
    until = time.monotonic() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        local = rz.train(asked.recipe, "tiny", folder / "local", changes=changes, workers=2)
        wanted = local.fingerprint()
        rounds, killed = 0, Counter[str]()
        while time.monotonic() < until:
            rounds += 1
            out = folder / str(rounds)
            disturb(asked.recipe, changes, out, dice, asked.every, killed)
            found = rz.open_run(out).fingerprint()
            assert found == wanted, f"{out}: {found}, not {wanted}"
            kills = ", ".join(f"{count} x {name}" for name, count in sorted(killed.items()))
            print(f"run {rounds}: complete and equal; killed so far: {kills or 'nothing'}")


def disturb(
    recipe: str,
    changes: list[str],
    out: Path,
    dice: random.Random,
    every: float,
    killed: Counter[str],
) -> None:
    """Runs a recipe to its end, however often its processes are killed."""
    words = [word for change in changes for word in ("--set", change)]
    fleet = ["--fleet", "http", "--workers", "2"]
    while True:
        is_begun = rz.Run(out).exists
        new = [recipe, "--preset", "tiny", *words, "--out", str(out)]
        begun = ["--resume", str(out)] if is_begun else new
        with begin("train", *begun, *fleet) as process:
            while process.poll() is None:
                time.sleep(min(dice.expovariate(1 / every), 4 * every))
                who = dice.choice(["worker", "worker", "server", "trainer"])
                found = {
                    "worker": processes.workers(process.pid),
                    "server": processes.servers(process.pid),
                    "trainer": [process.pid] if rz.Run(out).exists else [],
                }[who]
                if process.poll() is None and found:
                    processes.kill(dice.choice(found))
                    killed[who] += 1
            _, errors = process.communicate()
        if process.returncode == 0:
            return
        assert process.returncode == -9, errors


if __name__ == "__main__":
    main()
