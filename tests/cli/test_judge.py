"""`rulezero judge`: adds a judge's notes to recorded games, each note once."""

import signal
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero.data import Note, Record, Store, export
from support import people, record_samples
from support.commands import begin, fails, run, stop, succeeds

JUDGE = "ucb1:sims=20,eval=rollout"


def notes(path: Path) -> dict[str, Note]:
    """The notes of JUDGE, by record id."""
    return {note.record: note for note in Store(path).notes() if note.judge == JUDGE}


def saved(path: Path, *records: Record) -> Path:
    with Store(path) as store:
        for record in records:
            store.add(record)
    return path


def test_every_position_gets_a_value(tmp_path: Path) -> None:
    """Values go into notes; records stay unchanged, and a player judges each game only once."""
    store = people.store(tmp_path / "games", 3)
    before = list(Store(store))
    said = succeeds("judge", store, "--player", JUDGE)
    assert said == f"3 games in {store} judged by {JUDGE}\n"
    assert list(Store(store)) == before
    found = notes(store)
    assert set(found) == {record.id for record in before}
    for record in before:
        columns = found[record.id].thoughts.columns(record.action_numbers())
        assert np.isfinite(columns.value).all()
        assert (columns.sims > 0).any()
    again = succeeds("judge", store, "--player", JUDGE)
    assert again == f"0 games in {store} judged by {JUDGE}, 3 were judged already\n"
    succeeds("judge", store, "--player", "alphabeta:depth=2", "--workers", "1")
    assert len(list(Store(store).notes())) == 6


def test_notes_depend_on_nothing_but_games_and_judge(tmp_path: Path) -> None:
    """The number of workers and an interruption do not change the notes."""
    found = []
    for name, workers in [("one", 1), ("two", 2), ("stopped", 1)]:
        store = people.store(tmp_path / name, 6)
        if name == "stopped":

            def interrupt(done: int, total: int) -> None:
                assert total == 6
                if done == 2:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                rz.judge(store, JUDGE, workers=1, on_game=interrupt)
            assert len(notes(store)) == 2
        rz.judge(store, JUDGE, workers=workers)
        found.append({name: note.thoughts for name, note in notes(store).items()})
    assert found[0] == found[1] == found[2]


def test_a_killed_judge_goes_on(tmp_path: Path) -> None:
    """The notes written before the kill stay, and their games are not judged again."""
    store = people.store(tmp_path / "games", 30, people.emptiest)
    by = "ucb1:sims=16000,eval=rollout"
    process = begin("judge", store, "--player", by, "--workers", "2")
    limit = time.monotonic() + 120
    while not list(Store(store).notes()) and time.monotonic() < limit:
        time.sleep(0.02)
    stop(process, signal.SIGKILL)
    kept = {note.record: note for note in Store(store).notes()}
    assert 0 < len(kept) < 30
    said = succeeds("judge", store, "--player", by)
    assert said.endswith(f", {len(kept)} were judged already\n")
    after = {note.record: note for note in Store(store).notes()}
    assert len(after) == 30
    assert kept.items() <= after.items()
    Store(store).verify()


def test_some_games_only(tmp_path: Path) -> None:
    """`judge` has the filters of `data`, and a store may hold records of several games."""
    other = record_samples.made("razzle", purpose="rating", task="r")
    store = saved(people.store(tmp_path / "games", 2), other)
    succeeds("judge", store, "--player", JUDGE, "--purpose", "human")
    assert other.id not in notes(store)
    said = succeeds("judge", store, "--player", JUDGE)
    assert said.startswith("1 game in ")
    assert other.id in notes(store)


def test_fits_learn_from_notes(tmp_path: Path) -> None:
    """A judge's values stand in for the search values of plies without any."""
    experiment = rz.experiment("connect4", "tiny", ["targets.search_share=1", "fit.epochs=1"])
    nets = []
    for name in ("plain", "judged"):
        store = people.store(tmp_path / name, 4)
        if name == "judged":
            rz.judge(store, JUDGE, workers=1)
        rz.fit(experiment, store, tmp_path / f"{name}-net")
        nets.append((tmp_path / f"{name}-net.safetensors").read_bytes())
    assert nets[0] != nets[1]


def test_wrong_input_is_one_line(tmp_path: Path) -> None:
    """The error is one line, and no notes are written."""
    store = people.store(tmp_path / "games", 2)
    export(Store(store), tmp_path / "games.jsonl")
    for arguments, words in [
        ((tmp_path / "nowhere", "--player", JUDGE), "there is no"),
        ((tmp_path / "games.jsonl", "--player", JUDGE), "is not a store: import the games of a"),
        ((store, "--player", "human"), "a human cannot play here"),
        ((store, "--player", "random"), "'random' does not evaluate positions"),
        ((store, "--player", "pukt"), "did you mean 'puct'"),
        ((store, "--player", "puct:net=nowhere"), "there is no net 'nowhere'"),
        ((store, "--player", JUDGE, "--purpose", "gate"), "no record whose purpose is gate"),
        ((store, "--player", JUDGE, "--purpose", "fun"), "there is no purpose 'fun'"),
        ((store,), "--player"),
    ]:
        assert words in fails("judge", *arguments)
    assert list(Store(store).notes()) == []
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.yaml").touch()
    people.store(tmp_path / "run" / "records", 1)
    assert "learns from its own judge's" in fails("judge", tmp_path / "run", "--player", JUDGE)


def test_what_is_not_true_is_left_out(tmp_path: Path) -> None:
    """A record that breaks the rules is skipped with a warning; rz.judge raises RecordError."""
    good = people.game(0)
    bad = msgspec.structs.replace(people.game(1), outcome=0.5)
    result = run("judge", saved(tmp_path / "games", bad, good), "--player", JUDGE)
    assert f"record {bad.id} is left out: " in result.stderr
    assert (result.returncode, result.stdout[:7]) == (0, "1 game ")
    with pytest.raises(rz.RecordError, match="the rules say"):
        rz.judge(tmp_path / "games", JUDGE, workers=1)
