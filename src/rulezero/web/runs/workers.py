"""The workers of a run's fleet, as its database knows them. Nothing is changed."""

import time
from pathlib import Path
from typing import Any

import msgspec

from rulezero.web.runs.training import is_held

_RECENT_SECONDS = 60.0  # for games a second
_SEEN_SECONDS = 3600.0  # workers that took games within this time are shown
_MOST_WORKERS = 200


class Worker(msgspec.Struct, frozen=True):
    """A worker that took games lately."""

    name: str
    token: str  # its name
    taken: float  # when it took games last, in seconds since 1970


class TokenShown(msgspec.Struct, frozen=True):
    """A token: who may take part."""

    name: str
    scopes: list[str]
    state: str
    flag: str | None
    games: int
    recent: int  # games of the last minute


class FleetShown(msgspec.Struct, frozen=True, rename="camel"):
    """A fleet's server."""

    is_running: bool
    games: int
    games_per_second: float
    workers: list[Worker]
    tokens: list[TokenShown]


def fleet_of(run: Path) -> FleetShown | None:
    """The fleet of a run; None if it has none on this machine, or packages are missing."""
    file = run / "fleet" / "fleet.sqlite"
    if not file.is_file():
        return None
    try:
        import sqlalchemy as sa

        from rulezero.fleet.server import database
        from rulezero.fleet.server.tokens import TokenTable
    except ImportError:
        return None
    engine = sa.create_engine(f"sqlite:///file:{file.resolve()}?mode=ro&uri=true")
    games, leases = database.games, database.leases
    now = time.time()
    newest = sa.func.max(leases.c.created)
    took = (
        sa.select(leases.c.worker, leases.c.token, newest)
        .where(leases.c.created > now - _SEEN_SECONDS)
        .group_by(leases.c.worker, leases.c.token)
        .order_by(newest.desc())
        .limit(_MOST_WORKERS)
    )
    stored = (
        sa.select(games.c.token, sa.func.count())
        .where(games.c.stored > now - _RECENT_SECONDS)
        .group_by(games.c.token)
    )
    try:
        tokens = TokenTable(engine).all()
        with engine.connect() as connection:
            rows: list[Any] = list(connection.execute(took))
            recent: dict[str, int] = {row[0]: row[1] for row in connection.execute(stored)}
    except sa.exc.SQLAlchemyError:
        return None
    finally:
        engine.dispose()
    names = {token.id: token.name for token in tokens}
    return FleetShown(
        is_running=is_held(run / "fleet" / "server.lock"),
        games=sum(token.games for token in tokens),
        games_per_second=sum(recent.values()) / _RECENT_SECONDS,
        workers=[Worker(row[0], names.get(row[1], row[1]), row[2]) for row in rows],
        tokens=[
            TokenShown(
                name=token.name,
                scopes=list(token.scopes),
                state="active" if token.revoked is None else "revoked",
                flag=token.flag,
                games=token.games,
                recent=recent.get(token.id, 0),
            )
            for token in tokens
        ],
    )
