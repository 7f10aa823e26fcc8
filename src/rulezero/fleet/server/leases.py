"""Which games of which tasks are free, leased or stored. Only the event loop uses this."""

import math
import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from rulezero._core import Game
from rulezero.fleet.protocol import Machine, TaskOrder
from rulezero.fleet.server.inspection import NetIdentity
from rulezero.fleet.server.limits import MOST_LEASED
from rulezero.fleet.server.shelf import Series

_FREE, _LEASED, _STORED = 0, 1, 2
_SHARE = 2  # a worker gets this part of its equal share, so that all finish at the same time

Ranges = list[tuple[int, int]]  # first index, number


@dataclass
class OpenTask:
    """A task, and the state of each of its games."""

    id: str
    number: int  # the order in which tasks came
    order: TaskOrder
    game: Game
    series: Series
    nets: dict[str, NetIdentity]  # by the names in the task's players
    stored: int = 0  # games
    states: bytearray = field(init=False)
    holders: dict[int, str] = field(default_factory=dict)  # leases by the games they have
    _first_free: int = 0  # none before it is free

    def __post_init__(self) -> None:
        """All games are free."""
        self.states = bytearray(self.order.task.games)

    @property
    def games(self) -> int:
        """The number of its games."""
        return len(self.states)

    @property
    def is_done(self) -> bool:
        """Whether all of its games are stored."""
        return self.stored == self.games

    @property
    def free(self) -> int:
        """The number of games that are neither leased nor stored."""
        return self.games - self.stored - len(self.holders)

    def is_stored(self, index: int) -> bool:
        """Whether a game is stored."""
        return self.states[index] == _STORED

    def take(self, lease: str, most: int) -> list[int]:
        """Gives free games to a lease, the first ones first."""
        taken: list[int] = []
        at = self.states.find(_FREE, self._first_free)
        while at >= 0 and len(taken) < most:
            taken.append(at)
            self.hold(lease, at)
            at = self.states.find(_FREE, at + 1)
        self._first_free = self.games if at < 0 else at
        return taken

    def hold(self, lease: str, index: int) -> None:
        """Gives a game that is not stored to a lease."""
        self.states[index] = _LEASED
        self.holders[index] = lease

    def release(self, lease: str, index: int) -> bool:
        """Makes a game free if this lease has it; returns whether it did."""
        if self.holders.get(index) != lease:
            return False
        del self.holders[index]
        self.states[index] = _FREE
        self._first_free = min(self._first_free, index)
        return True

    def retake(self, lease: str, index: int) -> bool:
        """Gives a game back to a lease if no other has it; returns whether the lease has it now."""
        if self.states[index] == _FREE:
            self.hold(lease, index)
        return self.holders.get(index) == lease

    def store(self, index: int) -> str | None:
        """Marks a game as stored; returns the lease that had it."""
        if self.states[index] != _STORED:
            self.states[index] = _STORED
            self.stored += 1
        return self.holders.pop(index, None)


@dataclass
class HeldLease:
    """A lease that a worker has, or had."""

    id: str
    task: str
    token: str  # its id
    worker: str
    machine: Machine
    ranges: Ranges
    left: set[int]  # its games that are not stored
    until: float = 0.0  # on the clock of time.monotonic
    steps: int = 0
    is_active: bool = True  # False: it has expired, or was given back

    def has(self, index: int) -> bool:
        """Whether a game was leased."""
        return any(first <= index < first + number for first, number in self.ranges)


class Quota(NamedTuple):
    """What a worker asks for."""

    token: str
    worker: str
    machine: Machine
    games: int


