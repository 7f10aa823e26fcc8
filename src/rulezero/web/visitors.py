"""Visitors of the page, known by a cookie: their games, and what they may do."""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

from rulezero.web.limits import MOST_TABLES, MOST_VISITORS

if TYPE_CHECKING:
    from rulezero.web.play.table import Table

COOKIE = "rulezero_visitor"
_OWNER = "owner"  # begins the cookie of the owner


class OpenPage(Protocol):
    """A connection of a visitor."""

    used: float  # when it was last used, by the monotonic clock

    def retire(self) -> None:
        """Closes it in favour of another one."""


class Visitor:
    """A person with a browser. No visitor can see the games of another one."""

    def __init__(self, name: str, *, is_owner: bool = False) -> None:
        self.name = name  # the cookie's value, which identifies this visitor
        self.is_owner = is_owner
        self.tables: OrderedDict[str, Table] = OrderedDict()
        self.pages: list[OpenPage] = []

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
    """All visitors.

    An owner's cookie is signed with the secret: a server with the same secret knows it again.
    """

    def __init__(self, secret: str) -> None:
        """`secret` makes its holder the owner."""
        self._secret = secret
        self._known: OrderedDict[str, Visitor] = OrderedDict()

    def find(self, name: str | None) -> Visitor | None:
        """The visitor with this cookie."""
        found = self._known.get(name or "")
        if found is None and name is not None and self._is_signed(name):
            found = self._known[name] = Visitor(name, is_owner=True)
        if found is not None:
            self._known.move_to_end(found.name)
        return found

    def welcome(self) -> Visitor:
        """A new visitor."""
        found = Visitor(secrets.token_urlsafe(24))
        self._known[found.name] = found
        self._forget()
        return found

    def knows(self, secret: str) -> bool:
        """Whether this is the owner's secret."""
        return hmac.compare_digest(secret.encode(), self._secret.encode())

    def admit_owner(self, visitor: Visitor | None) -> Visitor:
        """The owner: this visitor under a new name, or a new one."""
        nonce = secrets.token_urlsafe(24)
        if visitor is None:
            visitor = Visitor("")
        self._known.pop(visitor.name, None)
        visitor.name = f"{_OWNER}.{nonce}.{self._signature(nonce)}"
        visitor.is_owner = True
        self._known[visitor.name] = visitor
        return visitor

    def __len__(self) -> int:
        return len(self._known)

    def _is_signed(self, name: str) -> bool:
        who, _, rest = name.partition(".")
        nonce, _, signature = rest.partition(".")
        expected = self._signature(nonce).encode()
        return who == _OWNER and hmac.compare_digest(signature.encode(), expected)

    def _signature(self, nonce: str) -> str:
        key, text = self._secret.encode(), f"{_OWNER} {nonce}".encode()
        return hmac.new(key, text, hashlib.sha256).hexdigest()

    def _forget(self) -> None:
        """Forgets visitors if there are too many: first those without games, and never the owner.

        Among them are first those who were away longest.
        """
        excess = len(self._known) - MOST_VISITORS
        if excess <= 0:
            return
        excess += MOST_VISITORS // 50  # so that not every new visitor needs a look at all
        *others, _newest = self._known.values()
        away = [each for each in others if not each.pages and not each.is_owner]
        away.sort(key=lambda each: bool(each.tables))
        for visitor in away[:excess]:
            for table in visitor.tables.values():
                table.close()
            del self._known[visitor.name]

    def close(self) -> None:
        """Ends all games."""
        for visitor in self._known.values():
            for table in visitor.tables.values():
                table.close()
