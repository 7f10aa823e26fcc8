"""The log of the page's server: what was refused, and why."""

import logging

from starlette.requests import HTTPConnection

LOG = logging.getLogger("rulezero.web")
_LONGEST = 300


def log_refusal(connection: HTTPConnection, why: str) -> None:
    """Logs a request that is refused, in one line."""
    client = connection.client.host if connection.client else "?"
    LOG.warning("refused %s %.200r: %.*s", client, connection.url.path, _LONGEST, _plain(why))


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
