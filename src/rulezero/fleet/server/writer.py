"""The writer: one thread that stores what many requests bring, with one sync for all of them."""

import asyncio
import queue
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from rulezero.data.shard import compress
from rulezero.data.store import Note
from rulezero.fleet.server import database
from rulezero.fleet.server.inspection import Unpacked
from rulezero.fleet.server.leases import OpenTask
from rulezero.fleet.server.limits import GROUP_GAMES
from rulezero.fleet.server.log import log_error
from rulezero.fleet.server.shelf import Series, Shelf, Spot

_MOST_NAMED = 500  # indices in a query


class Outcome(Enum):
    """What became of a game."""

    STORED = "stored"
    KNOWN = "known"  # the same game was stored before
    OTHER = "other"  # another game with this index was stored before


@dataclass(frozen=True)
class Deposit:
    """Verified games of a task, to be stored."""

    task: OpenTask
    token: str  # its id
    games: Sequence[Unpacked]


@dataclass(frozen=True)
class Row:
    """A row of a table, to be inserted."""

    table: sa.Table
    values: dict[str, Any]


Order = Deposit | Row


class StoreError(Exception):
    """Raised when the disk or the database does not work; nothing was confirmed."""


class Writer:
    """Stores games and rows. What it has confirmed survives a power cut."""

    def __init__(self, engine: Engine, shelf: Shelf) -> None:
        self.groups = 0  # written
        self.games = 0  # stored
        self._engine = engine
        self._shelf = shelf
        self._queue: queue.SimpleQueue[tuple[Order, asyncio.Future[list[Outcome]]] | None] = (
            queue.SimpleQueue()
        )
        self._last: dict[str, int] = {}  # sequence numbers by task
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="writer")
        self._thread.start()

    async def write(self, order: Order) -> list[Outcome]:
        """What became of each game of a deposit; [] for a row. StoreError: it may not be there."""
        future: asyncio.Future[list[Outcome]] = self._loop.create_future()
        self._queue.put((order, future))
        return await future

    async def close(self) -> None:
        """Writes what is in the queue, and seals all shards."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        is_open = True
        while is_open:
            group, size = [], 0
            item = self._queue.get()
            while item is not None:
                group.append(item)
                size += len(item[0].games) if isinstance(item[0], Deposit) else 1
                if size >= GROUP_GAMES or self._queue.empty():
                    break
                item = self._queue.get()
            is_open = item is not None
            if group:
                self._write_group(group)
        self._shelf.close()

    def _write_group(self, group: list[tuple[Order, "asyncio.Future[list[Outcome]]"]]) -> None:
        found: list[list[Outcome]] | StoreError
        try:
            found = self._write([order for order, _ in group])
            self.groups += 1
        except Exception as error:  # the disk is full, or the database is away
            log_error("the writer could not store games", error)
            self._shelf.abandon()
            self._last.clear()
            found = StoreError(str(error))
        self._loop.call_soon_threadsafe(_answer, [future for _, future in group], found)

    def _write(self, orders: list[Order]) -> list[list[Outcome]]:
        deposits = [order for order in orders if isinstance(order, Deposit)]
        with self._engine.connect() as connection:
            known = _known(connection, deposits)
        outcomes: list[list[Outcome]] = []
        new: dict[tuple[str, int], tuple[Deposit, Unpacked]] = {}
        for order in orders:
            outcomes.append([])
            for game in order.games if isinstance(order, Deposit) else ():
                assert isinstance(order, Deposit)
                key = (order.task.id, game.record.index)
                if key not in known:
                    known[key] = game.content
                    new[key] = (order, game)
                    outcomes[-1].append(Outcome.STORED)
                else:
                    is_same = known[key] == game.content
                    outcomes[-1].append(Outcome.KNOWN if is_same else Outcome.OTHER)
        records, notes = self._append([*new.values()])
        with self._engine.begin() as connection:
            for order in orders:
                if isinstance(order, Row):
                    connection.execute(sa.insert(order.table), order.values)
            if new:
                self._insert(connection, [*new.values()], records, notes)
        self._shelf.confirm()
        self.games += len(new)
        return outcomes

    def _append(
        self, given: list[tuple[Deposit, Unpacked]]
    ) -> tuple[dict[int, Spot], dict[int, Spot]]:
        """Appends records and notes to their shards; their places, by their numbers in the list."""
        spots: dict[int, Spot] = {}
        noted: dict[int, Spot] = {}
        by_series: dict[Series, list[int]] = {}
        for number, (deposit, _) in enumerate(given):
            by_series.setdefault(deposit.task.series, []).append(number)
        for series, numbers in by_series.items():
            game = given[numbers[0]][0].task.game
            frames = [given[number][1].frame for number in numbers]
            spots.update(zip(numbers, self._shelf.append(series, frames, game), strict=True))
            judged = [number for number in numbers if given[number][1].note is not None]
            if judged:
                written = [_note(*given[number]) for number in judged]
                places = self._shelf.append(Series(series.job, "notes"), written, None)
                noted.update(zip(judged, places, strict=True))
        self._shelf.sync()
        return spots, noted

    def _insert(
        self,
        connection: Connection,
        given: list[tuple[Deposit, Unpacked]],
        records: dict[int, Spot],
        notes: dict[int, Spot],
    ) -> None:
        rows, now = [], time.time()
        for number, (deposit, game) in enumerate(given):
            task, note = deposit.task.id, notes.get(number)
            if task not in self._last:
                self._last[task] = _last_sequence(connection, task)
            self._last[task] += 1
            rows.append(
                {
                    "task": task,
                    "index": game.record.index,
                    "sequence": self._last[task],
                    "record": game.id,
                    "content": game.content,
                    "token": deposit.token,
                    "shard": records[number].shard,
                    "at": records[number].at,
                    "note_shard": None if note is None else note.shard,
                    "note_at": None if note is None else note.at,
                    "stored": now,
                }
            )
        connection.execute(sa.insert(database.games), rows)
        shards = database.shards
        for number, end in self._shelf.ends().items():
            connection.execute(sa.update(shards).where(shards.c.number == number).values(end=end))


def _answer(
    futures: "list[asyncio.Future[list[Outcome]]]", found: list[list[Outcome]] | StoreError
) -> None:
    for number, future in enumerate(futures):
        if future.done():  # the client has gone
            continue
        if isinstance(found, StoreError):
            future.set_exception(found)
        else:
            future.set_result(found[number])


def _known(connection: Connection, deposits: Iterable[Deposit]) -> dict[tuple[str, int], bytes]:
    """The digests of those games of the deposits that are stored."""
    wanted: dict[str, set[int]] = {}
    for deposit in deposits:
        wanted.setdefault(deposit.task.id, set()).update(
            game.record.index for game in deposit.games
        )
    games, found = database.games, {}
    for task, named in wanted.items():
        indices = sorted(named)
        for at in range(0, len(indices), _MOST_NAMED):
            some = indices[at : at + _MOST_NAMED]
            chosen = sa.select(games.c.index, games.c.content).where(
                games.c.task == task, games.c.index.in_(some)
            )
            for index, content in connection.execute(chosen):
                found[task, index] = bytes(content)
    return found


def _last_sequence(connection: Connection, task: str) -> int:
    games = database.games
    last = sa.select(sa.func.max(games.c.sequence)).where(games.c.task == task)
    return connection.execute(last).scalar() or 0


def _note(deposit: Deposit, game: Unpacked) -> bytes:
    assert game.note is not None
    note = Note(record=game.id, judge=deposit.task.order.task.judge or "", thoughts=game.note)
    return compress(msgspec.msgpack.encode(note))
