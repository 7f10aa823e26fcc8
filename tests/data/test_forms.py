"""Other file formats: .npz arrays, and the format that a path's suffix means."""

from pathlib import Path

import numpy as np
import pytest

import rulezero as rz
from rulezero.data import RecordError, Store, export, import_file
from support import record_samples, samples


def play(text: str, seed: int) -> tuple[rz.State, ...]:
    """The first 60 states of a random game."""
    return samples.played(text, seed)[:60]


@pytest.mark.parametrize("text", samples.GAMES)
def test_arrays_hold_every_choice_of_a_seat(text: str, tmp_path: Path) -> None:
    """Each row has the planes of play, shares by slot, seat 0's value and result, and the mover."""
    records = [record_samples.of(list(play(text, seed)), seed, index=seed) for seed in range(2)]
    path = tmp_path / "x.npz"
    assert export(records, path) == 2
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    facts = rz.load(text).facts
    row = 0
    for number, record in enumerate(records):
        for ply, state in enumerate(play(text, number)[:-1]):
            if state.mover == rz.CHANCE:
                continue
            thought = record.thought(ply)
            assert arrays["plies"][row] == ply
            assert arrays["movers"][row] == state.mover
            assert arrays["games"][row] == number
            assert arrays["results"][row] == record.outcome
            assert arrays["planes"][row].tobytes() == state.planes().tobytes()
            shares = np.zeros(facts.slots)
            for action, share in (thought.target if thought else {}).items():
                shares[state.slot(action)] += share
            np.testing.assert_allclose(arrays["policies"][row], shares, atol=1e-6)
            value = None if thought is None else thought.value
            np.testing.assert_equal(
                arrays["values"][row], np.float32(np.nan if value is None else value)
            )
            row += 1
    assert all(len(arrays[name]) == row for name in arrays if name != "ids")
    assert arrays["ids"].tolist() == [record.id for record in records]


def test_an_npz_has_one_game(tmp_path: Path) -> None:
    """Records of two games, or no records, are an error, and no file is written."""
    mixed = [record_samples.made("connect4"), record_samples.made("razzle")]
    with pytest.raises(RecordError, match="one game, but here are connect4, razzle"):
        export(mixed, tmp_path / "x.npz")
    with pytest.raises(RecordError, match="no records"):
        export([], tmp_path / "x.npz")
    assert list(tmp_path.iterdir()) == []


def test_the_suffix_tells_the_form(tmp_path: Path) -> None:
    """The suffix or `form` gives the format; the error for an unknown one lists the known ones."""
    record = record_samples.made("chess")
    export([record], tmp_path / "games.txt", "jsonl")
    assert list(import_file(tmp_path / "games.txt", form=".jsonl")) == [record]
    with pytest.raises(RecordError, match=r"\.jsonl or \.pgn or \.npz: only these can be written"):
        export([record], tmp_path / "games.csv")
    with pytest.raises(RecordError, match=r"end in \.jsonl or \.pgn: only these can be read"):
        import_file(tmp_path / "games.npz")
    with pytest.raises(RecordError, match="there is no"):
        import_file(tmp_path / "none.pgn")
    (tmp_path / "folder.pgn").mkdir()
    with pytest.raises(RecordError, match="is a folder"):
        import_file(tmp_path / "folder.pgn")


def test_records_opens_whatever_holds_records(tmp_path: Path) -> None:
    """rz.records opens a store, a run's store, or a file of another format."""
    every = list(record_samples.several("chess", 2))
    with Store(tmp_path / "run" / "records") as store:
        for record in every:
            store.add(record)
    export(every, tmp_path / "x.jsonl")
    assert list(rz.records(tmp_path / "run" / "records")) == every
    assert list(rz.records(str(tmp_path / "run"))) == every
    assert list(rz.records(tmp_path / "x.jsonl")) == every
    assert isinstance(rz.records(tmp_path / "run"), Store)
    with pytest.raises(rz.RecordError):
        rz.records(tmp_path / "nowhere")