class LeaseBook:
    """The open tasks, oldest first, and the leases of their games."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds  # without progress, a lease ends
        self.tasks: dict[str, OpenTask] = {}
        self.leases: dict[str, HeldLease] = {}

    def add(self, task: OpenTask) -> None:
        """Offers the games of a task."""
        self.tasks[task.id] = task
        self.tasks = dict(sorted(self.tasks.items(), key=lambda item: item[1].number))

    def replace(self, task: OpenTask) -> None:
        """Offers the games of a task in the state that the database has; leases stay."""
        held = [lease for lease in self.leases.values() if lease.task == task.id]
        self.add(task)
        for lease in held:
            lease.left = {index for index in lease.left if not task.is_stored(index)}
            for index in lease.left if lease.is_active else ():
                task.hold(lease.id, index)

    def forget(self, task_id: str) -> None:
        """Removes a task and its leases."""
        self.tasks.pop(task_id, None)
        for lease in [lease for lease in self.leases.values() if lease.task == task_id]:
            del self.leases[lease.id]

    def assign(self, asked: Quota) -> HeldLease | None:
        """Leases games of the oldest task that has some; None if there are none.

        A worker gets half of its equal share of what is free, and at most what it asks for, so that
        slices shrink towards the end of a task.
        """
        held = sum(len(lease.left) for lease in self._active() if lease.token == asked.token)
        most = min(asked.games, MOST_LEASED - held)
        task = next((task for task in self.tasks.values() if task.free), None)
        if task is None or most < 1:
            return None
        workers = {(lease.token, lease.worker) for lease in self._active()}
        share = math.ceil(task.free / (_SHARE * len(workers | {(asked.token, asked.worker)})))
        key = secrets.token_hex(16)
        indices = task.take(key, min(most, share))
        lease = HeldLease(
            key, task.id, asked.token, asked.worker, asked.machine, ranges_of(indices), set(indices)
        )
        lease.until = time.monotonic() + self.seconds
        self.leases[key] = lease
        return lease

    def restore(self, lease: HeldLease) -> None:
        """Takes a lease of before the server's start up again, as if it were new."""
        task = self.tasks[lease.task]
        lease.left = {index for index in indices_of(lease.ranges) if not task.is_stored(index)}
        for index in lease.left:
            task.hold(lease.id, index)
        lease.until = time.monotonic() + self.seconds
        self.leases[lease.id] = lease

    def progress(self, lease: HeldLease, steps: int) -> bool:
        """Renews a lease if its steps have grown; returns whether its games are still wanted."""
        task = self.tasks.get(lease.task)
        if task is None:
            return False
        if steps > lease.steps:
            lease.steps = steps
            lease.until = time.monotonic() + self.seconds
            if not lease.is_active:  # it was slow, but perhaps no one else has its games
                retaken = [task.retake(lease.id, index) for index in lease.left]
                lease.is_active = any(retaken)
        return any(task.holders.get(index) == lease.id for index in lease.left)

    def store(self, task: OpenTask, index: int) -> None:
        """Marks a game as stored."""
        holder = self.leases.get(task.store(index) or "")
        if holder is not None:
            holder.left.discard(index)
            if not holder.left:  # the database knows it, if something of it comes again
                del self.leases[holder.id]

    def release(self, lease: HeldLease) -> int:
        """Gives the games of a lease to others; returns their number."""
        lease.is_active = False
        task = self.tasks.get(lease.task)
        return 0 if task is None else sum(task.release(lease.id, index) for index in lease.left)

    def expire(self, revoked: Iterable[str] = ()) -> tuple[int, int]:
        """Ends leases without progress or of revoked tokens: how many, and of how many games."""
        now, gone = time.monotonic(), set(revoked)
        late = [each for each in self._active() if each.until < now or each.token in gone]
        return len(late), sum(self.release(lease) for lease in late)

    def active(self) -> list[HeldLease]:
        """The leases with games that are still to come."""
        return [*self._active()]

    def _active(self) -> Iterator[HeldLease]:
        return (lease for lease in self.leases.values() if lease.is_active and lease.left)


def ranges_of(indices: list[int]) -> Ranges:
    """Ascending indices as ranges."""
    if not indices:
        return []
    gaps = [at for at, (one, two) in enumerate(pairwise(indices), 1) if two != one + 1]
    edges = [0, *gaps, len(indices)]
    return [(indices[begin], end - begin) for begin, end in pairwise(edges)]


def indices_of(ranges: Ranges) -> Iterator[int]:
    """The indices in ranges."""
    for first, number in ranges:
        yield from range(first, first + number)
