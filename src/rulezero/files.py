"""Files that are there whole or not at all, whatever happens in between."""

import contextlib
import os
import sys
from pathlib import Path


def write_whole(path: Path, *parts: bytes | memoryview) -> None:
    """Writes a file whole or not at all; once it returns, a power cut does not undo it."""
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
    """Makes a new name in the folder outlive a power cut, where the system can."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
