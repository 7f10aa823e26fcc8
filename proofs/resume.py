"""Runs that are killed ten times at random end bit-identical to uninterrupted runs.

It compares the SHA-256 of the latest net, of the learner and of all records.
"""

import random
import shutil
import subprocess
import sys
import time

from proof import RUNS, table, write
from rulezero import config, runs
from rulezero.training.run import Run

KILLS = 10
ITERATIONS = 8
CHANGES = ["selfplay.games=48"]
STAGES = ["regime.material_iterations=4", "regime.search_iterations=4"]
START = 2.0  # seconds that a run takes to begin
SHARE = 1.4 / KILLS  # longest time between two kills, as a share of an uninterrupted run


def changes(recipe: str) -> list[str]:
    """Changes that make a tiny run long enough; a distillation has its iterations by stage."""
    staged = config.load(recipe, "tiny").regime.kind == "distill"
    return CHANGES + (STAGES if staged else [f"iterations={ITERATIONS}"])


def command(recipe: str, run: Run) -> list[str]:
    """The command that begins a run, or resumes it."""
    command = [sys.executable, "-m", "rulezero", "train"]
    if run.exists:
        return [*command, "--resume", str(run.path)]
    words = [word for change in changes(recipe) for word in ("--set", change)]
    return [*command, recipe, "--preset", "tiny", "--out", str(run.path), *words]


def killed(recipe: str, longest: float, dice: random.Random) -> tuple[Run, list[str]]:
    """A finished run that was killed ten times, and where it was after each kill.

    The time between two kills is at most START + `longest` seconds.
    """
    run = Run(RUNS / f"proof_resume_{recipe}_killed")
    places: list[str] = []
    while len(places) < KILLS:
        with subprocess.Popen(command(recipe, run), stderr=subprocess.DEVNULL) as process:
            time.sleep(START + dice.uniform(0, longest))
            process.kill()
        if run.exists:
            now = run.progress()
            places.append(f"{now.iteration} {now.phase}")
            print(f"{recipe}: killed {len(places)} times, now at iteration {places[-1]}")
            if now.is_done:
                raise SystemExit(f"the run was done after {len(places)} kills: make it longer")
    subprocess.run(command(recipe, run), check=True)
    return run, places


def main() -> int:
    """Makes the runs, compares them and writes the section; returns 1 if anything differs."""
    dice, rows, is_same = random.Random(0), [], True
    for recipe in config.recipes():
        for folder in RUNS.glob(f"proof_resume_{recipe}*"):
            shutil.rmtree(folder)  # from a proof that was stopped
        begin = time.perf_counter()
        whole = runs.train(
            recipe, "tiny", RUNS / f"proof_resume_{recipe}_whole", changes=changes(recipe)
        ).fingerprint()
        run, places = killed(recipe, SHARE * (time.perf_counter() - begin), dice)
        found = run.fingerprint()
        is_same = is_same and found == whole
        for part, digest in whole.items():
            verdict = "the same" if found[part] == digest else "**different**"
            rows.append([recipe, part, digest[:16], found[part][:16], verdict])
        rows.append([recipe, "killed at", ", ".join(places), "", ""])
    write(
        "resume",
        "make proof-resume",
        f"`tiny` runs of {ITERATIONS} iterations, `kill -9` {KILLS} times at"
        " random instants, then resumed to the end.\n\n"
        + table(["recipe", "sha256 of", "undisturbed", "killed", ""], rows),
    )
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
