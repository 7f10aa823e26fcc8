"""Ends the process silently if Ctrl-C is pressed while the command line is being imported.

It imports only modules that Python itself has already loaded, so that it takes effect at once.
"""

import os
import signal
import sys

_EXIT = 130  # the exit status that shells use for Ctrl-C


def _end(_number: int, _frame: object) -> None:
    os._exit(_EXIT)


def _is_command() -> bool:
    """Whether this process is `rulezero ...` or `python -m rulezero ...`, not a worker of it."""
    words = sys.orig_argv[1:]
    if words and os.path.splitext(os.path.basename(words[0]))[0] == "rulezero":  # noqa: PTH119, PTH122
        return True
    return "-mrulezero" in words or ("-m", "rulezero") in zip(words, words[1:], strict=False)  # noqa: RUF007


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)
