"""Tasks and leases in the database. These functions wait for it, so threads call them."""

import time
from collections.abc import Mapping
from itertools import chain
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from rulezero.fleet.protocol import (
    MOST_GAMES,
    Delivery,
    Machine,
    Ranges,
    TaskOrder,
    TaskState,
    decode,
    encode,
)
from rulezero.fleet.server import database
from rulezero.fleet.server.inspection import NetIdentity, built_in, check_order
from rulezero.fleet.server.leases import HeldLease, OpenTask, indices_of
from rulezero.fleet.server.limits import DELIVERY_BYTES
from rulezero.fleet.server.nets import NetFolder
from rulezero.fleet.server.shelf import Frames, Spot, Stored, series_of

_tasks, _leases, _games = database.tasks, database.leases, database.games
_MACHINE = msgspec.msgpack.Decoder(Machine)
_RANGES = msgspec.msgpack.Decoder(Ranges)


class TaskTable:
    """The tasks of a server, as its database knows them."""

    def __init__(self, engine: Engine, nets: NetFolder, frames: Frames) -> None:
        self._engine = engine
        self._nets = nets
        self._frames = frames

    def unfinished(self) -> list[OpenTask]:
        """The tasks that are not closed and have games left, oldest first."""
        chosen = sa.select(_tasks).where(~_tasks.c.is_closed).order_by(_tasks.c.number)
        with self._engine.connect() as connection:
            rows = connection.execute(chosen).fetchall()
            opened = [self._opened(connection, row) for row in rows]
        for task in opened:
            if task.is_done:  # the server was killed before it could close it
                self.set_closed(task.id, is_closed=True)
        return [task for task in opened if not task.is_done]

    def find(self, task_id: str) -> OpenTask | None:
        """A task, with the state of its games."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_tasks).where(_tasks.c.id == task_id)).first()
            return None if row is None else self._opened(connection, row)

    def add(self, order: TaskOrder) -> OpenTask:
        """A new task, or the one that exists, open again; FleetError if it is refused."""
        identities = self._nets.identities(order.nets.values())
        check_order(order, identities)
        with self._engine.begin() as connection:
            same = sa.select(_tasks.c.number).where(_tasks.c.id == order.id)
            if connection.execute(same).first() is not None:
                content = {"content": encode(order)}  # its trainer may have more games now
                connection.execute(sa.update(_tasks).where(_tasks.c.id == order.id).values(content))
            else:
                last = connection.execute(sa.select(sa.func.max(_tasks.c.number))).scalar()
                row = {
                    "id": order.id,
                    "number": (last or 0) + 1,
                    "job": order.job,
                    "content": encode(order),
                    "games": order.task.games,
                    "is_closed": False,
                    "created": time.time(),
                }
                connection.execute(sa.insert(_tasks), row)
        self.set_closed(order.id, is_closed=False)
        found = self.find(order.id)
        assert found is not None
        return found

    def set_closed(self, task_id: str, *, is_closed: bool) -> None:
        """Says whether games of a task are still wanted."""
        changed = sa.update(_tasks).where(_tasks.c.id == task_id).values(is_closed=is_closed)
        with self._engine.begin() as connection:
            connection.execute(changed)

    def state(self, task_id: str) -> TaskState | None:
        """How far a task is; None if there is no such task."""
        with self._engine.connect() as connection:
            return _state(connection, task_id)

    def delivery(self, task_id: str, after: int) -> Delivery | None:
        """The games of a task that were stored after the first `after` of them."""
        with self._engine.connect() as connection:
            state = _state(connection, task_id)
            rows = connection.execute(
                sa.select(_games)
                .where(_games.c.task == task_id, _games.c.sequence > after)
                .order_by(_games.c.sequence)
                .limit(MOST_GAMES)
            ).fetchall()
        if state is None:
            return None
        found = [
            Stored(
                row.sequence,
                Spot(row.shard, row.at),
                None if row.note_shard is None else Spot(row.note_shard, row.note_at),
            )
            for row in rows
        ]
        games: list[bytes] = []
        size, last = 0, after
        for stored, packed in zip(found, self._frames.packed(found), strict=True):
            size += len(packed)
            if games and size > DELIVERY_BYTES:
                break
            games.append(packed)
            last = stored.sequence
        return Delivery(games=games, next=last, state=state)

    def lease(self, lease_id: str) -> HeldLease | None:
        """A lease that was given before, perhaps by an earlier server."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_leases).where(_leases.c.id == lease_id)).first()
            return None if row is None else _lease(row)

    def leases(self, task_id: str) -> list[HeldLease]:
        """All leases of a task, oldest first."""
        chosen = sa.select(_leases).where(_leases.c.task == task_id).order_by(_leases.c.created)
        with self._engine.connect() as connection:
            return [_lease(row) for row in connection.execute(chosen)]

    def _opened(self, connection: Connection, row: Any) -> OpenTask:
        order = decode(bytes(row.content), TaskOrder)
        game = built_in(order.task.game)
        known: Mapping[str, NetIdentity] = self._nets.identities(order.nets.values())
        task = OpenTask(
            id=row.id,
            number=row.number,
            order=order,
            game=game,
            series=series_of(order.job, game, order.task.purpose),
            nets={name: known[sha256] for name, sha256 in order.nets.items() if sha256 in known},
        )
        stored = sa.select(_games.c.index).where(_games.c.task == row.id)
        for index in chain(connection.execute(stored).scalars(), indices_of(order.done)):
            task.store(index)
        return task


def lease_row(lease: HeldLease) -> dict[str, Any]:
    """The row of a lease that is given now."""
    return {
        "id": lease.id,
        "task": lease.task,
        "token": lease.token,
        "worker": lease.worker,
        "machine": encode(lease.machine),
        "ranges": msgspec.msgpack.encode(lease.ranges),
        "created": time.time(),
    }


def _lease(row: Any) -> HeldLease:
    return HeldLease(
        id=row.id,
        task=row.task,
        token=row.token,
        worker=row.worker,
        machine=_MACHINE.decode(bytes(row.machine)),
        ranges=_RANGES.decode(bytes(row.ranges)),
        left=set(),
        is_active=False,
    )


def _state(connection: Connection, task_id: str) -> TaskState | None:
    row = connection.execute(sa.select(_tasks.c.games).where(_tasks.c.id == task_id)).first()
    if row is None:
        return None
    last = sa.select(sa.func.max(_games.c.sequence)).where(_games.c.task == task_id)
    return TaskState(games=row.games, finished=connection.execute(last).scalar() or 0)
