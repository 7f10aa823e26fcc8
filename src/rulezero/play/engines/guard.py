"""Runs an engine, and kills it and its children as soon as the process that wanted it has ended.

The arguments are the number of a file that stays open as long as that process lives, and the
engine's command. This program imports nothing of the package, so that it starts quickly.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys

_MISSING = 127  # exit code if the engine cannot be started, as in a shell
_POLL_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


def _die_with_guard() -> None:
    """Lets Linux kill the engine if this process is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> int:
    """Waits for the end of the engine, or of the process that wanted it."""
    lifeline = int(sys.argv[1])
    try:
        engine = subprocess.Popen(sys.argv[2:], preexec_fn=_die_with_guard, start_new_session=True)
    except OSError:
        return _MISSING
    # Otherwise the pipes would stay open after the engine has ended.
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(null, number)
    while engine.poll() is None:
        if select.select([lifeline], [], [], _POLL_SECONDS)[0]:
            break
    with contextlib.suppress(OSError):
        os.killpg(engine.pid, signal.SIGKILL)
    return engine.wait() % 256


if __name__ == "__main__":
    sys.exit(main())
