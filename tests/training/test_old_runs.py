"""Runs written before regimes had keys of their own can be read, examined and resumed.

tests/old_runs has four tiny runs that were stopped before iteration 2. The distill run has no nets,
because .nn files have a large fixed size.
"""

import shutil
from pathlib import Path

import pytest

import rulezero as rz
from rulezero import config, runs
from rulezero.reports.page import render
from rulezero.training.log import GamesEntry
from rulezero.training.regimes.distill import Distill
from rulezero.training.regimes.frozen_opponent import FrozenOpponent
from rulezero.training.regimes.gated import Gated
from rulezero.training.regimes.regime import Regime
from rulezero.training.regimes.teacher_student import TeacherStudent
from support.documents import ROOT

OLD = ROOT / "tests" / "old_runs"
REGIMES: dict[str, type[Regime]] = {
    "connect4": Gated,
    "exchange": TeacherStudent,
    "monster": FrozenOpponent,
    "distill": Distill,
}


@pytest.mark.parametrize("name", REGIMES)
def test_an_old_run_is_read(name: str) -> None:
    """The experiment has the regime's own keys; log entries and records have today's fields."""
    run = rz.open(OLD / name)
    experiment = config.read(run.config())
    assert isinstance(experiment.regime, REGIMES[name])
    assert config.read(experiment.text) == experiment  # its text is in the current form
    games = [entry for entry in run.entries() if isinstance(entry, GamesEntry)]
    records = list(run.store())
    assert sum(entry.games for entry in games) == len(records) > 0
    for record in records:  # the iteration was part of the task's name, now it is a field
        assert record.iteration == int(record.task[:4])
        assert record.forced_result is None
        assert not record.is_given


def test_keys_of_the_regime_are_found() -> None:
    """Old top-level keys are moved into the regime; old `seat` keys become `player`."""
    exchange = config.read(rz.open(OLD / "exchange").config())
    assert isinstance(exchange.regime, TeacherStudent)
    assert exchange.regime.student == "oneply:net=latest,sharpness=2,draw_value=-0.5"
    assert exchange.gate.player == "puct:net=candidate,sims=8,c_puct=3"
    monster = config.read(rz.open(OLD / "monster").config())
    assert isinstance(monster.regime, FrozenOpponent)
    assert monster.regime.opponent.first == "ucb1:sims=4"
    assert monster.curriculum is not None
    assert monster.curriculum.player == "puct:net=latest,sims=4,temperature=1"
    distill = config.read(rz.open(OLD / "distill").config())
    assert isinstance(distill.regime, Distill)
    assert [stage.last for stage in distill.regime.stages] == [1, 3]


@pytest.mark.parametrize("name", ["connect4", "exchange", "monster"])
def test_an_old_run_is_resumed(name: str, tmp_path: Path) -> None:
    """It keeps its games, plays iteration 2 to the end, and a report can be made."""
    shutil.copytree(OLD / name, tmp_path / "run")
    before = {record.id for record in rz.open(tmp_path / "run").store()}
    run = runs.resume(tmp_path / "run", workers=1)
    assert run.progress().is_done
    after = {record.id: record for record in run.store()}
    assert before < set(after)
    assert {after[each].iteration for each in set(after) - before} == {2}
    assert "iter_2" in render(run)


def test_a_recipe_with_old_keys_is_read(tmp_path: Path) -> None:
    """A user's file may have the old keys, except those of another regime."""
    path = tmp_path / "mine.yaml"
    text = "game: exchange\nregime: teacher_student\nstudent: 'oneply:net=latest'\n"
    text += "selfplay: {a: 'puct:net=best,sims=5'}\ngate: {seat: 'puct:net=candidate,sims=3'}\n"
    path.write_text(text + "presets: {small: {}}\n")
    experiment = config.load(str(path))
    assert isinstance(experiment.regime, TeacherStudent)
    assert experiment.gate.player == "puct:net=candidate,sims=3"
    path.write_text(text.replace("teacher_student", "gated") + "presets: {small: {}}\n")
    with pytest.raises(rz.RunError, match=r"key 'student' is unknown in regime \(gated\)"):
        config.load(str(path))
