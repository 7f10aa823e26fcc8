"""Ctrl-C while a player thinks: it ends the search, not the game."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType

_SECONDS = 1.0  # within which a second Ctrl-C means to leave
_NEXT = 0.5  # seconds for each later choice of a turn that was to be made now


@contextlib.contextmanager
def hurried_by_ctrl_c() -> Iterator[Callable[[], bool]]:
    """What a search asks whether to choose now: each Ctrl-C is a yes.

    Where a turn has several choices, those that follow take half a second at most. A second
    Ctrl-C within a second, or before the first was heard, is a KeyboardInterrupt.
    """
    begun = answered = time.monotonic()
    asked: float | None = None
    is_pending = False

    def hear(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked, is_pending
        now = time.monotonic()
        if is_pending or (asked is not None and now - asked < _SECONDS):
            raise KeyboardInterrupt
        asked, is_pending = now, True

    def stop() -> bool:
        nonlocal answered, is_pending
        now = time.monotonic()
        is_late = asked is not None and now - answered > min(asked - begun, _NEXT)
        if is_pending or is_late:
            answered, is_pending = now, False
            return True
        return False

    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # as for a job in the background of a script
        yield stop
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
