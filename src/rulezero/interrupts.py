"""Ctrl-C while the command line is still being imported: the process ends without a word.

It imports only what Python itself has loaded already, so that there is hardly a moment before it.
"""

import os
import signal
import sys

_EXIT = 130  # as a shell tells Ctrl-C


def _end(_number: int, _frame: object) -> None:
    os._exit(_EXIT)


def _is_command() -> bool:
    """Whether this process is `rulezero ...` or `python -m rulezero ...`, and no worker of it."""
    words = sys.orig_argv[1:]
    if words and os.path.splitext(os.path.basename(words[0]))[0] == "rulezero":  # noqa: PTH119, PTH122
        return True
    return "-mrulezero" in words or ("-m", "rulezero") in zip(words, words[1:], strict=False)  # noqa: RUF007


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)
