"""Records: every field survives a round trip, and impossible values are refused."""

import hashlib
import io
import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import rulezero as rz
from rulezero.data import Record, RecordError, Thoughts, jsonl, pack
from rulezero.data.columns import (
    PlyColumn,
    pack_fixed,
    pack_numbers,
    unpack_fixed,
    unpack_numbers,
)
from rulezero.data.record import PURPOSES, Thought, read_record
from rulezero.data.thoughts import PLY_COLUMNS, Columns
from support import record_samples, samples
from support.forgery import repack

words = some.text(alphabet=some.characters(min_codepoint=32, max_codepoint=126), max_size=20)


@given(some.lists(some.integers(0, 2**32 - 1), max_size=50))
def test_numbers_come_back(numbers: list[int]) -> None:
    """A packed column holds integers below 2**32, in as few bytes each as the largest needs."""
    packed = pack_numbers(numbers)
    assert unpack_numbers(packed, len(numbers), "x").tolist() == numbers
    width = (max(numbers, default=0).bit_length() + 7) // 8
    assert len(packed) == (1 + width * len(numbers) if width else 0)


@given(some.lists(some.floats(-1, 1) | some.just(math.nan), max_size=50))
def test_values_come_back_to_their_precision(values: list[float]) -> None:
    """A fixed-point column is exact to half a step of 1/32767, and NaN stays NaN."""
    back = unpack_fixed(pack_fixed(values, 32767), 32767, len(values), "x")
    np.testing.assert_array_equal(np.isnan(back), np.isnan(values))
    np.testing.assert_allclose(back, values, rtol=0, atol=0.5 / 32767 + 1e-7)


@pytest.mark.parametrize("packed", [b"\0", b"\5\1\1\1\1\1", b"\1", b"\1\1\1", b"\2\1\0", b"\xff"])
def test_a_damaged_column_is_refused(packed: bytes) -> None:
    """A wrong width or length is refused, and so is a larger width than needed."""
    with pytest.raises(RecordError, match="column sims"):
        unpack_numbers(packed, 1, "sims")


