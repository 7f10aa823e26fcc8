"""Ctrl-C while the command line is still being imported: the process ends without a word."""

import itertools
import os
import signal
import sys
from pathlib import Path
from types import FrameType

_EXIT = 130  # as a shell tells Ctrl-C


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(_EXIT)


def _is_command() -> bool:
    """Whether this process is `rulezero ...` or `python -m rulezero ...`, and no worker of it."""
    words = sys.orig_argv[1:]
    if words and Path(words[0]).stem == "rulezero":
        return True
    return "-mrulezero" in words or ("-m", "rulezero") in itertools.pairwise(words)


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)
