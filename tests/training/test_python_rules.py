"""Runs of games in Python: they do not depend on paths, and never execute unknown files."""

import shutil
from pathlib import Path

import pytest

import rulezero as rz
from rulezero import config, runs
from rulezero.data.replay import replay_of
from rulezero.games.load import _load_known
from rulezero.reports.diagnosis import diagnose
from rulezero.reports.standings import rate
from support import documents
from support.rules_in_python import RACE

KEYS = ["net.blocks=1", "net.channels=8", "iterations=1", "bootstrap=[]", "anchor=null"]
KEYS += ["selfplay.games=4", "selfplay.a=puct:net=best,sims=8", "gate.kind=always"]


def trained(path: str | Path, out: Path) -> rz.Run:
    changes = [f"game=python:file={path}", *KEYS]
    return runs.train("connect4", "tiny", out, changes=changes, workers=1, progress=False)


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A rules file that has never been executed; when it is, it creates the file `ran`."""
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "known"))
    path = tmp_path / "mine" / "mine.py"
    path.parent.mkdir()
    path.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n" + documents.tic_tac_toe())
    return path


def test_a_path_plays_no_part(rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rules given by another path lead to the same games, net and experiment."""
    one = trained(rules, tmp_path / "one")
    monkeypatch.chdir(rules.parent)
    two = trained("mine.py", tmp_path / "two")
    assert one.fingerprint() == two.fingerprint()
    assert one.config() == two.config()


def test_a_run_opens_from_any_folder(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run can be used from another folder after the original rules file has been deleted."""
    run = trained(rules, tmp_path / "run")
    copy = run.path / "rules" / "mine.py"
    assert copy.read_bytes() == rules.read_bytes()
    shutil.rmtree(rules.parent)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    runs.resume(run.path, iterations=2, workers=1, progress=False)
    assert run.progress().best == "iter_2"
    assert diagnose(run.path, games=2).games == 2
    assert rate(run, games=2, workers=1).games > 0
    game = rz.load(config.read(run.config()).game)
    assert rz.net(run.path).evaluate([game.start()])[0].shape == (1, 9)
    records = list(rz.records(run.path))
    assert all(replay_of(record).last.is_over for record in records)


def test_a_run_of_a_stranger_runs_nothing(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the run's copy of the rules nor a path is executed until the user loads the copy."""
    run = trained(rules, tmp_path / "run")
    (tmp_path / "ran").unlink()
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "another users"))
    _load_known.cache_clear()
    hint = r"file once, as python:file=FOLDER/mine.py; the run has a copy of it in '.*rules'"
    for use in (lambda: runs.resume(run.path), lambda: diagnose(run.path), lambda: rate(run)):
        with pytest.raises(rz.RulezeroError, match=hint):
            use()
    written = run.path / "config.yaml"
    text, manifest = run.config(), (run.path / "manifest.json").read_text()
    path = f"python:file={rules}"
    written.write_text(text.replace(config.read(text).game, path))
    (run.path / "manifest.json").write_text(manifest.replace(config.read(text).game, path))
    for use in (lambda: runs.resume(run.path), lambda: diagnose(run.path), lambda: rate(run)):
        with pytest.raises(rz.RulezeroError):
            use()
    assert not (tmp_path / "ran").exists()
    written.write_text(text)
    (run.path / "manifest.json").write_text(manifest)
    rz.load(f"python:file={run.path}/rules/mine.py")
    assert diagnose(run.path, games=2).games == 2


def test_rules_that_fail_at_once_leave_no_run(tmp_path: Path) -> None:
    """After the mistake is mended, the same command starts a run: the first left no folder."""
    source = RACE.replace("has_chance = True", "has_chance = False")
    assert source != RACE
    (tmp_path / "race.py").write_text(source)
    with pytest.raises(rz.GameError, match="set has_chance = True in the class"):
        trained(tmp_path / "race.py", tmp_path / "run")
    assert not (tmp_path / "run").exists()
    (tmp_path / "race.py").write_text(RACE)
    assert trained(tmp_path / "race.py", tmp_path / "run").progress().is_done
