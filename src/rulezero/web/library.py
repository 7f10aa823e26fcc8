"""The owner's recorded games: the stores below a folder, each with a light index in memory.

A thread for each store reads its index, so that a large store blocks no visitor. The index grows
with the store: what was read once is not read again.
"""

import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from sys import intern
from typing import Annotated, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field

import rulezero as rz
from rulezero.data.record import Record, read_record
from rulezero.data.shard import PART, Reader

_SUFFIXES = (".games", ".games.part")
_DEPTH = 6  # folders below the owner's folder
_MOST_STORES = 1_000
_LIST_SECONDS = 2.0  # a list of folders is kept this long
_AT_ONCE = threading.BoundedSemaphore(2)  # stores that are read at the same time
_TRAILER_BYTES = 512  # more than a shard's last chunk has
_PREFIX_BYTES = 12  # before a shard's values

_Files = dict[str, tuple[Path, int]]  # shards by name, each with its path and size
Text = Annotated[str, Field(max_length=4_096)]
Plies = Annotated[int, Field(ge=0, lt=2**31)]


class Row(msgspec.Struct, frozen=True, gc=False):
    """What the list of games shows of a record, and its place."""

    id: str
    shard: str  # the file's name, without .part
    offset: int
    game: str
    outcome: float
    end_reason: str
    purpose: str
    players: tuple[str, str]
    names: tuple[str | None, str | None]
    plies: int
    opening: int
    iteration: int | None
    task: str
    index: int
    date: str | None

    @property
    def result(self) -> str:
        """The seat that won, or "drawn"; "unknown" for an interrupted game."""
        if self.end_reason == "interrupted":
            return "unknown"
        return "drawn" if self.outcome == 0 else str(int(self.outcome < 0))


class Facet(msgspec.Struct, frozen=True):
    """A value that games can be filtered by."""

    name: str
    games: int


class Facets(msgspec.Struct, frozen=True):
    """What the games of a store have in common, for filters."""

    games: list[Facet] = []
    causes: list[Facet] = []
    purposes: list[Facet] = []
    iterations: tuple[int, int] | None = None  # the first and the last
    longest: int = 0  # plies


class Contents(msgspec.Struct, frozen=True):
    """All rows of a store as far as they are read, newest first."""

    rows: tuple[Row, ...] = ()
    facets: Facets = Facets()
    read: float = 0.0  # share of the store's bytes; 1: all
    problems: tuple[str, ...] = ()  # one for each record that was skipped


