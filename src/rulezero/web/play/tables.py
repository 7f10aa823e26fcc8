"""The memory that games on the page take together."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from rulezero._core import GameError
from rulezero.web.clients import Client, Clients
from rulezero.web.limits import MOST_TABLE_BYTES, MOST_TABLE_BYTES_OF_ADDRESS

if TYPE_CHECKING:
    from rulezero.web.play.table import Table


class Tables:
    """All games, and room for them. Games of the owner are not counted."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._known: OrderedDict[Table, int] = OrderedDict()  # bytes, in the order of their use
        self._bytes = 0

    def weigh(self, table: "Table") -> None:
        """Counts the memory of a game again; forgets games that no page shows if it is too much."""
        if table.client.is_owner or table.is_closed:
            return
        self._count(table, table.weight)
        self._known.move_to_end(table)
        if table.client.bytes > MOST_TABLE_BYTES_OF_ADDRESS:
            self._make_room(
                table,
                lambda other: other.client is table.client,
                lambda: table.client.bytes > MOST_TABLE_BYTES_OF_ADDRESS,
            )
        if self._bytes > MOST_TABLE_BYTES:
            self._make_room(table, lambda _: True, lambda: self._bytes > MOST_TABLE_BYTES)

    def check(self, client: Client) -> None:
        """GameError if there is no room for more choices of this client."""
        if client.is_owner:
            return
        if client.bytes > MOST_TABLE_BYTES_OF_ADDRESS:
            raise GameError("your games take too much memory together: close some of their pages")
        if self._bytes > MOST_TABLE_BYTES:
            raise GameError("the games of all visitors take too much memory: try again later")

    def forget(self, table: "Table") -> None:
        """Counts a game no longer."""
        self._count(table, 0)
        self._known.pop(table, None)

    def alone(self, client: Client) -> AbstractContextManager[None]:
        """Counts a game without a person as long as it goes on: see `Clients.alone`."""
        return self._clients.alone(client)

    def _count(self, table: "Table", now: int) -> None:
        grown = now - self._known.get(table, 0)
        self._known[table] = now
        table.client.bytes += grown
        self._bytes += grown

    def _make_room(
        self,
        newest: "Table",
        may_go: Callable[["Table"], bool],
        is_needed: Callable[[], bool],
    ) -> None:
        """Forgets games that no page shows, those first that were used longest ago."""
        for table in list(self._known):
            if not is_needed():
                return
            if table is not newest and not table.listeners and may_go(table):
                table.forget()
