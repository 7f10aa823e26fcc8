"""The number of cores of this machine, and the check of a number of workers."""

import os

from rulezero._core import GameError

_MOST_WORKERS = 1024


def cores() -> int:
    """The number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_workers(workers: int) -> None:
    """Raises GameError unless the number of workers is 0 (one per core) to 1024."""
    if not 0 <= workers <= _MOST_WORKERS:
        raise GameError(f"workers must be 0 (one per core) to {_MOST_WORKERS}, not {workers}")
