"""Starts processes of this package, which end when this process does."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running
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
    try:
        with unattended():
            process.start()
    except BaseException:  # such as Ctrl-C, which takes effect at the end of the block
        if process.pid is not None:
            process.kill()
        raise
    return process


@contextlib.contextmanager
def unattended() -> Iterator[None]:
    """Lets fresh processes started inside ignore Ctrl-C, and keeps them from the user's script.

    Ctrl-C takes effect in this process at the end of the block. Spawned processes would usually
    run the script that started this one.
    """
    with _without_interrupts(), _without_main():
        yield


def end_with_parent() -> None:
    """Ends this process as soon as the one that started it has ended, even if it was killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Lets processes started inside ignore Ctrl-C: they inherit that the signal is blocked.

    (To ignore the signal here for a moment would lose it.)
    """
    if sys.platform == "win32":
        yield
        return
    ensure_running()  # a process of multiprocessing, whose start would unblock the signal
    caught: list[int] = []  # by another thread, for which it is not blocked
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, lambda *_: caught.append(1)) if is_main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, before)
        if caught:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hides the user's script from processes started inside."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
