"""What a server does, apart from HTTP: it ties the parts of this folder together."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from rulezero.fleet.protocol import (
    Delivery,
    FleetError,
    Lease,
    LeaseAnswer,
    LeaseRequest,
    Receipt,
    Renewal,
    TaskOrder,
    TaskState,
    Upload,
)
from rulezero.fleet.server import database
from rulezero.fleet.server.bell import Bell
from rulezero.fleet.server.forms import Status, TaskStatus, Token, WorkerStatus
from rulezero.fleet.server.leases import HeldLease, LeaseBook, OpenTask, Quota
from rulezero.fleet.server.limits import (
    LEASE_SECONDS,
    MOST_ASSIGNING,
    MOST_OPEN_TASKS,
    MOST_WAITING,
)
from rulezero.fleet.server.log import log_error, log_event
from rulezero.fleet.server.metrics import Metrics
from rulezero.fleet.server.nets import NetFolder
from rulezero.fleet.server.quarantine import Quarantine
from rulezero.fleet.server.sampling import Sampling
from rulezero.fleet.server.shelf import Frames, Shelf
from rulezero.fleet.server.tasks import TaskTable, lease_row
from rulezero.fleet.server.tokens import TokenCache, TokenTable
from rulezero.fleet.server.uploads import Uploads
from rulezero.fleet.server.writer import Row, Writer
from rulezero.machine import cores
from rulezero.version import __version__

_SWEEP_SECONDS = 0.5
_MOST_LATE = 16  # finished tasks kept in memory for late uploads
_WAIT_SECONDS = 2.0  # a worker that finds no games asks again after this time


@dataclass(frozen=True)
class Place:
    """Where a server keeps its data, and how patient it is."""

    folder: Path
    database: str | None = None  # URL; None: SQLite in the folder
    lease_seconds: float = LEASE_SECONDS


class Service:
    """A running server."""

    def __init__(self, place: Place) -> None:
        self._threads = ThreadPoolExecutor(max(2, cores()), thread_name_prefix="check")
        self._engine = database.open_database(place.folder, place.database)
        self.metrics = Metrics()
        self.token_table = TokenTable(self._engine)
        self.tokens = TokenCache(self.token_table)
        self.nets = NetFolder(place.folder / "nets")
        self.news = Bell()  # new games to play
        self.arrivals = Bell()  # games to deliver
        self._records = place.folder / "records"
        self._table = TaskTable(self._engine, self.nets, Frames(self._records, self._engine))
        self._book = LeaseBook(place.lease_seconds)
        self._late: dict[str, OpenTask] = {}
        self._quarantine = Quarantine(place.folder / "quarantine")
        self._sampling = Sampling(place.folder / "nets", self.token_table, self.metrics)
        self._assigning = 0  # requests for games that wait for the writer
        self._begun = time.time()
        self._seen: dict[tuple[str, str], float] = {}  # workers by the id of their token and name

    async def start(self) -> None:
        """Takes up what an earlier server has left."""
        shelf = await asyncio.to_thread(Shelf, self._records, self._engine)
        self._writer = Writer(self._engine, shelf)
        self._uploads = Uploads(
            self._book, self._writer, self._quarantine, self.metrics, self._threads, self._sampling
        )
        await self.tokens.refresh()
        self._sampling.start(await asyncio.to_thread(self.token_table.all))
        for task in await asyncio.to_thread(self._table.unfinished):
            self._book.add(task)
            for lease in await asyncio.to_thread(self._table.leases, task.id):
                lease.is_active = True
                self._book.restore(lease)
        self._sweeper = asyncio.create_task(self._sweep())
        log_event("started", version=__version__, tasks=len(self._book.tasks))

    def wake(self) -> None:
        """Answers requests that wait, because the server is about to stop."""
        self.news.close()
        self.arrivals.close()

    async def stop(self) -> None:
        """Writes what is in work; leases stay valid."""
        self.wake()
        self._sweeper.cancel()
        await self._writer.close()
        await asyncio.to_thread(self._sampling.stop)
        self._threads.shutdown()
        self._engine.dispose()
        log_event("stopped", games=self._writer.games)

    async def lease(
        self,
        token: Token,
        asked: LeaseRequest,
        is_gone: Callable[[], Awaitable[bool]],  # whether the worker waits no more
    ) -> LeaseAnswer:
        """Games for a worker, once there are some."""
        if self._assigning >= MOST_ASSIGNING or self.news.waiting >= MOST_WAITING:
            raise FleetError("the server is busy with requests for games", 503)
        self._seen[token.id, asked.worker] = time.time()
        quota = Quota(token.id, asked.worker, asked.machine, asked.games)

        async def look() -> HeldLease | None:
            if self._assigning >= MOST_ASSIGNING or await is_gone():
                return None
            return self._book.assign(quota)

        lease = await self.news.wait_for(look, asked.wait)
        if lease is None:
            return LeaseAnswer(retry=_WAIT_SECONDS)
        self._assigning += 1
        try:
            await self._writer.write(Row(database.leases, lease_row(lease)))
        except BaseException:
            self._give_back(lease)
            raise
        finally:
            self._assigning -= 1
        if await is_gone():  # otherwise its games would wait for the end of the lease
            self._give_back(lease)
        task = self._book.tasks.get(lease.task)
        if task is None:
            return LeaseAnswer(retry=0)  # its last games came while this was written
        self.metrics.leased.inc(len(lease.left))
        return LeaseAnswer(
            lease=Lease(
                id=lease.id,
                task_id=task.id,
                task=task.order.task,
                nets=task.order.nets,
                games=lease.ranges,
                seconds=self._book.seconds,
            )
        )

    async def progress(self, token: Token, lease_id: str, steps: int) -> Renewal:
        """Renews a lease if its steps have grown."""
        lease = await self._find_lease(token, lease_id)
        self._seen[token.id, lease.worker] = time.time()
        is_wanted = self._book.progress(lease, steps)
        return Renewal(seconds=max(0.0, lease.until - time.monotonic()), is_wanted=is_wanted)

    async def release(self, token: Token, lease_id: str, reason: str = "") -> None:
        """Gives the games of a lease to others; the worker may say why."""
        lease = await self._find_lease(token, lease_id)
        self._give_back(lease)
        if reason:
            log_event("released", token=token.name, worker=lease.worker, reason=reason)

    async def upload(self, token: Token, upload: Upload) -> Receipt:
        """What became of each game of an upload."""
        lease = await self._find_lease(token, upload.lease)
        task = await self._find_task(lease.task)
        receipt = await self._uploads.take(upload, lease, task, token)
        if receipt.accepted:
            lease.until = time.monotonic() + self._book.seconds
            log_event(
                "stored",
                token=token.name,
                worker=lease.worker,
                task=task.id,
                games=receipt.accepted,
            )
        current = self._book.tasks.get(task.id)
        if current is not None and current.is_done:
            await self._end(task.id)
        self.arrivals.ring()
        return receipt

    async def add_task(self, order: TaskOrder) -> TaskState:
        """Offers the games of a task to workers."""
        before = self._book.tasks.get(order.id)
        if before is None and len(self._book.tasks) >= MOST_OPEN_TASKS:
            raise FleetError(
                f"the server has {MOST_OPEN_TASKS} open tasks: wait until some are done", 503
            )
        if before is None or before.order != order:
            task = await asyncio.to_thread(self._table.add, order)
            self._late.pop(task.id, None)
            if task.is_done:
                await self._end(task.id)
            else:
                self._book.replace(task)
            log_event("task", task=task.id, job=order.job, games=task.games, finished=task.stored)
            before = task
        self.news.ring()
        return TaskState(games=before.games, finished=before.stored)

    async def close_task(self, task_id: str) -> None:
        """No more games of a task are played."""
        if await asyncio.to_thread(self._table.state, task_id) is None:
            raise FleetError(f"there is no task {task_id}", 404)
        await self._end(task_id)
        log_event("closed", task=task_id)

    async def deliver(self, task_id: str, after: int, wait: float) -> Delivery:
        """Games of a task, once there are some."""

        async def look() -> Delivery | None:
            found = await asyncio.to_thread(self._table.delivery, task_id, after)
            if found is None:
                raise FleetError(f"there is no task {task_id}", 404)
            is_all = found.state.finished == found.state.games
            return found if found.games or is_all else None

        if self.arrivals.waiting >= MOST_WAITING:
            raise FleetError("the server is busy with requests for deliveries", 503)
        found = await self.arrivals.wait_for(look, wait)
        if found is None:
            state = await asyncio.to_thread(self._table.state, task_id)
            assert state is not None
            found = Delivery(games=[], next=after, state=state)
        return found

    async def check_health(self) -> None:
        """Raises an error if the database does not answer."""
        await asyncio.to_thread(self._ping)

    def status(self) -> Status:
        """What the server does, for people."""
        names = {token.id: token.name for token in self.tokens.known}
        active = self._book.active()
        held: dict[tuple[str, str], list[HeldLease]] = {}
        for lease in active:
            held.setdefault((lease.token, lease.worker), []).append(lease)
        workers = []
        for (token, worker), seen in sorted(self._seen.items()):
            mine = held.get((token, worker), [])
            workers.append(
                WorkerStatus(
                    name=worker,
                    token=names.get(token, token),
                    leases=len(mine),
                    games=sum(len(lease.left) for lease in mine),
                    seen=seen,
                )
            )
        return Status(
            version=__version__,
            time=time.time(),
            uptime=time.time() - self._begun,
            games=self._writer.games,
            games_per_second=self.metrics.games_per_second(),
            refused=self.metrics.refused,
            leases=len(active),
            workers=workers,
            tasks=[
                TaskStatus(
                    id=task.id,
                    job=task.order.job,
                    name=task.order.task.name,
                    game=task.order.task.game,
                    games=task.games,
                    finished=task.stored,
                    leased=len(task.holders),
                )
                for task in self._book.tasks.values()
            ],
            flags=[token for token in self.tokens.known if token.flag],
            sampled=self._sampling.status(),
        )

    def measure(self) -> bytes:
        """The server's metrics in Prometheus' format."""
        self.metrics.leases.set(len(self._book.active()))
        self.metrics.tasks.set(len(self._book.tasks))
        self.metrics.waiting.set(self.news.waiting + self.arrivals.waiting)
        self.metrics.groups.set(self._writer.groups)
        return self.metrics.text()

    async def _sweep(self) -> None:
        """Ends leases without progress, so that others get their games."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            try:
                await self.tokens.refresh()
            except sa.exc.SQLAlchemyError as error:
                log_error("the database does not answer", error)
            revoked = [token.id for token in self.tokens.known if token.revoked is not None]
            leases, games = self._book.expire(revoked)
            if leases:
                self.metrics.expired.inc(leases)
                log_event("expired", leases=leases, games=games)
                self.news.ring()
            long_ago = time.time() - 600
            self._seen = {worker: at for worker, at in self._seen.items() if at > long_ago}

    async def _find_lease(self, token: Token, lease_id: str) -> HeldLease:
        lease = self._book.leases.get(lease_id)
        if lease is None:
            lease = await asyncio.to_thread(self._table.lease, lease_id)
        if lease is None or lease.token != token.id:
            raise FleetError("this token has no such lease", 404)
        return lease

    async def _find_task(self, task_id: str) -> OpenTask:
        """A task, which may be finished or closed: some of its games come late or twice."""
        found = self._book.tasks.get(task_id) or self._late.get(task_id)
        if found is None:
            found = await asyncio.to_thread(self._table.find, task_id)
            if found is None:
                raise FleetError(f"there is no task {task_id}", 404)
            self._late[task_id] = found
            while len(self._late) > _MOST_LATE:
                self._late.pop(next(iter(self._late)))
        return found

    async def _end(self, task_id: str) -> None:
        """Offers no more games of a task."""
        self._book.forget(task_id)
        await asyncio.to_thread(self._table.set_closed, task_id, is_closed=True)

    def _give_back(self, lease: HeldLease) -> None:
        if self._book.release(lease):
            self.news.ring()

    def _ping(self) -> None:
        with self._engine.connect() as connection:
            connection.execute(sa.text("SELECT 1"))
