"""Searches in a thread, so that a notebook's other cells and buttons go on to work meanwhile."""

import threading
from collections.abc import Callable

from rulezero._core import RulezeroError

Work = Callable[[Callable[[], bool]], None]
"""Gets a function that says whether to stop."""


class Background:
    """Work that goes on beside the notebook; the newest replaces the one before."""

    def __init__(self, failed: Callable[[str], None]) -> None:
        """`failed` is called with the words of an error."""
        self._failed = failed
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def start(self, work: Work) -> None:
        """Starts work, and asks earlier work that is still running to stop."""
        self.hurry()
        stop = self._stop = threading.Event()

        def run() -> None:
            try:
                work(stop.is_set)
            except RulezeroError as error:
                self._failed(str(error))
            except Exception as error:  # of rules in Python
                self._failed(f"the search failed: {type(error).__name__}: {error}")

        self._thread = threading.Thread(target=run, daemon=True, name="rulezero-notebook")
        self._thread.start()

    def hurry(self) -> None:
        """Tells the work to stop; a search then answers with what it knows."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Waits until the work has ended."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds)
