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
        with _without_interrupts(), _without_main():
            process.start()
    except BaseException:  # such as Ctrl-C, which takes effect at the end of the block
        if process.pid is not None:
            process.kill()
        raise
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
def _without_interrupts() -> Iterator[None]:
    """Lets processes started inside ignore Ctrl-C. In this process, Ctrl-C takes effect later.

    (To ignore the signal here for a moment would lose it.)
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    ensure_running()  # a process of multiprocessing, whose start would end the block
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # new processes inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if pressed:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keeps processes started inside from running the user's script, as spawned ones usually do."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
