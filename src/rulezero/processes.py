"""Starts processes of this package, which end when this process does."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any


def start(target: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Starts a fresh process that calls a function of this package.

    It ignores Ctrl-C, which this process handles. It ends when this process is killed, if its
    function calls `end_with_parent` first.
    """
    process = multiprocessing.get_context("spawn").Process(
        target=target, args=arguments, daemon=True
    )
    with _ignored_interrupts(), _without_main():
        process.start()
    return process


def end_with_parent() -> None:
    """Ends this process as soon as the one that started it has ended, even if it was killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextlib.contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Lets processes started inside ignore Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keeps processes started inside from running the user's script, as spawned ones usually do."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
