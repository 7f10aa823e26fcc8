"""The JSON messages of a server, for people and their programs."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rulezero.errors import RunError

Scope = Literal["worker", "trainer", "admin"]
SCOPES: tuple[Scope, ...] = ("worker", "trainer", "admin")


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Error(_Form):
    """What is wrong, and what to do."""

    error: str


class NewToken(_Form):
    """An order for a token."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[!-~]([ -~]*[!-~])?$")]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=3)]


class Reason(_Form):
    """Why a token is flagged; an empty text removes the flag."""

    reason: Annotated[str, Field(max_length=1000, pattern=r"^[ -~]*$")]


class Token(_Form):
    """A token, without its secret. Times are seconds since 1970."""

    id: str
    name: str
    scopes: list[Scope]
    created: float
    revoked: float | None = None
    flag: str | None = None  # why a person should look at its games
    withdrawn: float | None = None  # nets do not learn from its games up to this time
    games: int = 0  # stored

    @property
    def state(self) -> str:
        """The state in words, for a table."""
        words = [
            "revoked" if self.revoked is not None else "active",
            *(["withdrawn"] if self.withdrawn is not None else []),
            *([f"flagged: {self.flag}"] if self.flag else []),
        ]
        return ", ".join(words)


class MadeToken(_Form):
    """A new token with its secret, which is shown only once."""

    token: Token
    secret: str


class WithdrawnGames(_Form):
    """How many games of a token are withdrawn."""

    games: int


class Health(_Form):
    """The server is there, and its database answers."""

    status: Literal["ok"] = "ok"
    version: str


class WorkerStatus(_Form):
    """A worker that has asked for games lately."""

    name: str
    token: str  # its name
    leases: int
    games: int  # that it has leased and not delivered
    seen: float  # seconds since 1970


class TaskStatus(_Form):
    """How far a task is."""

    id: str
    job: str
    name: str
    game: str
    games: int
    finished: int
    leased: int


class SampledStatus(_Form):
    """How many games were played again to check them, since the server started."""

    waiting: int
    passed: int
    failed: int
    undecided: int
    skipped: int  # because too many waited


class Status(_Form):
    """What the server does."""

    version: str
    time: float  # now, in seconds since 1970
    uptime: float  # seconds
    games: int  # stored since the server started
    games_per_second: float  # over the last minute
    refused: int  # since the server started
    leases: int
    workers: list[WorkerStatus]
    tasks: list[TaskStatus]  # open ones
    flags: list[Token]  # flagged tokens
    sampled: SampledStatus


def chosen(tokens: Iterable[Token], given: str, *, is_active: bool = False) -> Token:
    """The token of an id, or of a name that no other one has; RunError if there is none.

    With `is_active`, a token that is not revoked is chosen before those of its name that are.
    """
    found = [token for token in tokens if given in (token.id, token.name)]
    exact = [token for token in found if token.id == given] or found
    if is_active:
        exact = [token for token in exact if token.revoked is None] or exact
    if not exact:
        raise RunError(f"there is no token '{given}': `rulezero token list` shows them all")
    if len(exact) > 1:
        ids = ", ".join(token.id for token in exact)
        raise RunError(f"several tokens have the name '{given}': give an id, one of {ids}")
    return exact[0]
