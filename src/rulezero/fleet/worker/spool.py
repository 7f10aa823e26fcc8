"""Keeps uploads on the disk of a worker while its server is away."""

import contextlib
import time
from pathlib import Path
from typing import BinaryIO

from rulezero.files import lock, write_whole

_UPLOAD = ".upload"
_LOCK = "lock"
_MOST_BYTES = 256 << 20
_OLDEST = 7 * 86400.0  # seconds: others have long played these games


class Spool:
    """Uploads that wait for the server, in the order in which they were added.

    Each process has a folder of its own in `root`, and takes over those of processes that have
    ended. Files are written whole, so that a kill at any time leaves no half of one.
    """

    def __init__(self, root: Path, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._folder, self._lock = _own_folder(root)
        self._adopt(root)
        self._waiting = sorted(self._folder.glob(f"*{_UPLOAD}"))
        self._bytes = sum(path.stat().st_size for path in self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, upload: bytes) -> bool:
        """Adds an upload; False if there is no room for it."""
        if self._bytes + len(upload) > self._most_bytes:
            return False
        newest = self._waiting[-1].stem if self._waiting else ""
        name = max(f"{time.time_ns():020}", f"{newest}+")  # also if the clock was put back
        path = self._folder / f"{name}{_UPLOAD}"
        write_whole(path, upload)
        self._waiting.append(path)
        self._bytes += len(upload)
        return True

    def first(self) -> bytes | None:
        """The upload that has waited longest; None if there is none."""
        while self._waiting:
            with contextlib.suppress(FileNotFoundError):
                return self._waiting[0].read_bytes()
            self.remove_first()
        return None

    def remove_first(self) -> None:
        """Removes the upload that has waited longest."""
        path = self._waiting.pop(0)
        with contextlib.suppress(FileNotFoundError):
            self._bytes -= path.stat().st_size
            path.unlink()

    def close(self) -> None:
        """Leaves what is waiting to another process."""
        if not self._waiting:
            _remove(self._folder)
        self._lock.close()

    def _adopt(self, root: Path) -> None:
        """Moves the uploads of processes that have ended into the own folder."""
        for folder in sorted(root.iterdir()):
            if folder == self._folder or not folder.is_dir():
                continue
            with contextlib.suppress(FileNotFoundError):  # another process was faster
                held = lock(folder / _LOCK)
                if held is None:
                    continue
                with held:
                    for path in sorted(folder.glob(f"*{_UPLOAD}")):
                        if time.time() - path.stat().st_mtime > _OLDEST:
                            path.unlink()
                        else:
                            path.rename(self._folder / path.name)
                    _remove(folder)


def _own_folder(root: Path) -> tuple[Path, BinaryIO]:
    """A new folder, with its lock."""
    root.mkdir(parents=True, exist_ok=True)
    while True:
        folder = root / f"{time.time_ns():020}"
        with contextlib.suppress(FileExistsError, FileNotFoundError):  # adopted before its lock
            folder.mkdir()
            if (held := lock(folder / _LOCK)) is not None:
                return folder, held


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        (folder / _LOCK).unlink(missing_ok=True)
        for half in folder.glob("*.half"):
            half.unlink()
        folder.rmdir()