class _Shard:
    """One file of a store, as far as it was read."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.size = 0  # of the file, when it was read
        self.end = 0  # of the last whole value; 0: nothing was read
        self.problems: list[str] = []


class Shelf:
    """A store with the index of its games. Its methods may be called in any thread."""

    def __init__(self, shelf_id: str, name: str, kind: Literal["run", "store"], path: Path) -> None:
        self.id = shelf_id
        self.name = name
        self.kind = kind
        self.path = path  # the folder with the shards
        self._shards: dict[str, _Shard] = {}
        self._contents = Contents()
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None
        self._notes = rz.Store(path, tolerant=True)
        self._notes_lock = threading.Lock()  # threads must not share a store

    @property
    def known(self) -> Contents:
        """The games that were read so far."""
        return self._contents

    def size(self) -> int:
        """The number of bytes of the games."""
        return sum(size for _, size in self._files().values())

    def contents(self, patience: float = 0.0) -> Contents:
        """The games; waits up to `patience` seconds for those that are not read yet."""
        with self._lock:
            if self._reader is None or not self._reader.is_alive():
                files = self._files()
                if not self._is_stale(files):
                    return self._contents
                self._reader = threading.Thread(target=self._read, args=(files,), daemon=True)
                self._reader.start()
            reader = self._reader
        if patience:
            reader.join(patience)
        return self._contents

    def find(self, record_id: str) -> Row:
        """The row of a record. RecordError if there is none."""
        for row in self.contents(patience=5.0).rows:
            if row.id == record_id:
                return row
        raise rz.RecordError(f"there is no game {record_id[:40]!r} in {self.name}")

    def record(self, row: Row) -> Record:
        """The record of a row. RecordError if its file is gone or damaged."""
        try:
            with Reader(self.path / (row.shard + PART)) as reader:  # or the sealed file
                return read_record(reader.value_at(row.offset))
        except OSError as error:
            raise rz.RecordError(f"{row.shard} cannot be read: {error.strerror}") from error
        except msgspec.DecodeError as error:
            raise rz.RecordError(f"{row.shard}: at byte {row.offset}: {error}") from error

    def notes(self, record_id: str) -> list[rz.data.Note]:
        """The judges' notes about a record."""
        with self._notes_lock:
            return list(self._notes.notes(record_id))

    def _files(self) -> _Files:
        """The shards by name in the order of their creation, each with its size."""
        found = {}
        for path in sorted(self.path.glob("*.games*"), reverse=True):
            if path.name.endswith(_SUFFIXES) and path.is_file():
                try:
                    size = path.stat().st_size
                except OSError:
                    continue  # renamed a moment ago: the next look finds it
                found[path.name.removesuffix(PART)] = path, size
        return dict(sorted(found.items()))

    def _is_stale(self, files: _Files) -> bool:
        if self._contents.read < 1 or files.keys() != self._shards.keys():
            return True
        return any(self._shards[name].size != size for name, (_, size) in files.items())

    def _read(self, files: _Files) -> None:
        """Reads what is new, and shows the games read so far twice a second."""
        with _AT_ONCE:
            self._read_shards(files)

    def _read_shards(self, files: _Files) -> None:
        self._shards = {name: self._shards.get(name) or _Shard() for name in files}
        total = sum(size for _, size in files.values()) or 1
        done = 0
        shown = time.monotonic()
        for name, (path, size) in reversed(files.items()):  # the newest games first
            shard = self._shards[name]
            if shard.size != size:
                for offset in _grow(shard, name, path, size):
                    if time.monotonic() > shown + 0.5:
                        self._contents = self._sorted((done + offset) / total)
                        shown = time.monotonic()
            done += size
        self._contents = self._sorted(1.0)

    def _sorted(self, read: float) -> Contents:
        seen: set[object] = set()
        rows = []
        for name in sorted(self._shards):
            for row in self._shards[name].rows:
                identity = (row.task, row.index) if row.task else row.id
                if identity not in seen:
                    seen.add(identity)
                    rows.append(row)
        rows.reverse()
        problems = [each for shard in self._shards.values() for each in shard.problems]
        numbers = {row.iteration for row in rows if row.iteration is not None}
        return Contents(
            rows=tuple(rows),
            facets=Facets(
                games=_facets(row.game for row in rows),
                causes=_facets(row.end_reason for row in rows),
                purposes=_facets(row.purpose for row in rows),
                iterations=(min(numbers), max(numbers)) if numbers else None,
                longest=max((row.plies for row in rows), default=0),
            ),
            read=min(read, 1.0),
            problems=tuple(problems),
        )


def _facets(values: Iterator[str]) -> list[Facet]:
    return [Facet(name, games) for name, games in Counter(values).most_common()]


def _grow(shard: _Shard, name: str, path: Path, size: int) -> Iterator[int]:
    """Reads what was appended to a shard; yields the offset after each game."""
    try:
        with Reader(path) as reader:
            if shard.end:
                yield from _continue(shard, name, reader)
            is_whole = shard.end and (reader.is_part or size - shard.end < _TRAILER_BYTES)
            if not is_whole:  # never read, or there is damage in what was appended
                yield from _read_all(shard, name, reader)
        shard.size = size
    except (OSError, rz.RecordError) as error:
        shard.size = size
        shard.problems = [_line(error, path)]


def _continue(shard: _Shard, name: str, reader: Reader) -> Iterator[int]:
    """Reads the values after the last one, up to the trailer, the file's end or damage."""
    while True:
        try:
            frame = reader.frame_at(shard.end)
            value = reader.value_at(shard.end)
        except rz.RecordError:
            return
        _take(shard, name, shard.end, value, reader)
        shard.end += _PREFIX_BYTES + len(frame)
        yield shard.end


def _read_all(shard: _Shard, name: str, reader: Reader) -> Iterator[int]:
    shard.rows, shard.problems = [], []
    last = 0
    reader.header()
    for offset, value in reader.values(lambda error: shard.problems.append(str(error))):
        _take(shard, name, offset, value, reader)
        last = offset
        yield offset
    if last:
        shard.end = last + _PREFIX_BYTES + len(reader.frame_at(last))
    shard.problems = [_line(problem, reader.path) for problem in shard.problems]


