"""A shard: one append-only file of games, or of notes about games.

    magic     8 bytes, "RZSHARD" and a newline
    chunk     header, JSON
    chunk     one zstandard frame of one msgpack value: a game or a note; any number of these
    chunk     trailer, JSON, marked by the top bit of its length: the shard is sealed

A chunk is its length (uint32, little-endian), 8 bytes of the SHA-256 of length and payload, then
the payload. While a shard is written, its name ends in .part and its writer holds a lock on it. If
the writer was killed, everything after the last whole chunk is cut off. A sealed shard never
changes.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import msgspec
import zstandard
from msgspec import Meta

from rulezero.data.columns import RecordError
from rulezero.data.place import Report

Kind = Literal["games", "notes"]

FORMAT = 1
MAGIC = b"RZSHARD\n"
PART = ".part"
LARGEST = 1 << 24  # bytes of one value, before and after compression
_LARGEST_HEADER = 1 << 16
_PREFIX = 12  # bytes before a payload
SEALED = 1 << 31
_LEVEL = 9  # of compression; higher ones save 2 %, but take ten times as long
_TORN = "the file ends here without a trailer"
_PAYLOAD = re.compile(rb"\x28\xb5\x2f\xfd|\{\"")  # how a payload begins: zstandard, or JSON


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What all values of a shard have in common."""

    format: int = FORMAT
    kind: Kind = "games"
    rulezero: str = ""  # the version that wrote it
    game: Annotated[str, Meta(max_length=4096)] = ""
    version: int = 0  # of the game's rules
    encoding: int = 0  # of its planes and slots
    rules: Annotated[str, Meta(max_length=64)] = ""  # rules_hash of the game
    purpose: Annotated[str, Meta(max_length=64)] = ""


class Trailer(msgspec.Struct, frozen=True, kw_only=True):
    """The summary at the end of a sealed shard."""

    values: int  # number of games or notes
    sha256: Annotated[str, Meta(max_length=64)]  # of every byte before the trailer


def compress(value: bytes) -> bytes:
    """One zstandard frame that contains its size."""
    if len(value) > LARGEST:
        raise RecordError(f"a record has {len(value)} bytes; the limit is {LARGEST}")
    return zstandard.ZstdCompressor(level=_LEVEL).compress(value)