plies = some.lists(
    some.tuples(
        some.integers(0, 2**31 - 1),  # action
        some.integers(0, 2**32 - 1),  # sims
        *[some.just(math.nan) | some.floats(-1, 1)] * 2,  # value, raw value
        *[some.just(math.nan) | some.floats(0, 1)] * 2,  # draw, surprise
        some.dictionaries(some.integers(0, 2**31 - 1), some.integers(1, 65535), max_size=6),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(plies, some.integers(0, 3))
def test_thoughts_come_back(game: list[tuple[Any, ...]], prune: int) -> None:
    """Packed thoughts give every number back, to the precision of its column."""
    pairs = [(action, weight) for ply in game for action, weight in ply[6].items()]
    targets = [max(1, weight - prune) for _, weight in pairs]
    actions, thoughts = pack(
        [ply[0] for ply in game],
        sims=[ply[1] for ply in game],
        value=[ply[2] for ply in game],
        raw_value=[ply[3] for ply in game],
        draw=[ply[4] for ply in game],
        surprise=[ply[5] for ply in game],
        counts=[len(ply[6]) for ply in game],
        pair_actions=[action for action, _ in pairs],
        pair_weights=[weight for _, weight in pairs],
        pair_targets=targets,
    )
    assert (thoughts.target == b"") == (targets == [weight for _, weight in pairs])
    record = some_record(actions=actions, thoughts=thoughts)
    columns = record.columns()
    assert record.plies == len(game)
    assert repack(columns) == (actions, thoughts)
    for ply, (action, sims, value, raw_value, draw, surprise, weights) in enumerate(game):
        thought = record.thought(ply)
        known = [value, raw_value, draw, surprise]
        assert columns.actions[ply] == action
        assert columns.sims[ply] == sims
        assert (thought is None) == (not sims and not weights and all(map(math.isnan, known)))
        if thought is None:
            continue
        assert (thought.action, thought.sims) == (action, sims)
        said = [thought.value, thought.raw_value, thought.draw, thought.surprise]
        for told, meant in zip(said, known, strict=True):
            assert (told is None) == math.isnan(meant)
            assert told is None or told == pytest.approx(meant, abs=1 / 4096)
        assert list(thought.shares) == sorted(weights)
        assert thought.shares == {a: w / sum(weights.values()) for a, w in weights.items()}
        pruned = {action: max(1, weight - prune) for action, weight in weights.items()}
        assert thought.target == {a: w / sum(pruned.values()) for a, w in pruned.items()}


def some_record(**fields: Any) -> Record:
    """A record with these fields, not checked against the rules."""
    actions, thoughts = pack([3, 3, 2])
    fallback: dict[str, Any] = {
        "game": "connect4",
        "version": 1,
        "encoding": 1,
        "start": "7/7/7/7/7/7 x",
        "actions": actions,
        "outcome": 0.0,
        "end_reason": "interrupted",
        "players": ("random", "random"),
        "thoughts": thoughts,
    }
    return Record(**{**fallback, **fields})


@settings(max_examples=50)
@given(
    some.fixed_dictionaries(
        {
            "game": words,
            "version": some.integers(1, 99),
            "encoding": some.integers(1, 99),
            "start": words,
            "outcome": some.sampled_from([-1.0, 0.0, 1.0, -0.7]),
            "end_reason": words,
            "players": some.tuples(words, words),
            "nets": some.tuples(some.none() | words, some.none() | words),
            "seed": some.integers(0, 2**64 - 1),
            "task": words,
            "index": some.integers(0, 2**64 - 1),
            "purpose": some.sampled_from(PURPOSES),
            "source": words,
            "opening": some.integers(0, 3),
            "iteration": some.none() | some.integers(0, 2**40),
            "forced_result": some.none() | some.floats(-1, 1),
            "is_given": some.booleans(),
        }
    )
)
def test_every_field_comes_back(fields: dict[str, Any]) -> None:
    """A record comes back from msgpack with the same id; a changed task changes the id."""
    record = some_record(**fields)
    again = read_record(msgspec.msgpack.encode(record))
    assert again == record
    assert again.id == record.id
    assert len(record.id) == 32
    assert msgspec.structs.replace(record, task=record.task + "x").id != record.id


@pytest.mark.parametrize("text", samples.GAMES)
def test_random_games_can_be_recorded(text: str) -> None:
    """The actions come back, and the shares and targets of a thought sum to 1."""
    record = record_samples.made(text)
    columns = record.columns()
    assert columns.actions.tolist() == samples.played(text)[-1].actions
    assert columns.has_thought.any()
    for ply in range(record.plies):
        thought = columns.thought(ply)
        if thought is not None and thought.shares:
            assert sum(thought.shares.values()) == pytest.approx(1)
            assert sum(thought.target.values()) == pytest.approx(1)


def test_visit_counts_and_shares_by_hand() -> None:
    """Counts are stored as they are, or scaled if too large; shares in units of 1/65535."""
    _, thoughts = pack(
        [0, 0, 0, 0],
        counts=[2, 2, 2, 1],
        pair_actions=[5, 4, 1, 2, 1, 2, 9],
        pair_weights=[70, 30, 131070, 2, 0.75, 0.25, 1],
    )
    columns = thoughts.columns(np.zeros(4, np.uint32))
    assert columns.pair_actions.tolist() == [4, 5, 1, 2, 1, 2, 9]
    assert columns.pair_weights.tolist() == [30, 70, 65535, 1, 49151, 16384, 1]
    assert columns.offsets.tolist() == [0, 2, 4, 6, 7]
    assert columns.thought(0).shares == {4: 0.3, 5: 0.7}  # type: ignore[union-attr]


def test_a_share_too_small_to_count_is_left_out() -> None:
    """A share that rounds to 0 is dropped, unless its target has weight."""
    pairs: dict[str, Any] = {
        "counts": [3],
        "pair_actions": [1, 2, 3],
        "pair_weights": [1 - 2e-6, 1e-6, 1e-6],
    }
    _, thoughts = pack([1], **pairs)
    assert thoughts.columns(np.array([1], np.uint32)).pair_actions.tolist() == [1]
    _, thoughts = pack([1], **pairs, pair_targets=[1, 0, 1])
    thought = thoughts.columns(np.array([1], np.uint32)).thought(0)
    assert thought is not None
    assert thought.shares == {1: 1}
    assert thought.target == {1: 0.5, 3: 0.5}


def test_a_surprise_is_capped() -> None:
    """A surprise is capped at 16 nats, more than any search reaches."""
    _, thoughts = pack([0], surprise=[99])
    assert thoughts.columns(np.zeros(1, np.uint32)).surprise[0] == pytest.approx(16, abs=0.001)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"value": [1.5]}, "value at ply 0 is 1.5"),
        ({"draw": [-0.5]}, "draw at ply 0"),
        ({"raw_value": [math.inf]}, "raw_value at ply 0"),
        ({"value": [0, 0]}, "2 numbers for 1 plies"),
        ({"sims": [-1]}, "sims must hold numbers from 0"),
        ({"sims": [0.5]}, "whole numbers"),
        ({"counts": [1]}, "pair_actions has the shape"),
        ({"counts": [1], "pair_actions": [0], "pair_weights": [math.nan]}, "weight at ply 0"),
        ({"counts": [1], "pair_actions": [0], "pair_weights": [-1]}, "weight at ply 0"),
        ({"counts": [1], "pair_actions": [0], "pair_weights": [0]}, "all 0 at ply 0"),
        ({"counts": [2], "pair_actions": [3, 3], "pair_weights": [1, 1]}, "twice"),
        ({"counts": [1], "pair_actions": [2**31], "pair_weights": [1]}, "pair_actions must hold"),
    ],
)
def test_impossible_thoughts_are_refused(arrays: dict[str, Any], said: str) -> None:
    """The error for NaN weights, values out of range and wrong lengths names the column."""
    with pytest.raises(RecordError, match=said):
        pack([0], **arrays)


