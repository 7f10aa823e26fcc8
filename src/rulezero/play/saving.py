"""Stores to save games in while they are played."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from rulezero.data.record import RecordError
from rulezero.data.store import Store


@contextlib.contextmanager
def open_store(path: str | Path) -> Iterator[Store]:
    """A store in a folder that is made now: what forbids it is said before the first game."""
    if not str(path):
        raise RecordError("a store needs a name: its folder")
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise RecordError(f"'{path}' is a file; a store is a folder")
    is_new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    try:
        with Store(path, tolerant=True) as store:  # damage there hinders no new game
            yield store
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                path.rmdir()  # if it is still empty
