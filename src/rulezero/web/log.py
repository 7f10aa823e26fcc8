"""The log of the page's server: what was refused, and why."""

import logging
import threading
import time

from starlette.requests import HTTPConnection

LOG = logging.getLogger("rulezero.web")
_LONGEST = 300
_LINES_AT_ONCE = 60
_LINES_PER_SECOND = 2.0


class _Limit(logging.Filter):
    """Leaves lines out when there are too many, so that no visitor can fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._credit = float(_LINES_AT_ONCE)
        self._credited = time.monotonic()
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        with self._lock:
            now = time.monotonic()
            earned = (now - self._credited) * _LINES_PER_SECOND
            self._credit, self._credited = min(_LINES_AT_ONCE, self._credit + earned), now
            if self._credit < 1:
                self._left_out += 1
                return False
            self._credit -= 1
            if self._left_out:
                words = f"{self._left_out} lines were left out; {record.getMessage()}"
                record.msg, record.args, self._left_out = words, (), 0
            return True


LOG.addFilter(_Limit())


def log_refusal(connection: HTTPConnection, why: str) -> None:
    """Logs a request that is refused, in one line."""
    client = connection.client.host if connection.client else "?"
    LOG.warning("refused %s %.200r: %.*s", client, connection.scope["path"], _LONGEST, _plain(why))


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
