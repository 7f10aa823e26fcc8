"""Tokens: who may use a server, and what for."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Iterable
from typing import Any, cast

import sqlalchemy as sa
from pydantic import BaseModel, ValidationError
from sqlalchemy import Engine

from rulezero.errors import RunError
from rulezero.fleet.server import database
from rulezero.fleet.server.forms import MadeToken, NewToken, Reason, Scope, Token, chosen
from rulezero.fleet.server.limits import TOKEN_CACHE_SECONDS, Meter

PREFIX = "rz_"
_LONGEST = 200  # characters of a token
_MISS_SECONDS = 0.05  # at least, between two looks for tokens that are not known


class TokenTable:
    """The tokens in a database. Several processes may use it at the same time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def new(self, name: str, scopes: Iterable[Scope]) -> MadeToken:
        """A new token; only a hash of its secret is stored."""
        _check(
            NewToken,
            "a name of 1 to 100 printable ASCII characters, without a space at its ends",
            name=name,
            scopes=[*scopes],
        )
        if any(each.name == name and each.revoked is None for each in self.hashes().values()):
            raise RunError(
                f"there is a token '{name}' already: choose another name, or revoke that one first"
            )
        secret = PREFIX + secrets.token_urlsafe(32)
        token = Token(
            id=secrets.token_hex(4), name=name, scopes=sorted(set(scopes)), created=time.time()
        )
        row = {
            "id": token.id,
            "name": name,
            "hash": hash_of(secret),
            "scopes": " ".join(token.scopes),
            "created": token.created,
        }
        with self._engine.begin() as connection:
            connection.execute(sa.insert(database.tokens).values(row))
        return MadeToken(token=token, secret=secret)

    def all(self) -> list[Token]:
        """All tokens in the order of their creation, with the numbers of their games."""
        games = database.games
        counted = sa.select(games.c.token, sa.func.count()).group_by(games.c.token)
        with self._engine.connect() as connection:
            counts: dict[str, int] = {row[0]: row[1] for row in connection.execute(counted)}
            return [
                _token(row, counts.get(row.id, 0)) for row in connection.execute(_ALL).fetchall()
            ]

    def hashes(self) -> dict[str, Token]:
        """All tokens by the hashes of their secrets."""
        with self._engine.connect() as connection:
            return {row.hash: _token(row) for row in connection.execute(_ALL)}

    def revoke(self, given: str) -> Token:
        """Revokes a token, named by its id or its name."""
        token = chosen(self.hashes().values(), given, is_active=True)
        if token.revoked is None:
            self._change(token, revoked=time.time())
        return self.find(token.id)

    def flag(self, given: str, reason: str) -> Token:
        """Marks a token for a person to look at; an empty reason removes the mark."""
        _check(Reason, "a reason of at most 1000 printable ASCII characters", reason=reason)
        token = self.find(given)
        self._change(token, flag=reason or None)
        return self.find(token.id)

    def withdraw(self, given: str) -> int:
        """Withdraws all games that a token has delivered so far; returns their number."""
        token = self.find(given)
        now = time.time()
        self._change(token, withdrawn=now)
        games = database.games
        mine = sa.select(sa.func.count()).where(games.c.token == token.id, games.c.stored <= now)
        with self._engine.connect() as connection:
            return int(connection.execute(mine).scalar_one())

    def withdrawn_records(self, job: str) -> list[str]:
        """The ids of a job's records that were withdrawn, sorted."""
        games, tasks, tokens = database.games, database.tasks, database.tokens
        chosen = (
            sa.select(games.c.record)
            .join(tasks, tasks.c.id == games.c.task)
            .join(tokens, tokens.c.id == games.c.token)
            .where(tasks.c.job == job, games.c.stored <= tokens.c.withdrawn)
            .distinct()
        )
        with self._engine.connect() as connection:
            return sorted(connection.execute(chosen).scalars())

    def find(self, given: str) -> Token:
        """The token of an id or of a unique name; RunError if there is none."""
        return chosen(self.hashes().values(), given)

    def _change(self, token: Token, **values: Any) -> None:
        tokens = database.tokens
        with self._engine.begin() as connection:
            connection.execute(sa.update(tokens).where(tokens.c.id == token.id).values(values))


class TokenCache:
    """The tokens as a running server knows them: half a second behind the database at most."""

    def __init__(self, table: TokenTable) -> None:
        self._table = table
        self._hashes: dict[str, Token] = {}
        self._read = -float("inf")
        self._lock = asyncio.Lock()
        self._meters: dict[str, Meter] = {}

    async def find(self, secret: str) -> Token | None:
        """The token of a secret; None if there is none, or if it was revoked.

        It is looked up by its hash, so that the time which this takes says nothing about a secret.
        """
        if len(secret) > _LONGEST:
            return None
        await self.refresh()
        token = self._hashes.get(hash_of(secret))
        if token is None:  # it may be a moment old
            await self._read_again()
            token = self._hashes.get(hash_of(secret))
        return None if token is None or token.revoked is not None else token

    async def refresh(self, age: float = TOKEN_CACHE_SECONDS) -> None:
        """Reads the tokens again if that was longer ago than `age` seconds."""
        if time.monotonic() - self._read < age:
            return
        async with self._lock:
            if time.monotonic() - self._read >= age:
                await self._load()

    async def _read_again(self) -> None:
        """Reads the tokens after this moment, once for all requests that wait for it."""
        asked = time.monotonic()
        async with self._lock:
            if self._read < asked:
                await asyncio.sleep(self._read + _MISS_SECONDS - asked)
                await self._load()

    async def _load(self) -> None:
        begun = time.monotonic()
        self._hashes = await asyncio.to_thread(self._table.hashes)
        self._read = begun

    @property
    def known(self) -> list[Token]:
        """All tokens, as they were read last."""
        return list(self._hashes.values())

    def meter(self, token: Token) -> Meter:
        """What a token has used of its limits."""
        return self._meters.setdefault(token.id, Meter())


def hash_of(secret: str) -> str:
    """The hash that is stored. Tokens are long and random, so that a fast hash is safe."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _check(form: type[BaseModel], wanted: str, **fields: object) -> None:
    """RunError unless these fields are those of a form, as for requests over HTTP."""
    try:
        form.model_validate(fields)
    except ValidationError as error:
        given = str(error.errors()[0]["input"])
        raise RunError(f"give {wanted}, not {given[:60]!a}") from error


_ALL = sa.select(database.tokens).order_by(database.tokens.c.created, database.tokens.c.id)


def _token(row: Any, games: int = 0) -> Token:
    return Token(
        id=row.id,
        name=row.name,
        scopes=cast("list[Scope]", row.scopes.split()),
        created=row.created,
        revoked=row.revoked,
        flag=row.flag,
        withdrawn=row.withdrawn,
        games=games,
    )
