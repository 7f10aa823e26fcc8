"""`steps`: a record ply by ply, and `look_up`: one record of several."""

from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero.data import Store, export
from rulezero.data.steps import look_up, steps
from support import samples


@pytest.mark.parametrize("text", samples.GAMES)
def test_steps_are_the_game(text: str) -> None:
    """Each step has the ply's position and thought, and the last one reaches the outcome."""
    (record,) = rz.match(text, "random", "puct:eval=uniform,sims=4", 1, opening=2).records
    game = samples.game(text)
    played = list(steps(record, game=game))
    assert len(played) == record.plies
    state = game.parse(record.start)
    for ply, step in enumerate(played):
        assert (step.ply, step.state, step.notes) == (ply, state, {})
        assert step.thought == record.thought(ply)
        state = step.after
    assert state.outcome == record.outcome or record.end_reason == "cap"


def test_judges_speak_beside_the_mover(tmp_path: Path) -> None:
    """A step has the judges' notes by player text, at every choice but at no die."""
    rz.match("exchange", "random", "random", 2, judge="heuristic", save=tmp_path, opening=0)
    record, notes = look_up(Store(tmp_path), "1")
    for step in steps(record, notes):
        assert step.thought is None
        assert set(step.notes) == (set() if step.state.mover == rz.CHANCE else {"heuristic"})


def test_records_are_found_by_number_and_id(tmp_path: Path) -> None:
    """look_up finds records by number, id or start of the id, in stores and in files."""
    store, file = tmp_path / "store", tmp_path / "games.jsonl"
    rz.match("connect4", "random", "random", 5, save=store)
    records = list(Store(store))
    export(records, file)
    for path in (store, file):
        read = list(rz.records(path))
        assert len(read) == 5
        for number, record in enumerate(read, 1):
            assert look_up(rz.records(path), str(number))[0] == record
            assert look_up(rz.records(path), record.id)[0] == record
            assert look_up(rz.records(path), record.id[:12])[0] == record
    for which, words in {
        "6": "number 6",
        "0": "number 0",
        "nothing": "no record",
        "": "no record",
    }.items():
        with pytest.raises(rz.RecordError, match=words):
            look_up(Store(store), which)
    with pytest.raises(rz.RecordError, match="there is no"):
        rz.records(tmp_path / "nowhere")


def test_a_forged_record_is_refused() -> None:
    """A wrong start, an illegal action or an untrusted game raises RecordError."""
    (record,) = rz.match("connect4", "random", "random", 1, opening=0).records
    wrong = msgspec.structs.replace(record, start="X6/O6/X6/O6/X6/O6 x")
    with pytest.raises(rz.RecordError, match="connect4"):
        list(steps(wrong))
    first = int(record.action_numbers()[0])
    before, behind = str(first or ""), str(6 - first or "")
    full = "/".join(f"{before}{man}{behind}" for man in "OXOXOX") + " x"
    with pytest.raises(rz.RecordError, match="at ply 0"):
        list(steps(msgspec.structs.replace(record, start=full)))
    with pytest.raises(rz.RecordError, match="would run a file"):
        list(steps(msgspec.structs.replace(record, game="python:file=evil.py")))
