"""Summaries: counts of games and end reasons, and values, against expected figures."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from rulezero.data import Record, RecordError, Store
from rulezero.data.summary import Generation, Results, Summary, summarise
from support import record_samples


def ended(record: Record, outcome: float, reason: str, iteration: int | None) -> Record:
    return msgspec.structs.replace(record, outcome=outcome, end_reason=reason, iteration=iteration)


def mixed() -> list[Record]:
    """Six games: five of iterations 1 and 2, one interrupted, and one without an iteration."""
    games = record_samples.several("connect4", 6)
    return [
        ended(games[0], 1.0, "four", 1),
        ended(games[1], 1.0, "resigned", 1),
        ended(games[2], -1.0, "four", 2),
        ended(games[3], 0.0, "cap", 2),
        ended(games[4], 0.0, "interrupted", 2),
        ended(games[5], -1.0, "four", None),
    ]


def test_ends_are_counted_by_cause() -> None:
    """Wins and draws are counted by end reason; the result of an interrupted game is unknown."""
    (found,) = summarise(mixed())
    assert found.game == "connect4"
    assert found.results == results(6, 2, 1, 2, 1)
    assert found.ends == {
        "four": results(3, 1, 0, 2),
        "resigned": results(1, 1, 0, 0),
        "cap": results(1, 0, 1, 0),
        "interrupted": results(1, 0, 0, 0, 1),
    }
    assert next(iter(found.ends)) == "four"
    assert found.plies == sum(record.plies for record in mixed())


def results(games: int, first: int, draws: int, second: int, unknown: int = 0) -> Results:
    return Results(games=games, seat_0_wins=first, draws=draws, seat_1_wins=second, unknown=unknown)


def test_values_are_those_of_the_searches() -> None:
    """Mean and standard deviation of the search values, by generation and over all games."""
    records = mixed()
    (found,) = summarise(records)
    assert [each.number for each in found.generations] == [1, 2, None]
    assert_values(found, records)
    for each, part in zip(found.generations, [records[:2], records[2:5], records[5:]], strict=True):
        assert_values(each, part)


def assert_values(told: Summary | Generation, records: list[Record]) -> None:
    values = np.concatenate([record.columns().value for record in records])
    known = values[np.isfinite(values)].astype(np.float64)
    assert 0 < len(known) < len(values) == told.plies
    assert told.values.plies == len(known)
    assert told.values.mean == pytest.approx(known.mean())
    assert told.values.spread == pytest.approx(known.std())
    assert told.results.games == len(records)


def test_where_nobody_searched_there_is_no_value() -> None:
    """Without search values, mean and spread are None, not 0."""
    record = record_samples.made("connect4")
    empty = msgspec.structs.replace(record.thoughts, value=b"")
    (found,) = summarise([msgspec.structs.replace(record, thoughts=empty)])
    assert (found.values.plies, found.values.mean, found.values.spread) == (0, None, None)


def test_each_game_has_its_summary() -> None:
    """Each game's summary counts its purposes and sources, the most frequent first."""
    records = [
        *(record_samples.made("razzle", seed, index=seed, purpose="gate") for seed in range(2)),
        record_samples.made("connect4", source="import:a.pgn"),
        record_samples.made("razzle", 2, purpose="rating", source="human"),
    ]
    first, second = summarise(records)
    assert (first.game, second.game) == ("connect4", "razzle")
    assert list(second.purposes.items()) == [("gate", 2), ("rating", 1)]
    assert first.sources == {"import:a.pgn": 1}
    assert list(second.sources.items()) == [("match", 2), ("human", 1)]
    assert summarise([]) == []


def test_a_damaged_record_is_told() -> None:
    """A damaged record goes to `report` and the others are counted; without `report` it raises."""
    good, other = record_samples.several("connect4", 2)
    bad = msgspec.structs.replace(
        other, thoughts=msgspec.structs.replace(other.thoughts, value=b"\x09")
    )
    problems: list[RecordError] = []
    (found,) = summarise([bad, good], problems.append)
    assert found.results.games == 1
    assert str(problems[0]).startswith(f"record {bad.id}: the column value ")
    with pytest.raises(RecordError, match="the column value"):
        summarise([bad, good])


def test_a_summary_is_the_same_from_a_store(tmp_path: Path) -> None:
    """A store gives the same summary as a list, and the summary survives JSON."""
    with Store(tmp_path) as store:
        for record in mixed():
            store.add(record)
    found = summarise(Store(tmp_path))
    assert found[0].results == summarise(mixed())[0].results
    assert msgspec.json.decode(msgspec.json.encode(found), type=list[Summary]) == found
