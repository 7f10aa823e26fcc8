"""Wakes requests that wait for something."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Found = TypeVar("Found")


class Bell:
    """Many wait, and all of them look again when it rings."""

    def __init__(self) -> None:
        self.waiting = 0
        self.is_closed = False  # no one waits any more
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wakes all."""
        self._rung.set()
        self._rung = asyncio.Event()

    def close(self) -> None:
        """Wakes all, for good."""
        self.is_closed = True
        self.ring()

    async def wait_for(
        self, look: Callable[[], Coroutine[Any, Any, Found | None]], seconds: float
    ) -> Found | None:
        """What `look` finds now, or after the bell rang; None if it is nothing for that time."""
        until = time.monotonic() + seconds
        while True:
            rung = self._rung  # before looking, so that no ring is missed
            found = await look()
            left = until - time.monotonic()
            if found is not None or left <= 0 or self.is_closed:
                return found
            self.waiting += 1
            try:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(rung.wait(), left)
            finally:
                self.waiting -= 1
