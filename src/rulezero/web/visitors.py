"""Visitors of the page, known by a cookie: their games, and what they may do."""

import hmac
import secrets
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from rulezero.web.limits import MOST_TABLES, MOST_VISITORS

if TYPE_CHECKING:
    from rulezero.web.play.table import Table

COOKIE = "rulezero_visitor"


class Visitor:
    """A person with a browser. No visitor can see the games of another one."""

    def __init__(self, name: str) -> None:
        self.name = name  # the cookie's value: whoever knows it is this visitor
        self.is_owner = False
        self.tables: OrderedDict[str, Table] = OrderedDict()
        self.sockets = 0
        self.seen = time.monotonic()

    @property
    def label(self) -> str:
        """A name for logs, which does not give the cookie away."""
        return f"{'owner' if self.is_owner else 'visitor'} {self.name[:6]}"

    def keep(self, table: "Table") -> None:
        """Adds a game; the one that was used longest ago is forgotten if there are too many."""
        self.tables[table.id] = table
        while len(self.tables) > MOST_TABLES:
            _, oldest = self.tables.popitem(last=False)
            oldest.close()

    def find(self, table: str) -> "Table | None":
        """A game of this visitor."""
        found = self.tables.get(table)
        if found is not None:
            self.tables.move_to_end(table)
        return found


class Visitors:
    """All visitors."""

    def __init__(self, secret: str) -> None:
        """`secret` makes its holder the owner."""
        self._secret = secret
        self._known: OrderedDict[str, Visitor] = OrderedDict()

    def find(self, name: str | None) -> Visitor | None:
        """The visitor with this cookie."""
        found = self._known.get(name or "")
        if found is not None:
            found.seen = time.monotonic()
            self._known.move_to_end(found.name)
        return found

    def welcome(self, name: str | None) -> Visitor:
        """The visitor with this cookie, or a new one."""
        found = self.find(name)
        if found is None:
            found = Visitor(secrets.token_urlsafe(24))
            self._known[found.name] = found
            self._forget()
        return found

    def admit_owner(self, visitor: Visitor, secret: str) -> bool:
        """Makes a visitor the owner if the secret is right; returns whether it is."""
        is_right = hmac.compare_digest(secret.encode(), self._secret.encode())
        visitor.is_owner = visitor.is_owner or is_right
        return is_right

    def __len__(self) -> int:
        return len(self._known)

    def _forget(self) -> None:
        """Forgets those who were away longest, if there are too many."""
        away = [each for each in self._known.values() if each.sockets == 0]
        for visitor in away[: max(0, len(self._known) - MOST_VISITORS)]:
            for table in visitor.tables.values():
                table.close()
            del self._known[visitor.name]

    def close(self) -> None:
        """Ends all games."""
        for visitor in self._known.values():
            for table in visitor.tables.values():
                table.close()
