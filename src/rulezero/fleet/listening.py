"""The socket at which a server listens, and the address that other machines use."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from rulezero.errors import RunError

_ADVICE = {
    errno.EADDRINUSE: "choose another port, or stop the program that uses this one",
    errno.EACCES: "choose a port above 1023",
}
_EVERYWHERE = ("0.0.0.0", "::")


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket at an address; port 0 is a free one. RunError if no server can listen there."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # asyncio sends answers at once only if the protocol is named. Otherwise each answer on a
        # kept connection waits 40 ms until the client has acknowledged the one before.
        opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:  # UnicodeError: a part of the name is too long
        raise _refused(host, port, error) from error
    with opened:
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.bind((host, port))
        except OSError as error:
            raise _refused(host, port, error) from error
        yield opened


def _refused(host: str, port: int, error: OSError | UnicodeError) -> RunError:
    why = error.strerror if isinstance(error, OSError) else "this is not the name of a host"
    number = error.errno if isinstance(error, OSError) else None
    advice = _ADVICE.get(number or 0, "the host must be an address of this machine")
    return RunError(f"cannot listen at {in_url(host)}:{port}: {why}; {advice}")


def in_url(host: str) -> str:
    """A host as URLs have it: an IPv6 address is in brackets."""
    return f"[{host}]" if ":" in host else host


def local_url(host: str, port: int) -> str:
    """Where this machine reaches a server that listens at `host`."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{in_url(here)}:{port}"


def public_url(host: str, port: int) -> str:
    """The address to give to people: of this machine, if the server listens everywhere."""
    return f"http://{in_url(socket.gethostname() if host in _EVERYWHERE else host)}:{port}"
