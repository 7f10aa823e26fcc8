"""Atomic file writes: a file is complete or absent, even after a crash."""

import contextlib
import os
import sys
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl


def write_whole(path: Path, *parts: bytes | memoryview) -> None:
    """Writes a file atomically; once this returns, the file survives a power cut."""
    half = path.with_name(f"{path.name}.{os.getpid()}.half")
    try:
        with half.open("wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def sync_folder(folder: Path) -> None:
    """Makes new names in the folder survive a power cut; does nothing on Windows."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def lock(path: Path, *, wait: bool = False) -> BinaryIO | None:
    """Locks a file until it is closed; None if another process has the lock, unless we `wait`.

    The file is created. On Windows there is no lock.
    """
    file = path.open("ab")
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            file.close()
            return None
    return file