def _take(shard: _Shard, name: str, offset: int, value: bytes, reader: Reader) -> None:
    try:
        record = read_record(value)
    except (msgspec.DecodeError, UnicodeDecodeError, rz.RecordError) as error:
        shard.problems.append(f"{reader.path}: at byte {offset}: {error}")
        return
    first, second = record.players
    shard.rows.append(
        Row(
            id=record.id,
            shard=name,
            offset=offset,
            game=intern(record.game),
            outcome=record.outcome,
            end_reason=intern(record.end_reason),
            purpose=intern(record.purpose),
            players=(intern(first), intern(second)),
            names=record.names,
            plies=record.plies,
            opening=record.opening,
            iteration=record.iteration,
            task=intern(record.task),
            index=record.index,
            date=record.date,
        )
    )


def _line(error: object, path: Path) -> str:
    """A problem in one line, with the file's name instead of its path."""
    return str(error).replace(str(path), path.name)


class Library:
    """The stores and runs below a folder, by ids that do not contain paths."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._shelves: dict[str, Shelf] = {}
        self._listed = -_LIST_SECONDS
        self._lock = threading.Lock()

    def shelves(self) -> list[Shelf]:
        """All stores; those that changed last come first."""
        with self._lock:
            if time.monotonic() >= self._listed + _LIST_SECONDS:
                self._list()
                self._listed = time.monotonic()
            return list(self._shelves.values())

    def shelf(self, shelf_id: str) -> Shelf:
        """A store by its id. RecordError if there is none."""
        for again in (False, True):
            for shelf in self.shelves():
                if shelf.id == shelf_id and shelf.path.is_dir():
                    return shelf
            if not again:
                self._listed = -_LIST_SECONDS
        raise rz.RecordError("this store is gone: reload the page")

    def _list(self) -> None:
        found = {}
        for path, kind in sorted(_folders(self._place), key=_age):
            name = path.relative_to(self._place).as_posix()
            name = path.resolve().name if name == "." else name
            shelf_id = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
            records = path / "records" if kind == "run" else path
            found[shelf_id] = self._shelves.get(shelf_id) or Shelf(shelf_id, name, kind, records)
        self._shelves = found


def _age(found: tuple[Path, str]) -> float:
    path = found[0] / "records" if found[1] == "run" else found[0]
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _folders(place: Path) -> Iterator[tuple[Path, Literal["run", "store"]]]:
    """The runs and stores in a folder and below. Links are not followed."""
    number = 0
    for folder, below, files in os.walk(place):
        path = Path(folder)
        if "config.yaml" in files and "records" in below:
            kind: Literal["run", "store"] | None = "run"
        else:
            kind = "store" if any(name.endswith(_SUFFIXES) for name in files) else None
        below[:] = sorted(name for name in below if not name.startswith("."))
        if kind is not None or len(path.relative_to(place).parts) >= _DEPTH:
            below.clear()
        if kind is not None:
            yield path, kind
            number += 1
            if number == _MOST_STORES:
                return


class Wanted(BaseModel):
    """Which games of a store are wanted."""

    model_config = ConfigDict(extra="forbid")
    game: Text = ""
    result: Literal["0", "drawn", "1", ""] = ""  # the seat that won
    cause: Text = ""
    purpose: Text = ""
    shortest: Plies = 0
    longest: Plies | None = None
    player: Text = ""  # a part of a player's text or name
    iteration: Plies | None = None

    def select(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The games that meet all conditions."""
        fields = Wanted.model_fields.items()
        is_any = all(getattr(self, name) == field.default for name, field in fields)
        return iter(rows) if is_any else filter(self._fits, rows)

    def _fits(self, row: Row) -> bool:
        words = self.player.strip().casefold()
        return (
            self.game in ("", row.game)
            and self.cause in ("", row.end_reason)
            and self.purpose in ("", row.purpose)
            and self.iteration in (None, row.iteration)
            and row.plies >= self.shortest
            and (self.longest is None or row.plies <= self.longest)
            and self.result in ("", row.result)
            and (
                not words
                or any(words in each.casefold() for each in (*row.players, *row.names) if each)
            )
        )