@pytest.mark.parametrize(
    "fields",
    [
        {"outcome": 1.01},
        {"outcome": math.nan},
        {"purpose": "fun"},
        {"seed": -1},
        {"seed": 2**64},
        {"opening": 4},
        {"forced_result": -2.0},
        {"forced_result": math.nan},
        {"start": "a\nb"},
        {"players": ("random", "\033[31m")},
    ],
)
def test_impossible_records_are_refused(fields: dict[str, Any]) -> None:
    """An impossible field raises RecordError, which is a RulezeroError."""
    with pytest.raises(RecordError):
        some_record(**fields)
    assert issubclass(RecordError, rz.RulezeroError)


def test_damaged_thoughts_are_refused() -> None:
    """Random damage to a column raises RecordError, or leaves columns of consistent lengths."""
    record = record_samples.made("razzle", 1)
    actions = record.columns().actions
    dice = np.random.default_rng(0)
    refused = 0
    for name in Thoughts.__struct_fields__[1:]:
        column = bytearray(getattr(record.thoughts, name))
        assert column, name
        for _ in range(40):
            damaged = column.copy()
            for at in dice.integers(len(damaged), size=dice.integers(1, 4)):
                damaged[at] = dice.integers(256)
            cut = bytes(
                damaged[: dice.integers(len(damaged))] if dice.integers(3) == 0 else damaged
            )
            try:
                columns = msgspec.structs.replace(record.thoughts, **{name: cut}).columns(actions)
            except RecordError:
                refused += 1
                continue
            assert columns.offsets[-1] == len(columns.pair_actions) == len(columns.pair_weights)
    assert refused > 40


def test_there_is_no_ply_beyond_the_end() -> None:
    """A ply below 0 or beyond the end raises RecordError."""
    for ply in (-1, 3):
        with pytest.raises(RecordError, match=f"no ply {ply} in a game of 3"):
            some_record().thought(ply)


# --- the columns of plies ------------------------------------------------------------------------


def test_every_column_of_plies_is_a_field() -> None:
    """Each column of PLY_COLUMNS is a field of Thought, Columns, Thoughts and CoreThought."""
    names = [column.name for column in PLY_COLUMNS]
    assert len(set(names)) == len(names)
    for form in (Thought, Columns, Thoughts, rz._core.CoreThought):
        assert [name for name in names if not hasattr(form, name)] == []