def decompress(frame: bytes, tool: zstandard.ZstdDecompressor) -> bytes:
    """The content of a frame of `compress`. Its size is checked before it is unpacked."""
    try:
        parameters = zstandard.get_frame_parameters(frame)
        if parameters.content_size > LARGEST:  # 2**64 - 1 if the frame does not give it
            raise RecordError(f"a frame gives no size, or one above {LARGEST} bytes")
        return tool.decompress(frame, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise RecordError(f"not a zstandard frame ({error})") from None


def chunk(payload: bytes, flag: int = 0) -> bytes:
    length = (len(payload) | flag).to_bytes(4, "little")
    return length + _checksum(length, payload) + payload


def _checksum(length: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(length + payload).digest()[:8]


class Reader:
    """A shard opened for reading; its writer may still append to it."""

    def __init__(self, path: Path) -> None:
        self._tool = zstandard.ZstdDecompressor()
        self._is_newer = False  # whether its format is newer than FORMAT
        self.path = path
        self.is_part = path.name.endswith(PART)
        try:
            self._file: BinaryIO = path.open("rb")
        except FileNotFoundError:
            if not self.is_part:
                raise
            self.path, self.is_part = path.with_suffix(""), False  # sealed a moment ago
            self._file = self.path.open("rb")

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def header(self) -> Header | None:
        """The shard's header; None if the writer was killed before writing it."""
        self._file.seek(0)
        start = self._file.read(len(MAGIC))
        found = self._chunk_at(len(MAGIC), _LARGEST_HEADER)
        if self.is_part and (len(start) < len(MAGIC) or (start == MAGIC and found is None)):
            return None
        if start != MAGIC:
            raise RecordError(f"{self.path}: not a shard of rulezero, by its first bytes")
        try:
            if found is None:
                raise ValueError
            header = msgspec.json.decode(found[0], type=Header)
        except ValueError:
            raise RecordError(f"{self.path}: its header is damaged") from None
        if header.format > FORMAT:
            self._is_newer = True
            raise RecordError(
                f"{self.path}: format {header.format} of a newer rulezero ({header.rulezero});"
                f" this one reads up to {FORMAT}"
            )
        return header

    def values(self, report: Report) -> Iterator[tuple[int, bytes]]:
        """Yields the offset and msgpack bytes of each value; damage is reported and skipped."""
        for at, payload, is_last in () if self._is_newer else self._chunks():
            if payload is None:
                if not is_last:
                    report(self._damage(at, "a damaged record"))
                elif not self.is_part:
                    report(self._damage(at, _TORN))
            elif is_last:
                self._check_end(at, payload, report)
            else:
                try:
                    value = decompress(payload, self._tool)
                except RecordError as error:
                    report(self._damage(at, str(error)))
                else:
                    yield at, value

    def value_at(self, offset: int) -> bytes:
        """The msgpack bytes of the value at an offset that `values` yielded."""
        return decompress(self.frame_at(offset), self._tool)

    def frame_at(self, offset: int) -> bytes:
        """The value at an offset, as it is compressed."""
        found = self._chunk_at(offset, LARGEST)
        if found is None or found[1]:
            raise self._damage(offset, "a damaged record")
        return found[0]

    def end(self) -> tuple[int, int, bool]:
        """The end of the last whole chunk, the number of values, and whether it is sealed."""
        end, values, is_sealed = self._first(), 0, False
        for at, payload, is_last in self._chunks():
            if payload is not None:
                end, values, is_sealed = at + _PREFIX + len(payload), values + 1, is_last
        return end, values - is_sealed, is_sealed

    def is_ours(self) -> bool:
        """Whether its first bytes, as far as there are any, are those of a shard."""
        self._file.seek(0)
        return MAGIC.startswith(self._file.read(len(MAGIC)))

    def verify(self, report: Report) -> None:
        """Reports an error if the content of a sealed shard has changed."""
        for values, (at, payload, is_last) in enumerate(self._chunks()):
            if payload is None:
                report(self._damage(at, _TORN))
                return
            if not is_last:
                continue
            trailer = Trailer(values=values, sha256=self.sha256(at))
            if payload != msgspec.json.encode(trailer):
                report(self._damage(at, "its values or its SHA-256 are not those of the trailer"))

    def sha256(self, end: int) -> str:
        """The SHA-256 of the bytes before `end`."""
        digest = hashlib.sha256()
        self._file.seek(0)
        while end > 0 and (piece := self._file.read(min(end, 1 << 20))):
            digest.update(piece)
            end -= len(piece)
        return digest.hexdigest()

    def size(self) -> int:
        """The current number of bytes."""
        return os.fstat(self._file.fileno()).st_size

    def _first(self) -> int:
        """Where the values begin: after the header; if that is damaged, where one is found."""
        at = len(MAGIC)
        header = self._chunk_at(at, _LARGEST_HEADER)
        return at + _PREFIX + len(header[0]) if header else self._next_chunk(at) or at

    def _chunks(self) -> Iterator[tuple[int, bytes | None, bool]]:
        """Yields the offset and payload of each chunk after the header, and whether it is the last.

        The payload is None if it is damaged. The last chunk is the trailer, or damage that no whole
        chunk follows.
        """
        at: int | None = self._first()
        while at is not None:
            payload, is_trailer = self._chunk_at(at, LARGEST) or (None, False)
            onwards = self._next_chunk(at) if payload is None else at + _PREFIX + len(payload)
            yield at, payload, is_trailer or onwards is None
            at = None if is_trailer else onwards

    def _check_end(self, at: int, payload: bytes, report: Report) -> None:
        try:
            msgspec.json.decode(payload, type=Trailer)
        except ValueError:
            report(self._damage(at, "a damaged trailer"))
        if self.size() != at + _PREFIX + len(payload):
            report(self._damage(at, "something follows its trailer"))

    def _damage(self, at: int, what: str) -> RecordError:
        return RecordError(f"{self.path}: at byte {at}: {what}")

    def _chunk_at(self, at: int, largest: int) -> tuple[bytes, bool] | None:
        """The payload that begins here and whether it is a trailer; None if it is not whole."""
        self._file.seek(at)
        prefix = self._file.read(_PREFIX)
        if len(prefix) < _PREFIX:
            return None
        length = int.from_bytes(prefix[:4], "little")
        is_trailer = bool(length & SEALED)
        length &= SEALED - 1
        if not 0 < length <= (_LARGEST_HEADER if is_trailer else largest):
            return None
        payload = self._file.read(length)
        if len(payload) < length or _checksum(prefix[:4], payload) != prefix[4:]:
            return None
        return payload, is_trailer

    def _next_chunk(self, at: int) -> int | None:
        """The offset of the next whole chunk after a damaged one; None if there is none."""
        window, overlap = 1 << 20, 3
        start = at + 1
        while True:
            self._file.seek(start)
            piece = self._file.read(window)
            for match in _PAYLOAD.finditer(piece):
                begin = start + match.start() - _PREFIX
                if begin > at and self._chunk_at(begin, LARGEST):
                    return begin
            if len(piece) < window:
                return None
            start += window - overlap
