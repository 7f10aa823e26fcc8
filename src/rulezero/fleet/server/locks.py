"""Locks on files, which end with the process that holds them. Windows has none."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rulezero.errors import RunError

if sys.platform != "win32":
    import fcntl


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lets one process at a time do what is inside; others wait."""
    with path.open("wb") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """RunError if another server uses this folder of a fleet."""
    with (folder / "server.lock").open("wb") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RunError(
                    f"another server uses '{folder}': stop it, or serve another run"
                ) from None
        yield
