"""Ends a command soon after Ctrl-C, even while it computes something that Python cannot stop."""

import gc
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

_SECONDS = 0.7


@contextmanager
def ends_soon(words: Callable[[], str]) -> Iterator[None]:
    """After Ctrl-C, prints a line and ends the process, if need be in the middle of a computation.

    Python raises KeyboardInterrupt when the main thread returns to it. A step of a large net's fit
    takes much longer than people wait, so the process is ended if the block is still running
    after 0.7 s. This is only for commands that may be killed at any time.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    is_over = threading.Event()

    def wait() -> None:
        with ours:
            while number := ours.recv(1):
                if number[0] == signal.SIGINT and not is_over.wait(_SECONDS):
                    Console(stderr=True).show_cursor()  # a progress bar hides it
                    print(words(), file=sys.stderr, flush=True)
                    for process in multiprocessing.active_children():
                        process.kill()
                    os._exit(130)

    threading.Thread(target=wait, daemon=True).start()
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    try:
        yield
    except KeyboardInterrupt:
        print(words(), file=sys.stderr)
        gc.freeze()  # otherwise Python spends most of a second on torch's objects when it exits
        raise
    finally:
        is_over.set()
        signal.set_wakeup_fd(before)
        theirs.close()
