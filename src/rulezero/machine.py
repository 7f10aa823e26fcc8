"""What this machine has, and how many worker processes it may be asked for."""

import os

from rulezero._core import GameError

_MOST_WORKERS = 1024


def cores() -> int:
    """The number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_workers(workers: int) -> None:
    """GameError unless the number of worker processes is 0 (one per core) or one that can run."""
    if not 0 <= workers <= _MOST_WORKERS:
        raise GameError(f"workers are 0 (one for each core) to {_MOST_WORKERS}, not {workers}")
