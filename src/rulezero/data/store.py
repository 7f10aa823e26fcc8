"""The store: a folder of shards that several processes can write and read at once."""

import contextlib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from rulezero.data.check import rules_hash
from rulezero.data.columns import RecordError
from rulezero.data.record import Purpose, Record, Text, read_record
from rulezero.data.replay import game_of
from rulezero.data.shard import PART, Header, Kind, Reader
from rulezero.data.thoughts import Thoughts
from rulezero.data.writer import Writer, adopt
from rulezero.version import __version__

_SHARD_BYTES = 64 << 20  # at this size, a shard is sealed and another begun
_MOST_PROBLEMS = 1000


class Note(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A judge's thoughts about the plies of a record, which itself never changes."""

    record: Annotated[str, Meta(max_length=64)]  # its id
    judge: Text  # a player's text
    thoughts: Thoughts


_read_note = msgspec.msgpack.Decoder(Note).decode
Value = TypeVar("Value", Record, Note)
Place = tuple[Path, int]  # a shard, and an offset in it
Snapshot = tuple[tuple[str, int], ...]  # names and sizes of shards; if equal, so are the records


class Store:
    """Records in a folder: iterate, filter, look up by id, append.

    A duplicate record (the same task and index, or the same id) is returned once. Damage raises
    RecordError with file and offset; with tolerant=True it is skipped and listed in `problems`.
    Appending creates the folder. Use the store as a context manager, or call close(), to seal what
    was written; what is not sealed is kept as well. Processes may share a folder, each with a Store
    of its own; threads must not share a Store.
    """

    def __init__(self, path: str | Path, *, tolerant: bool = False, trusted: bool = True) -> None:
        """A store in this folder. With trusted=False, games that need a file cannot be added."""
        if not str(path):
            raise RecordError("a store needs a name: give a folder")
        self.path = Path(path)
        self.problems: list[str] = []
        self._tolerant = tolerant
        self._trusted = trusted
        self._writers: dict[tuple[object, ...], Writer] = {}
        self._places: dict[str, Place] = {}
        self._note_places: dict[str, dict[str, Place]] = {}  # by record, by judge
        self._indexed: dict[Kind, Snapshot] = {}  # what the two indices are of
        self._counted: tuple[Snapshot | None, int] = (None, 0)
        self._has_adopted = False

    def __repr__(self) -> str:
        return f"<store {self.path}>"

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Record]:
        return self.select()

    def __len__(self) -> int:
        now = self._snapshot("games")
        if self._counted[0] != now:
            self._counted = (now, sum(1 for _ in self))
        return self._counted[1]

    def __contains__(self, record_id: object) -> bool:
        return isinstance(record_id, str) and self._find(record_id) is not None

    def __getitem__(self, record_id: str) -> Record:
        if not isinstance(record_id, str):
            raise RecordError(f"records are looked up by id, a text, not by {record_id!r}")
        place = self._find(record_id)
        if place is None:
            raise RecordError(f"{self.path} has no record {record_id[:40]!r}")
        with Reader(place[0]) as reader:
            return read_record(reader.value_at(place[1]))

    def select(
        self,
        *,
        game: str | None = None,  # its canonical text
        purpose: Purpose | None = None,
        source: str | None = None,
        player: str | None = None,  # the text of either player
    ) -> Iterator[Record]:
        """Yields the records that meet all these conditions, shard after shard."""
        seen: set[int] = set()
        for _, record in self._scan(
            "games",
            read_record,
            lambda header: game in (None, header.game) and purpose in (None, header.purpose),
        ):
            identity = (record.task, record.index) if record.task else record.id
            if hash(identity) in seen:
                continue
            seen.add(hash(identity))
            if (
                game in (None, record.game)
                and purpose in (None, record.purpose)
                and source in (None, record.source)
                and (player is None or player in record.players)
            ):
                yield record

    def verify(self) -> None:
        """Reads everything, and checks the SHA-256 of sealed shards."""
        for _ in chain(self._scan("games", read_record), self._scan("notes", _read_note)):
            pass
        for path in self._paths("games", "notes"):
            with Reader(path) as reader:
                if not reader.is_part:
                    reader.verify(self._report)

    def add(self, record: Record) -> None:
        """Appends a record; when this returns, it is safe even if the process is killed."""
        key = (record.game, record.version, record.encoding, record.purpose)
        if key not in self._writers:
            game = game_of(record.game, trusted=self._trusted)
            header = Header(
                rulezero=__version__,
                game=record.game,
                version=record.version,
                encoding=record.encoding,
                rules=rules_hash(game) if record.version == game.facts.version else "",
                purpose=record.purpose,
            )
            self._writers[key] = self._begin(header)
        self._append(key, msgspec.msgpack.encode(record))

    def add_note(self, record_id: str, judge: str, thoughts: Thoughts) -> None:
        """Appends a judge's thoughts about a record."""
        if () not in self._writers:
            self._writers[()] = self._begin(Header(kind="notes", rulezero=__version__))
        note = Note(record=record_id, judge=judge, thoughts=thoughts)
        self._append((), msgspec.msgpack.encode(note))

    def notes(self, record_id: str | None = None) -> Iterator[Note]:
        """Yields notes about a record, or about all; of a judge's about one record, the first."""
        if record_id is not None:
            yield from self._notes_about(record_id)
            return
        seen: set[int] = set()
        for _, note in self._scan("notes", _read_note):
            if hash((note.record, note.judge)) not in seen:
                seen.add(hash((note.record, note.judge)))
                yield note

    def close(self) -> None:
        """Seals what was written; the store can still be used."""
        while self._writers:
            self._writers.popitem()[1].seal()

    def _append(self, key: tuple[object, ...], value: bytes) -> None:
        writer = self._writers[key]
        writer.add(value)
        if writer.size >= _SHARD_BYTES:
            self._writers.pop(key).seal()

    def _begin(self, header: Header) -> Writer:
        self.path.mkdir(parents=True, exist_ok=True)
        if not self._has_adopted:
            for path in self._paths("games", "notes"):
                if path.name.endswith(PART):
                    adopt(path)
            self._has_adopted = True
        return Writer(self.path, header)

    def _paths(self, *kinds: Kind) -> list[Path]:
        """The shards in the order of their creation, each once."""
        if not self.path.exists():
            return []
        # One listing may miss a shard that is renamed meanwhile, or show both of its names.
        names = {path.name for _ in range(2) for path in self.path.iterdir() if not _is_odd(path)}
        found = {name.removesuffix(PART): name for name in sorted(names, reverse=True)}
        wanted = tuple(f".{kind}" for kind in kinds)
        return [self.path / found[name] for name in sorted(found) if name.endswith(wanted)]

    def _scan(
        self,
        kind: Kind,
        read: Callable[[bytes], Value],
        may_hold: Callable[[Header], bool] = lambda _: True,
    ) -> Iterator[tuple[Place, Value]]:
        """Yields every value, with its place, of the shards whose header may match."""
        for path in self._paths(kind):
            with Reader(path) as reader:
                try:
                    header = reader.header()
                except RecordError as error:
                    self._report(error)
                    header = None
                if header is not None and not may_hold(header):
                    continue
                for at, value in reader.values(self._report):
                    try:
                        decoded = read(value)
                    except (msgspec.DecodeError, UnicodeDecodeError) as error:
                        self._report(RecordError(f"{reader.path}: at byte {at}: {error}"))
                        continue
                    yield (reader.path, at), decoded

    def _find(self, record_id: str) -> Place | None:
        now = self._snapshot("games")
        if record_id not in self._places and self._indexed.get("games") != now:
            scanned = self._scan("games", read_record)
            self._places = {record.id: place for place, record in scanned}
            self._indexed["games"] = now
        return self._places.get(record_id)

    def _notes_about(self, record_id: str) -> Iterator[Note]:
        now = self._snapshot("notes")
        if self._indexed.get("notes") != now:
            self._note_places = {}
            for place, note in self._scan("notes", _read_note):
                self._note_places.setdefault(note.record, {}).setdefault(note.judge, place)
            self._indexed["notes"] = now
        for path, offset in self._note_places.get(record_id, {}).values():
            with Reader(path) as reader:
                yield _read_note(reader.value_at(offset))

    def _snapshot(self, kind: Kind) -> Snapshot:
        sizes = []
        for path in self._paths(kind):
            with Reader(path) as reader:
                sizes.append((path.name.removesuffix(PART), reader.size()))
        return tuple(sizes)

    def _report(self, error: RecordError) -> None:
        if not self._tolerant:
            raise error
        if len(self.problems) < _MOST_PROBLEMS and str(error) not in self.problems:
            self.problems.append(str(error))


def _is_odd(path: Path) -> bool:
    """Whether it exists and is not a regular file, such as a folder or a pipe."""
    return path.exists() and not path.is_file()


@contextlib.contextmanager
def open_store(path: str | Path) -> Iterator[Store]:
    """A store in a folder that is created now, so that errors come before the first game."""
    if not str(path):
        raise RecordError("a store needs a name: give a folder")
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise RecordError(f"'{path}' is a file; a store is a folder")
    is_new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    try:
        with Store(path, tolerant=True) as store:  # damaged records do not prevent new games
            yield store
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                path.rmdir()  # if it is still empty