def numbers(column: PlyColumn) -> some.SearchStrategy[float | None]:
    """Valid values of a column; None stands for an unknown value."""
    if column.is_whole:
        return some.integers(0, 2**32 - 1)
    return some.none() | some.floats(column.low, min(column.high, 15))


rows = some.fixed_dictionaries({column.name: numbers(column) for column in PLY_COLUMNS})


@settings(max_examples=40)
@given(some.lists(rows, min_size=3, max_size=3))
def test_every_column_of_plies_comes_back(plies: list[dict[str, Any]]) -> None:
    """From msgpack and from JSON lines, each value comes back to the precision of its column."""
    given = {name: [ply[name] for ply in plies] for name in plies[0]}
    actions, thoughts = pack([3, 3, 2], **given)
    record = read_record(msgspec.msgpack.encode(some_record(actions=actions, thoughts=thoughts)))
    file = io.BytesIO()
    jsonl.write([record], file, rz.load)
    file.seek(0)
    assert list(jsonl.read(file, "x.jsonl", None, False, print)) == [record]
    for ply, wanted in enumerate(plies):
        thought = record.thought(ply)
        if thought is None:
            assert not any(wanted.values())
            continue
        for column in PLY_COLUMNS:
            found = getattr(thought, column.name)
            if column.scale is None or wanted[column.name] is None:
                assert found == wanted[column.name]
            else:
                step = 1 / column.scale
                assert found == pytest.approx(wanted[column.name], abs=0.5 * step + 1e-6)


def test_there_is_no_column_of_another_name() -> None:
    """A misspelt column name is an error, so that no values are lost silently."""
    with pytest.raises(TypeError, match="no column 'valeu'"):
        pack([0], valeu=[0.5])


def test_a_later_column_leaves_old_ids_alone() -> None:
    """A column added after all others changes the id of a record only if it is not empty."""

    class Wider(Thoughts, frozen=True, kw_only=True, array_like=True):
        depth: bytes = b""

    record = record_samples.made("connect4")
    wider = Wider(**msgspec.structs.asdict(record.thoughts))
    assert wider.identity() == record.thoughts.identity()
    assert msgspec.structs.replace(wider, depth=b"x").identity() != wider.identity()


# --- the first format ----------------------------------------------------------------------------


def first_form(record: Record) -> bytes:
    """The record as it was stored before records had an iteration."""
    return msgspec.msgpack.encode(msgspec.structs.astuple(record)[:16])


def test_the_first_form_has_the_same_id() -> None:
    """A record's id is the SHA-256 of its first format, so that later fields do not change it."""
    record = some_record(iteration=3, forced_result=1.0, is_given=True)
    assert record.id == hashlib.sha256(first_form(record)).hexdigest()[:32]
    assert record.id == read_record(first_form(record)).id


_TASKS = {"0003/self-play": 3, "0/x": 0, "12/a/b": 12}
_OTHERS = ["3", "", "/3", "generate/00ff", "-1/x", "x1/y", "\u00b2/x", "given/0/0003/self-play"]


@pytest.mark.parametrize(("task", "number"), [*_TASKS.items(), *((text, None) for text in _OTHERS)])
def test_the_first_form_has_its_iteration_in_the_task(task: str, number: int | None) -> None:
    """In the first format, the iteration is the number before the task's slash."""
    record = some_record(task=task)
    found = read_record(first_form(record))
    assert (found.iteration, found.is_given) == (number, task.startswith("given/"))
    assert read_record(msgspec.msgpack.encode(record)) == record


@pytest.mark.parametrize(
    ("source", "result"), [("forced:1", 1), ("forced:0", 0), ("forced:-1", -1), ("forced:2", None)]
)
def test_the_first_form_has_a_forced_result_in_the_source(source: str, result: float) -> None:
    """In the first format, a source such as "forced:1" is the forced result; the outcome stays."""
    found = read_record(first_form(some_record(source=source)))
    assert (found.source, found.outcome, found.forced_result) == (source, 0, result)
