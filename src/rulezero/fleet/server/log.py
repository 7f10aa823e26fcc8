"""The server's log: one line of JSON for each event, on stderr."""

import logging
import sys
import time
from typing import Any

import msgspec

_LOG = logging.getLogger("rulezero.server")


class _Lines(logging.Formatter):
    """Writes a record of the log as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{when}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info is not None:
            line["trace"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def write_log(level: int = logging.INFO) -> None:
    """Lets the server's events, and those of its HTTP library, be written to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name in ("rulezero", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level if name == "rulezero" else logging.WARNING)
        logger.propagate = False


def log_event(event: str, **fields: str | float | None) -> None:
    """Writes an event with its fields."""
    _LOG.info(event, extra={"fields": fields})


def log_error(event: str, error: BaseException) -> None:
    """Writes an error with its traceback."""
    _LOG.error(event, exc_info=error, extra={"fields": {"error": str(error)[:500]}})
