"""Where a notebook finds recorded games: a run, a store, a file, or a list of records."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from rulezero.data.columns import RecordError
from rulezero.data.forms import records
from rulezero.data.record import Record
from rulezero.data.store import Note, Store
from rulezero.web.library import Row, Shelf

_PATIENCE = 600.0  # seconds to read the index of a store
_MOST_READ = 10_000  # games of a file


class Source(Protocol):
    """Recorded games, newest first, and what judges say about them."""

    def rows(self) -> Sequence[Row]:
        """One row for each game."""

    def record(self, row: Row) -> Record:
        """The record of a row."""

    def notes(self, record_id: str) -> list[Note]:
        """The judges' notes about a record."""


class _Shelved:
    """The games of a store, which may grow."""

    def __init__(self, path: Path) -> None:
        self._shelf = Shelf("", path.name, "store", path)

    def rows(self) -> Sequence[Row]:
        return self._shelf.contents(_PATIENCE).rows

    def record(self, row: Row) -> Record:
        return self._shelf.record(row)

    def notes(self, record_id: str) -> list[Note]:
        return self._shelf.notes(record_id)


class _Listed:
    """Records in memory."""

    def __init__(self, found: Iterable[Record]) -> None:
        self._records = {record.id: record for record in islice(found, _MOST_READ)}
        self._rows = [_row(record_id, each) for record_id, each in self._records.items()][::-1]

    def rows(self) -> Sequence[Row]:
        return self._rows

    def record(self, row: Row) -> Record:
        return self._records[row.id]

    def notes(self, record_id: str) -> list[Note]:
        return []


def source_of(given: str | Path | Store | Iterable[Record]) -> Source:
    """The games at a path (a run, a store, .jsonl, .pgn) or in an iterable. RecordError."""
    if isinstance(given, Store):
        return _Shelved(given.path)
    if not isinstance(given, str | Path):
        return _Listed(given)
    path = Path(given)
    if path.is_dir():
        found = records(path)
        if isinstance(found, Store):
            return _Shelved(found.path)
        return _Listed(found)
    if not path.exists():
        raise RecordError(f"there is no '{path}': give a run, a store, a .jsonl or a .pgn file")
    return _Listed(records(path))


def _row(record_id: str, record: Record) -> Row:
    return Row(
        id=record_id,
        shard="",
        offset=0,
        game=record.game,
        outcome=record.outcome,
        end_reason=record.end_reason,
        purpose=record.purpose,
        players=record.players,
        names=record.names,
        plies=record.plies,
        opening=record.opening,
        iteration=record.iteration,
        task=record.task,
        index=record.index,
        date=record.date,
    )
