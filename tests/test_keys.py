"""scripts/keys.py: finds the code that reads each key of a recipe, and keys without a reader."""

import pytest

import keys
from rulezero import config, runs
from rulezero.training.tasks import task_of


def test_reads_are_noted_with_their_lines() -> None:
    """Code that uses a key is noted; checks, and keys that a copy replaces, do not count."""
    experiment = config.load("exchange", "tiny")
    spy = keys.Spy()
    spy.watch(experiment)
    with spy:
        runs.check(experiment)
        assert not spy.reads["fit.device"]  # which it reads
        experiment.fit.rate.at(0, 0, 0.0)
        nets = dict.fromkeys(("best", "latest", "previous", "candidate"), "x")
        played = experiment.regime.selfplay(experiment, 1)
        task_of(played, nets, experiment, 1, name="x", purpose="self-play")
    (place,) = spy.reads["fit.rate.start"]
    assert place.startswith("learn/fit.py:")
    assert "fit.rate.end" not in spy.reads
    assert {"selfplay.a", "selfplay.opening", "regime.student"} <= spy.reads.keys()
    assert not {"selfplay.b", "selfplay.swap"} & spy.reads.keys()
    before = dict(spy.reads)
    assert experiment.fit.rate.start
    assert spy.reads == before


def test_a_key_that_nobody_reads_is_listed() -> None:
    """A key without a reader is listed, unless an experiment with it is refused."""
    made = keys.experiments("exchange")
    spy = keys.Spy()
    rows = {row.name.removesuffix(" *"): row for row in keys.rows_of_keys("exchange", spy, made)}
    assert rows["fit.clip"].is_unread
    assert rows["selfplay.b"].said.startswith("refused: regime teacher_student: set regime.student")
    assert not rows["selfplay.b"].is_unread
    assert rows["curriculum.games"].said.startswith("refused: there is no curriculum for exchange")


def test_every_key_of_a_recipe_is_read_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """For all recipes, the script finds no key and no flag without effect."""
    assert keys.main(["connect4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].endswith(" flags and keys, 0 unread")
    assert any("--asymmetric (regime.kind) " in line for line in lines)
    assert any(" gate.elo1 " in line and "training/tasks.py:" in line for line in lines)
