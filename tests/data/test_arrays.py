"""Arrays on disk: their contents, mirror images, splits by game, and complete folders."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from games.test_symmetry import mirror_connect4, mirror_files, mirror_razzle
from rulezero import _core
from rulezero.data import Record, RecordError, Store, arrays
from rulezero.data import rows as rows_of
from rulezero.data.arrays import ArrayOptions, Meta, Survey, split_of, survey
from support import record_samples, samples

PLAIN = ArrayOptions(augment=False)
MIRRORS = {"connect4": mirror_connect4, "razzle": mirror_razzle}
turned = mirror_files(7)


def written(
    records: Sequence[Record], folder: Path, options: ArrayOptions = PLAIN
) -> dict[str, npt.NDArray[Any]]:
    """The written arrays by name, including those of splits.npz."""
    arrays.write(records, survey(records), folder, options)
    found = {path.stem: np.load(path, allow_pickle=False) for path in folder.glob("*.npy")}
    with np.load(folder / "splits.npz", allow_pickle=False) as splits:
        return found | dict(splits)


def rows(found: dict[str, npt.NDArray[Any]]) -> list[tuple[int, int, bool]]:
    """Game, ply and whether it is a mirror image, of each position."""
    columns = (found[name].tolist() for name in ("games", "plies", "mirrored"))
    return list(zip(*columns, strict=True))


def shares_of(state: rz.State, record: Record, ply: int) -> dict[int, float]:
    """The policy target at this ply, by action; empty if there is none."""
    thought = record.thought(ply)
    return thought.target if thought else {}


@pytest.mark.parametrize("text", samples.GAMES)
def test_arrays_are_the_games_replayed(text: str, tmp_path: Path) -> None:
    """Each row has the planes of play, shares by slot, seat 0's value and result, and the mover."""
    records = record_samples.several(text, 3)
    found = written(records, tmp_path / "out")
    facts = samples.game(text).facts
    wanted = [
        (number, ply, False)
        for number in range(3)
        for ply, state in enumerate(samples.played(text, number)[:-1])
        if state.mover != rz.CHANCE
    ]
    assert rows(found) == wanted
    for row, (number, ply, _) in enumerate(wanted):
        state, record = samples.played(text, number)[ply], records[number]
        assert found["positions"][row].tobytes() == state.planes().tobytes()
        assert found["movers"][row] == state.mover
        assert found["game_results"][row] == record.outcome
        shares = np.zeros(facts.slots)
        for action, share in shares_of(state, record, ply).items():
            shares[state.slot(action)] += share  # actions may share a slot
        np.testing.assert_allclose(found["policies"][row], shares, atol=1e-6)
        thought = record.thought(ply)
        value = None if thought is None else thought.value
        np.testing.assert_equal(
            found["mcts_values"][row], np.float32(np.nan if value is None else value)
        )
    total = found["policies"].sum(1)
    assert ((np.abs(total - 1) < 1e-5) | (total == 0)).all()
    assert found["positions"].shape == (len(wanted), *facts.planes)
    kinds = {"positions": "f4", "policies": "f4", "mcts_values": "f4", "game_results": "f4"}
    kinds |= {"movers": "i1", "games": "i4", "plies": "i4", "mirrored": "b1", "train": "i8"}
    assert {name: found[name].dtype for name in kinds} == {n: np.dtype(k) for n, k in kinds.items()}
    assert found["ids"].tolist() == [record.id for record in records]


