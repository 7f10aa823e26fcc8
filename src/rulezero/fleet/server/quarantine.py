"""Keeps refused games for a person to look at, up to a size."""

import secrets
import threading
import time
from pathlib import Path

import msgspec

from rulezero.fleet.server.limits import QUARANTINE_BYTES, QUARANTINE_FILES


class Refused(msgspec.Struct, frozen=True):
    """Why a game was refused; its bytes are in the file beside it."""

    time: float
    token: str  # its name
    lease: str
    task: str
    number: int  # of the game in its upload
    reason: str


class Quarantine:
    """A folder of refused games. The oldest are deleted when it is full. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        paths = sorted(folder.glob("*.game"))
        self._kept = {path: path.stat().st_size for path in paths}  # oldest first
        self._size = sum(self._kept.values())

    def add(self, about: Refused, data: bytes) -> None:
        """Writes the bytes of a game, and why it was refused."""
        name = f"{time.time_ns():020}-{secrets.token_hex(4)}"
        path = self._folder / f"{name}.game"
        with self._lock:
            path.write_bytes(data)
            path.with_suffix(".json").write_bytes(msgspec.json.encode(about))
            self._kept[path] = len(data)
            self._size += len(data)
            while self._size > QUARANTINE_BYTES or len(self._kept) > QUARANTINE_FILES:
                oldest = next(iter(self._kept))
                self._size -= self._kept.pop(oldest)
                oldest.unlink(missing_ok=True)
                oldest.with_suffix(".json").unlink(missing_ok=True)
