"""The training loop: every recipe runs to its end; killing a run does not change its results."""

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import rulezero as rz
from rulezero import config, runs
from rulezero.data.check import check
from rulezero.errors import RunError
from rulezero.play.task import Task
from rulezero.stats.tally import Tally
from rulezero.training.listener import Listener
from rulezero.training.log import FitEntry, GamesEntry, VerdictEntry
from rulezero.training.run import Run
from support.commands import begin, read_until
from support.documents import ROOT, blocks

QUICK = ["selfplay.games=6", "anchor.games=2", "iterations=2"]


@pytest.mark.parametrize("recipe", config.recipes())
def test_a_dummy_run_of_every_recipe(recipe: str, tmp_path: Path) -> None:
    """A short run goes through every phase; its records are valid and its nets can play."""
    run = runs.train(recipe, "tiny", tmp_path / "run", changes=QUICK, workers=1)
    progress = run.progress()
    assert progress.is_done
    assert progress.iteration == 2
    game = rz.load(config.read(run.config()).game)
    records = list(rz.records(run.path))
    purposes = {record.purpose for record in records}
    assert {"self-play", "rating"} <= purposes
    for record in records:
        check(record, game=game)
    kinds = [type(entry) for entry in run.entries()]
    assert kinds.count(FitEntry) == 2 + ("bootstrap" in purposes)
    assert kinds.count(VerdictEntry) == 3  # the net of iteration 0 has a verdict, too
    for net in (run.path, f"{run.path}@latest", f"{run.path}@1"):
        if rz.nets.resolve(net).suffix in rz.nets.ONE_FILE:  # it has no policy
            assert rz.player("oneply", net=str(net)).think(game.start()).value is not None
        else:
            assert rz.net(net).evaluate([game.start()])[0].shape == (1, game.facts.slots)
    result = rz.match(game, f"puct:net={run.path},sims=4", "random", 2)
    assert result.tally.games == 2


def test_the_speed_of_a_resumed_run_is_that_of_its_new_games(tmp_path: Path) -> None:
    """Games in the store were played before, in seconds that nobody counts now."""

    class Stopping(Listener):
        def played(self, task: Task, tally: Tally, games: int, total: int, sims: int) -> None:
            if games == 4:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.train(
            "connect4", "tiny", tmp_path / "run", changes=QUICK, workers=1, listener=Stopping()
        )
    run = runs.resume(tmp_path / "run", workers=1, progress=False)
    games = [each for each in run.entries() if isinstance(each, GamesEntry) and each.is_training]
    first, *others = games
    assert first.played_sims is not None
    assert 0 < first.played_sims < first.sims
    assert all(entry.played_sims == entry.sims for entry in others)


def test_a_game_of_ones_own_is_one_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game and the recipe in docs/add_a_game.md train with two workers, and the net plays."""
    monkeypatch.chdir(tmp_path)
    known = {block.language: block for block in blocks(ROOT / "docs" / "add_a_game.md")[::-1]}
    Path("tictactoe.py").write_text(known["python"].text, encoding="utf-8")
    Path("tictactoe.yaml").write_text(known["yaml"].text, encoding="utf-8")
    changes = ["iterations=1", "selfplay.games=6", "anchor.games=2"]
    run = runs.train("tictactoe.yaml", out="run", changes=changes, workers=2)
    assert run.progress().best == "iter_1"
    result = rz.match("python:file=tictactoe.py", "puct:net=run,sims=8", "random", 4)
    assert result.tally.games == 4


def test_runs_are_reproducible(tmp_path: Path) -> None:
    """Nets and games depend on the experiment and its seed, not on the number of workers."""
    one, two, other = (
        runs.train("razzle", "tiny", tmp_path / name, changes=[*QUICK, *more], workers=workers)
        for name, more, workers in [("1", [], 1), ("2", [], 2), ("3", ["seed=1"], 1)]
    )
    assert one.fingerprint() == two.fingerprint()
    assert one.fingerprint() != other.fingerprint()


_PROGRAM = f"""
import sys
sys.path.append({str(ROOT / "tests")!r})
from support import graphs
graphs.install()
from rulezero import runs
from rulezero.training.listener import Listener

class Talk(Listener):
    def begin(self, iteration, phase):
        print(iteration, phase, flush=True)
    def played(self, task, tally, games, total, sims):
        print(task.name, games, flush=True)
    def learned(self, step, steps, losses):
        print("step", step, flush=True)

if __name__ == "__main__":
    path = sys.argv[1]
    if runs.Run(runs.Path(path)).exists:
        runs.resume(path, workers=2, listener=Talk())
    else:
        runs.train("connect4", "tiny", path, changes={QUICK!r}, workers=2, listener=Talk())
"""


def test_what_is_killed_comes_to_the_same(tmp_path: Path) -> None:
    """After kill -9 in self-play, a fit and a trial, net, optimiser and games are the same."""
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    whole = runs.train("connect4", "tiny", tmp_path / "whole", changes=QUICK, workers=1)
    path = tmp_path / "killed"
    for words in ("0001/self-play 3\n", "1 fit\nstep 1\n", "2 generate\n", "0002/anchor 1\n"):
        with begin(path, program=str(program)) as process:
            read_until(process.stdout, words)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
    run = runs.resume(path, workers=1)
    assert run.fingerprint() == whole.fingerprint()
    logged = [(type(entry), entry.iteration) for entry in run.entries()]
    assert logged == [(type(entry), entry.iteration) for entry in whole.entries()]


def test_a_run_is_not_begun_or_continued_twice(tmp_path: Path) -> None:
    """A folder that is not empty, one without a run, and a run in use by a process are refused."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    with pytest.raises(RunError, match="is not empty: name a new folder, or --resume"):
        runs.train("connect4", "tiny", tmp_path / "mine")
    with pytest.raises(RunError, match="is not a run"):
        runs.resume(tmp_path / "mine")
    run = Run(tmp_path / "run")
    experiment = config.load("connect4", "tiny")
    run.create(experiment.text, runs.manifest(experiment, rz.load("connect4")))
    if sys.platform == "linux":
        with run.locked(), pytest.raises(RunError, match="another process is working"):
            runs.resume(tmp_path / "run")


def test_an_iteration_is_told_as_it_goes(tmp_path: Path) -> None:
    """A listener receives the phases in order, and counts of games and steps up to the last."""
    seen: list[Any] = []

    class Notes(Listener):
        def begin(self, iteration: int, phase: str) -> None:
            seen.append((iteration, phase))

        def played(self, task: Any, tally: Any, games: int, total: int, sims: int) -> None:
            seen[-1:] = [(*seen[-1][:2], games, total)]

        def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
            seen[-1:] = [(*seen[-1][:2], step, steps)]

    runs.train("razzle", "tiny", tmp_path / "r", changes=QUICK, workers=1, listener=Notes())
    assert [each[:2] for each in seen] == [
        (iteration, phase)
        for iteration in range(3)
        for phase in (["generate", "fit", "evaluate"] if iteration else ["generate", "evaluate"])
    ]
    assert all(each[2] == each[3] for each in seen if len(each) > 2)
