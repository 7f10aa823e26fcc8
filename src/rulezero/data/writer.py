"""Writes shards: each writer has its own, and several may work in one folder."""

import hashlib
import os
import sys
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from io import FileIO
from itertools import accumulate
from pathlib import Path

import msgspec

from rulezero.data.shard import MAGIC, PART, SEALED, Header, Reader, Trailer, chunk, compress
from rulezero.files import sync_folder

if sys.platform != "win32":
    import fcntl

_SYNC_SECONDS = 2.0  # at most this is lost in a power cut; a kill loses nothing


class Writer:
    """A new shard in a folder: appended to, then sealed."""

    def __init__(self, folder: Path, header: Header) -> None:
        self.header = header
        begun = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        name = f"{begun}-{uuid.uuid4().hex[:12]}"
        self.path = folder / f"{name}.{header.kind}{PART}"
        self.size = 0
        self.values = 0
        self._digest = hashlib.sha256()
        self._synced = time.monotonic()
        new = folder / f"{name}.new"  # others must not find it before it is locked
        self._file = new.open("xb", buffering=0)
        _lock(self._file)
        self._write(MAGIC + chunk(msgspec.json.encode(header)))
        new.rename(self.path)
        sync_folder(folder)

    def add(self, value: bytes) -> None:
        """Appends a msgpack value; when this returns, it is safe even if the process is killed."""
        self._write(chunk(compress(value)))
        self.values += 1
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            self.sync()

    def add_frames(self, frames: Sequence[bytes]) -> list[int]:
        """Appends values that are compressed already, and returns their offsets.

        They are safe when sync() returns.
        """
        chunks = [chunk(frame) for frame in frames]
        places = list(accumulate(map(len, chunks), initial=self.size))
        self._write(b"".join(chunks))
        self.values += len(chunks)
        return places[:-1]

    def sync(self) -> None:
        """Waits until all of it survives a power cut."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def seal(self) -> Path | None:
        """Seals the shard and returns its path; deletes it and returns None if it is empty."""
        with self._file:
            if self.values == 0:
                self.path.unlink()
                return None
            return _seal(self._file, self.path, self.values, self._digest.hexdigest())

    def close(self) -> None:
        """Leaves the shard as it is, for `adopt`."""
        self._file.close()

    def _write(self, data: bytes) -> None:
        """Appends all of it or nothing, so that a full disk leaves no incomplete chunk."""
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except BaseException as error:
            self._file.truncate(self.size)
            self._file.seek(self.size)
            if isinstance(error, OSError) and error.errno is not None:
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            raise
        self._digest.update(data)
        self.size += len(data)


def adopt(path: Path, most: int | None = None) -> None:
    """Seals the whole chunks of a .part whose writer is gone; ignores one being written.

    Only the first `most` bytes are kept, if it is given.
    """
    try:
        with path.open("r+b", buffering=0) as file:
            if not _lock(file) or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return
            if most is not None and most < path.stat().st_size:
                file.truncate(most)
            with Reader(path) as reader:
                if not reader.is_ours():
                    return
                end, values, is_sealed = reader.end()
                digest = reader.sha256(end)
            file.truncate(end)
            file.seek(end)
            if is_sealed:
                path.rename(path.with_suffix(""))
            elif values == 0:
                path.unlink()
            else:
                _seal(file, path, values, digest)
    except FileNotFoundError:
        return  # sealed, or adopted by another, in the meantime


def _seal(file: FileIO, path: Path, values: int, sha256: str) -> Path:
    file.write(chunk(msgspec.json.encode(Trailer(values=values, sha256=sha256)), SEALED))
    os.fsync(file.fileno())
    sealed = path.with_suffix("")
    path.rename(sealed)
    sync_folder(path.parent)
    return sealed


def _lock(file: FileIO) -> bool:
    """Locks the file until it is closed; False if another has the lock, or without locks."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
