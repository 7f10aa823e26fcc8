"""The shards in which a server keeps its games, a folder for each job."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
import zstandard
from sqlalchemy import Engine

from rulezero._core import Game
from rulezero.data.check import rules_hash
from rulezero.data.record import Purpose
from rulezero.data.shard import PART, Header, Reader, compress, decompress
from rulezero.data.store import Note
from rulezero.data.writer import Writer, adopt
from rulezero.fleet.server import database
from rulezero.version import __version__

_SHARD_BYTES = 64 << 20  # at this size, a shard is sealed and another begun


class Spot(NamedTuple):
    """Where a game or a note is."""

    shard: int  # its number
    at: int


class Stored(NamedTuple):
    """Where a stored game is, and its note."""

    sequence: int  # in its task
    record: Spot
    note: Spot | None


class Series(NamedTuple):
    """What all games in a shard have in common; the last three fields are empty for notes."""

    job: str
    kind: str  # "games" or "notes"
    game: str = ""
    purpose: str = ""
    rules: str = ""  # rules_hash


class Shelf:
    """Appends to shards. Only one thread uses it, and only one server uses a folder.

    A new shard is entered in the database before anything is appended. After each append, the
    caller enters its `end` together with the rows about its games: if the server is killed between,
    the next one cuts off what no row is about.
    """

    def __init__(self, folder: Path, engine: Engine) -> None:
        self._folder = folder
        self._engine = engine
        self._open: dict[Series, tuple[int, Writer]] = {}
        self._touched: set[Series] = set()
        shards = database.shards
        with engine.connect() as connection:
            last = connection.execute(sa.select(sa.func.max(shards.c.number))).scalar()
        self._numbers = count((last or 0) + 1)
        self._adopt_all()

    def append(self, series: Series, frames: Sequence[bytes], game: Game | None) -> list[Spot]:
        """Appends frames to the shard of a series. They are safe once sync() returns."""
        if series not in self._open:
            self._open[series] = self._begin(series, game)
        number, writer = self._open[series]
        self._touched.add(series)
        return [Spot(number, at) for at in writer.add_frames(frames)]

    def sync(self) -> None:
        """Waits until all that was appended survives a power cut."""
        for series in self._touched:
            self._open[series][1].sync()

    def ends(self) -> dict[int, int]:
        """The ends of the shards that were appended to, by number."""
        touched = [self._open[series] for series in self._touched]
        return {number: writer.size for number, writer in touched}

    def confirm(self) -> None:
        """The database has all that was appended: seals shards that are large enough."""
        for series in self._touched:
            if self._open[series][1].size >= _SHARD_BYTES:
                self._open.pop(series)[1].seal()
        self._touched.clear()

    def abandon(self) -> None:
        """It is unknown what the database has: leaves the shards for the next start."""
        for series in self._touched:
            if series in self._open:
                self._open.pop(series)[1].close()
        self._touched.clear()

    def close(self) -> None:
        """Seals all shards."""
        while self._open:
            self._open.popitem()[1][1].seal()

    def _begin(self, series: Series, game: Game | None) -> tuple[int, Writer]:
        folder = self._folder / series.job
        folder.mkdir(parents=True, exist_ok=True)
        header = Header(kind="notes", rulezero=__version__)
        if game is not None:
            header = Header(
                rulezero=__version__,
                game=series.game,
                version=game.facts.version,
                encoding=game.facts.encoding,
                rules=series.rules,
                purpose=series.purpose,
            )
        writer, number = Writer(folder, header), next(self._numbers)
        path = f"{series.job}/{writer.path.name.removesuffix(PART)}"
        row = {"number": number, "path": path, "end": writer.size}
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(database.shards).values(row))
        except BaseException:
            writer.seal()  # which deletes it, because it is empty
            raise
        return number, writer

    def _adopt_all(self) -> None:
        """Seals the shards of a server that was killed, up to the last game in the database."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(database.shards.c.path, database.shards.c.end))
            ends = {row.path: row.end for row in rows}
        for part in sorted(self._folder.glob(f"*/*{PART}")):
            path = part.relative_to(self._folder).as_posix().removesuffix(PART)
            adopt(part, ends.get(path))


def series_of(job: str, game: Game, purpose: Purpose) -> Series:
    """The series of a task's games."""
    return Series(job, "games", game.text, purpose, rules_hash(game))


class Frames:
    """Reads games and notes back, in any thread."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self._folder = folder
        self._engine = engine
        self._paths: dict[int, str] = {}

    def packed(self, games: Sequence[Stored]) -> list[bytes]:
        """Games as `protocol.pack` gives them."""
        frames = self._read([spot for game in games for spot in (game.record, game.note) if spot])
        packed = []
        for game in games:
            note = None if game.note is None else _thoughts(frames[game.note])
            packed.append(msgspec.msgpack.encode((frames[game.record], note)))
        return packed

    def _read(self, spots: Sequence[Spot]) -> dict[Spot, bytes]:
        frames: dict[Spot, bytes] = {}
        for number in sorted({spot.shard for spot in spots}):
            with Reader(self._path(number)) as reader:
                for spot in spots:
                    if spot.shard == number:
                        frames[spot] = reader.frame_at(spot.at)
        return frames

    def _path(self, number: int) -> Path:
        if number not in self._paths:
            shards = database.shards
            wanted = sa.select(shards.c.path).where(shards.c.number == number)
            with self._engine.connect() as connection:
                self._paths[number] = connection.execute(wanted).scalar_one()
        path = self._folder / self._paths[number]
        # A Reader finds a sealed shard by the name that it had before.
        return path if path.exists() else path.with_name(path.name + PART)


def _thoughts(frame: bytes) -> bytes:
    """The frame of a judge's thoughts, from that of the note with them."""
    value = decompress(frame, zstandard.ZstdDecompressor())
    return compress(msgspec.msgpack.encode(_read_note(value).thoughts))


_read_note = msgspec.msgpack.Decoder(Note).decode
