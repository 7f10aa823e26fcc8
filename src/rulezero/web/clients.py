"""Shares of the server: what all visitors at one address use together.

A cookie costs nothing, so limits count by address. The owner has a share without limits.
"""

import asyncio
import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection

from rulezero._core import GameError
from rulezero.web.limits import MOST_ALONE, MOST_ALONE_OF_ADDRESS

_NETWORK_BITS = 64  # of an IPv6 address: one household has all addresses of such a network


class Client:
    """An address, and what its visitors use."""

    def __init__(self, address: str, *, is_owner: bool = False) -> None:
        self.address = address
        self.is_owner = is_owner
        self.sockets = 0  # open connections
        self.bytes = 0  # of memory that its games take
        self.alone = 0  # games without a person that go on
        self.served = 0  # the number of the newest of its searches that has begun
        self.work = asyncio.Lock()  # one long replay at a time


class Clients:
    """All clients with a visitor, a game or a search."""

    def __init__(self) -> None:
        self.owner = Client("the owner", is_owner=True)
        self._known: WeakValueDictionary[str, Client] = WeakValueDictionary()
        self._alone = 0

    def of(self, connection: HTTPConnection) -> Client:
        """The client that a request comes from, as if it were not the owner's."""
        address = _network(connection.client.host if connection.client else "?")
        found = self._known.get(address)
        if found is None:
            found = self._known[address] = Client(address)
        return found

    @contextmanager
    def alone(self, client: Client) -> Iterator[None]:
        """Counts a game without a person as long as it goes on. GameError if there are too many."""
        if not client.is_owner:
            if client.alone >= MOST_ALONE_OF_ADDRESS:
                raise GameError(
                    f"{MOST_ALONE_OF_ADDRESS} games without a person go on already: pause one of"
                    " them, or wait for its end"
                )
            if self._alone >= MOST_ALONE:
                raise GameError("too many games without a person go on: try again in a minute")
        client.alone += 1
        self._alone += not client.is_owner
        try:
            yield
        finally:
            client.alone -= 1
            self._alone -= not client.is_owner


def _network(address: str) -> str:
    """An IPv4 address, or the network of an IPv6 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _NETWORK_BITS), strict=False))
