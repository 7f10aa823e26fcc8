"""Stores to save games in while they are played."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from rulezero.data.store import Store


@contextlib.contextmanager
def open_store(path: str | Path) -> Iterator[Store]:
    """A store in a folder that is made now: what forbids it is said before the first game."""
    path = Path(path)
    is_new = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    try:
        with Store(path) as store:
            yield store
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                path.rmdir()  # if it is still empty
