"""A process that ends when stdin is closed, so that it does not outlive the one that started it.

`python -m rulezero.fleet VERB ...` runs `rulezero VERB ...`. Without a verb, it is a worker: the
first line on stdin is its WorkerSettings, and each line on stdout a WorkerReport.
"""

import contextlib
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable

import msgspec

from rulezero.fleet.protocol import FleetError
from rulezero.fleet.worker.worker import Worker, WorkerReport, WorkerSettings


def _watch_stdin(on_close: Callable[[], None]) -> None:
    """Calls a function when stdin is closed."""

    def wait() -> None:
        while os.read(0, 1 << 10):
            pass
        on_close()

    threading.Thread(target=wait, daemon=True).start()


def run_verb() -> None:
    """Runs the verb of the command line, and asks it to end when stdin is closed."""
    _watch_stdin(lambda: os.kill(os.getpid(), signal.SIGTERM))
    sys.argv[0] = "rulezero"
    runpy.run_module("rulezero", run_name="__main__")


def run_worker() -> None:
    """Runs a worker until stdin is closed."""
    settings = msgspec.json.decode(_first_line(), type=WorkerSettings)
    speaking = threading.Lock()

    def report(news: WorkerReport) -> None:
        with speaking, contextlib.suppress(OSError):  # of a starter that was killed
            sys.stdout.buffer.write(msgspec.json.encode(news) + b"\n")
            sys.stdout.buffer.flush()

    code, worker = 0, None
    try:
        worker = Worker(settings, report)
        _watch_stdin(worker.stop)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        worker.run()
    except (FleetError, OSError) as error:  # OSError: its cache cannot be used
        is_fatal = worker is not None and worker.is_hopeless
        report(WorkerReport(games=0, state="ended", line=str(error), is_fatal=is_fatal))
        code = 1
    os._exit(code)  # the thread that plays would not end before its games do


def _first_line() -> bytes:
    """A line of stdin. Nothing behind it is read, which buffering would do."""
    line = b""
    while not line.endswith(b"\n") and (letter := os.read(0, 1)):
        line += letter
    return line


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_verb()
    else:
        run_worker()