@pytest.mark.parametrize("text", MIRRORS)
def test_mirror_images_are_positions(text: str, tmp_path: Path) -> None:
    """Every position has a mirror image as a row, unless it is its own mirror image."""
    records = record_samples.several(text, 3)
    found = written(records, tmp_path / "out", ArrayOptions())
    plain = [row for row in rows(found) if not row[2]]
    images = {row[:2] for row in rows(found) if row[2]}
    assert len(rows(found)) == len(plain) + len(images) == len(set(rows(found)))
    assert len(images) > 0.9 * len(plain)
    for number, ply, _ in plain:
        state, record = samples.played(text, number)[ply], records[number]
        slots = [state.slot(action) for action in shares_of(state, record, ply)]
        there = state.game.parse(MIRRORS[text](state.text))
        is_same = MIRRORS[text](state.text) == state.text and all(
            there.slot(there.read(turned(state.say(action)))) == slot
            for action, slot in zip(shares_of(state, record, ply), slots, strict=True)
        )
        assert ((number, ply) in images) == (not is_same)
    for row, (number, ply, is_mirrored) in enumerate(rows(found)):
        if not is_mirrored:
            continue
        state, record = samples.played(text, number)[ply], records[number]
        there = state.game.parse(MIRRORS[text](state.text))
        assert found["positions"][row].tobytes() == there.planes().tobytes()
        shares = np.zeros(state.game.facts.slots)
        for action, share in shares_of(state, record, ply).items():
            move = state.say(action)
            shares[there.slot(there.read(move if move == "end" else turned(move)))] += share
        np.testing.assert_allclose(found["policies"][row], shares, atol=1e-6)
        origin = rows(found).index((number, ply, False)) if row % 50 == 0 else None
        if origin is not None:
            for name in ("mcts_values", "game_results", "movers"):
                np.testing.assert_array_equal(found[name][row], found[name][origin])


def test_a_position_that_is_its_own_image_is_there_once(tmp_path: Path) -> None:
    """An empty board without a policy has no mirror image; with an uneven policy it has one."""
    record = record_samples.made("connect4")
    bare = msgspec.structs.replace(
        record.thoughts,
        **dict.fromkeys(["counts", "action_ids", "action_steps", "weights", "target"], b""),
    )
    found = written(
        [msgspec.structs.replace(record, thoughts=bare)], tmp_path / "a", ArrayOptions()
    )
    assert (0, 0, False) in rows(found)
    assert (0, 0, True) not in rows(found)
    assert (0, 1, True) in rows(found) or record.action_numbers()[0] == 3
    found = written([record], tmp_path / "b", ArrayOptions())
    assert (0, 0, True) in rows(found)  # the board is the same, the policy is not
    assert not written([record], tmp_path / "c", PLAIN)["mirrored"].any()


def test_a_position_without_an_image_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the rules mirror only some positions, the other positions get no second row."""

    def remake(game: rz.Game, games: Any, plies: Any, *, mirrored: Any, **wanted: Any) -> None:
        _core.remake(game, games, plies, mirrored=mirrored & (plies % 2 == 1), **wanted)

    monkeypatch.setattr("rulezero.data.rows.remake", remake)
    found = written(record_samples.several("razzle", 2), tmp_path / "out", ArrayOptions())
    images = found["plies"][found["mirrored"]]
    assert len(images) > 20
    assert (images % 2 == 1).all()


def test_games_are_split_whole(tmp_path: Path) -> None:
    """Every position, mirrored or not, is in exactly one split: that of its game."""
    records = record_samples.several("connect4", 40)
    options = ArrayOptions(split=(60, 20, 20))
    found = written(records, tmp_path / "out", options)
    every = np.concatenate([found[name] for name in arrays.SPLITS])
    assert sorted(every) == list(range(len(found["games"])))
    games = [set(found["games"][found[name]].tolist()) for name in arrays.SPLITS]
    assert all(games)
    assert sum(map(len, games)) == len(set.union(*games)) == 40
    for name, part in zip(arrays.SPLITS, games, strict=True):
        assert {split_of(records[number].moves_id, options) for number in part} == {name}
    meta = msgspec.json.decode((tmp_path / "out" / "meta.json").read_bytes(), type=Meta)
    assert [part.games for part in meta.splits.values()] == [len(part) for part in games]
    assert [part.positions for part in meta.splits.values()] == [
        len(found[name]) for name in arrays.SPLITS
    ]


def test_splits_stay(tmp_path: Path) -> None:
    """A game's split depends only on the game, the shares and the seed, not on other games."""
    ids = [record.moves_id for record in record_samples.several("connect4", 40)]

    def parts(**changes: Any) -> list[str]:
        return [split_of(record_id, ArrayOptions(**changes)) for record_id in ids]

    assert parts() == parts()
    assert parts(seed=1) != parts()
    few, many = record_samples.several("connect4", 3), record_samples.several("connect4", 5)
    for number, records in enumerate((few, many, many[::-1])):
        found = written(records, tmp_path / str(number))
        moves = {record.id: record.moves_id for record in records}
        for name in arrays.SPLITS:
            for game in set(found["games"][found[name]].tolist()):
                assert split_of(moves[str(found["ids"][game])], PLAIN) == name
    assert set(parts(split=(100, 0, 0))) == {"train"}
    assert set(parts(split=(0, 0, 100))) == {"test"}


def test_shares_are_what_was_asked_for() -> None:
    """The splits of 3000 games have the wanted shares, within 0.03."""
    drawn = [split_of(f"{number:032x}", ArrayOptions(split=(70, 20, 10))) for number in range(3000)]
    counts = [drawn.count(name) / 3000 for name in arrays.SPLITS]
    np.testing.assert_allclose(counts, [0.7, 0.2, 0.1], atol=0.03)


def test_what_nobody_learns_from_is_left_out(tmp_path: Path) -> None:
    """Openings and interrupted games are left out; a forced result replaces the outcome."""
    first, _, last = record_samples.several("connect4", 3)
    records = [
        msgspec.structs.replace(first, opening=4),
        record_samples.of(list(samples.played("connect4", 1)[:6]), 1, end_reason="interrupted"),
        msgspec.structs.replace(last, forced_result=-1.0),
    ]
    found = written(records, tmp_path / "out")
    assert found["ids"].tolist() == [records[0].id, records[2].id]
    assert found["plies"][found["games"] == 0].tolist() == list(range(4, first.plies))
    assert set(found["game_results"][found["games"] == 1]) == {-1.0}
    with pytest.raises(RecordError, match="nothing can be learned"):
        survey(records[1:2])


def test_a_survey_names_every_game(tmp_path: Path) -> None:
    """Arrays hold one game: records of several games are an error that counts them by game."""
    records = [*record_samples.several("connect4", 2), record_samples.made("razzle")]
    with pytest.raises(RecordError, match=r"connect4 \(2\), razzle \(1\): name one with --game"):
        survey(records)
    with pytest.raises(RecordError, match="no records"):
        survey([])


def test_a_record_that_is_not_true_is_left_out(tmp_path: Path) -> None:
    """It goes to `report`; without `report`, or if no record is left, it is an error."""
    good, other = record_samples.several("connect4", 2)
    bad = msgspec.structs.replace(other, outcome=-other.outcome)
    problems: list[RecordError] = []
    found = survey([bad, good], report=problems.append)
    assert list(found.numbers) == [good.id]
    assert str(problems[0]).startswith(f"record {bad.id} is left out: at ply ")
    assert arrays.write([bad, good], found, tmp_path / "out", PLAIN).games == 1
    with pytest.raises(RecordError, match="the rules say"):
        survey([bad, good])
    with pytest.raises(RecordError, match="is left out"):
        survey([bad], report=problems.append)


def test_games_that_came_since_are_not_written(tmp_path: Path) -> None:
    """Records that were not in the survey are skipped, since a store may grow after it."""
    records = record_samples.several("connect4", 3)
    found = survey(records[:2])
    meta = arrays.write(records, found, tmp_path / "out", PLAIN)
    assert (meta.games, meta.positions) == (2, found.positions)


def test_long_games_come_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games longer than a block give the same rows."""
    records = record_samples.several("razzle", 2)
    whole = written(records, tmp_path / "a", ArrayOptions())
    monkeypatch.setattr(rows_of, "_BLOCK", 7)
    parts = written(records, tmp_path / "b", ArrayOptions())
    order = sorted(range(len(rows(whole))), key=lambda row: rows(whole)[row])
    again = sorted(range(len(rows(parts))), key=lambda row: rows(parts)[row])
    for name in ("positions", "policies", "mcts_values", "games", "plies"):
        np.testing.assert_array_equal(whole[name][order], parts[name][again])


def test_a_folder_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """A failure leaves no folder; `unfinished` lists what killed processes left behind."""
    records = record_samples.several("connect4", 3)
    out = tmp_path / "out"

    def stop(done: int, total: int) -> None:
        assert not out.exists()
        assert len(arrays.unfinished(out)) == 1
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arrays.write(records, survey(records), out, PLAIN, stop)
    assert list(tmp_path.iterdir()) == []

    left = tmp_path / "out.99999999.half"
    left.mkdir()
    (left / "positions.npy").write_bytes(b"\x93NUMPY")
    (tmp_path / "other.1.half").mkdir()
    assert arrays.unfinished(out) == [left]
    written(records, out)
    assert arrays.unfinished(out) == [left]
    names = {path.name for path in out.iterdir()}
    assert {"positions.npy", "policies.npy", "splits.npz", "meta.json"} <= names
    assert all(f"{name}  " in str(arrays.__doc__) for name in names)


def test_a_killed_process_leaves_nothing_half(tmp_path: Path) -> None:
    """After a kill there is no folder of the final name, and writing it again succeeds."""
    with Store(tmp_path / "store") as store:
        for record in record_samples.several("connect4", 3):
            store.add(record)
    program = """
import os, signal, sys
from pathlib import Path
from rulezero.data import Store
from rulezero.data.arrays import ArrayOptions, survey, write

def die(done: int, total: int) -> None:
    if done == 2:
        os.kill(os.getpid(), signal.SIGKILL)

store = Store(sys.argv[1])
write(store, survey(store), Path(sys.argv[2]), ArrayOptions(), die)
"""
    out = tmp_path / "out"
    killed = subprocess.run([sys.executable, "-c", program, store.path, out], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    assert len(arrays.unfinished(out)) == 1
    assert len(set(written(list(Store(tmp_path / "store")), out)["games"])) == 3


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    """Existing paths are refused, and parent folders are not created."""
    records = record_samples.several("connect4", 1)
    (tmp_path / "file").write_text("mine")
    for name in ("", "file"):
        with pytest.raises(RecordError, match="already: choose another name"):
            arrays.write(records, survey(records), tmp_path / name, PLAIN)
    with pytest.raises(RecordError, match="there is no folder"):
        arrays.write(records, survey(records), tmp_path / "a" / "b", PLAIN)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_room_is_looked_for(tmp_path: Path) -> None:
    """The estimated size is right to 1 %; arrays larger than the free disk space are refused."""
    records = record_samples.several("razzle", 2)
    found = survey(records)
    arrays.write(records, found, tmp_path / "out", ArrayOptions())
    size = sum(path.stat().st_size for path in (tmp_path / "out").iterdir())
    assert size == pytest.approx(found.bytes(ArrayOptions()), rel=0.01)
    assert found.bytes(PLAIN) * 2 == found.bytes(ArrayOptions())
    huge = Survey(game=found.game, numbers=found.numbers, positions=10**13)
    with pytest.raises(RecordError, match=r"needs \d+\.\d GB, but its disk has \d+\.\d GB"):
        arrays.write(records, huge, tmp_path / "huge", PLAIN)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_meta_tells_what_was_made(tmp_path: Path) -> None:
    """meta.json describes the arrays, so that they can be read without the records."""
    records = record_samples.several("connect4", 3)
    meta = arrays.write(records, survey(records), tmp_path / "out", ArrayOptions(seed=7))
    assert msgspec.json.decode((tmp_path / "out" / "meta.json").read_bytes(), type=Meta) == meta
    facts = samples.game("connect4").facts
    assert (meta.game, meta.planes, meta.slots) == ("connect4", facts.planes, facts.slots)
    assert (meta.games, meta.options.seed) == (3, 7)
    assert meta.positions == len(np.load(tmp_path / "out" / "games.npy"))
    assert meta.mirrored == np.load(tmp_path / "out" / "mirrored.npy").sum() > 0
