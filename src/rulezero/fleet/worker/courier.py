"""Delivers a worker's finished games to its server, and reports the progress of its leases."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rulezero.fleet.client import FATAL, Client, is_temporary, pause_before
from rulezero.fleet.playing import Playing
from rulezero.fleet.protocol import (
    FleetError,
    Lease,
    ProgressReport,
    Receipt,
    Upload,
    encode,
    pack,
)
from rulezero.fleet.worker.spool import Spool
from rulezero.play.table import Finished

_MOST_UPLOADED = 64  # games in an upload
_LONGEST_WAIT = 2.0  # seconds that a finished game waits for others
_REPORTS = 4  # of progress, in the time after which a lease ends
_MOST_DRAINED = 16  # uploads of the spool between two reports of progress
_LEAVE_SECONDS = 3.0  # for the last uploads of a worker that ends
_MOST_REFUSALS = 3  # reasons of one upload that are reported


@dataclass
class Held:
    """A lease, and what became of its games."""

    lease: Lease
    left: set[int]  # indices of games that are not finished
    reported: float  # when the server last knew about its progress
    finished: list[Finished] = field(default_factory=list)  # that the server does not have
    since: float = 0.0  # when the first of them was finished
    is_over: bool = False  # the server does not want more of its games

    @property
    def report_at(self) -> float:
        """When the next report of progress is due."""
        return self.reported + self.lease.seconds / _REPORTS


class Courier:
    """The leases of a worker process, and the games of them that the server does not have yet.

    `tell` gets lines for people. Uploads keep their order: while older ones wait in the spool, new
    ones are put behind them.
    """

    def __init__(
        self, client: Client, spool: Spool, playing: Playing, tell: Callable[[str], None]
    ) -> None:
        self._client = client
        self._spool = spool
        self._playing = playing
        self._tell = tell
        self._changed = threading.Condition()  # guards the next three
        self._held: dict[str, Held] = {}
        self._owners: dict[tuple[str, int], str] = {}  # leases by task and index of their games
        self._steps = 0
        self._seen = -1  # the last steps of Playing
        self._away_until = 0.0  # the server was away; it is not asked before this time
        self._tries = 0  # in a row that failed
        self._reason = ""  # why the worker ends

    @property
    def unfinished(self) -> int:
        """The number of games that are leased and not finished."""
        with self._changed:
            return len(self._owners)

    @property
    def leases(self) -> list[str]:
        """The ids of its leases."""
        with self._changed:
            return [*self._held]

    @property
    def waiting(self) -> int:
        """The number of finished games, or uploads of the spool, that the server does not have."""
        with self._changed:
            return sum(len(held.finished) for held in self._held.values()) + len(self._spool)

    def hold(self, lease: Lease, indices: Sequence[int]) -> list[int]:
        """Takes note of a lease; returns the games that are not in play already."""
        with self._changed:
            self._held[lease.id] = Held(lease, set(indices), time.monotonic())
            new = []
            for index in indices:
                before = self._owners.get((lease.task_id, index))
                if before is None:
                    new.append(index)
                elif before in self._held:
                    self._held[before].left.discard(index)  # an earlier lease of it has ended
                self._owners[lease.task_id, index] = lease.id
            return new

    def add(self, task_id: str, finished: Finished) -> None:
        """Takes a finished game."""
        with self._changed:
            held = self._held[self._owners.pop((task_id, finished.record.index))]
            held.left.discard(finished.record.index)
            if not held.finished:
                held.since = time.monotonic()
            held.finished.append(finished)
            if self._is_due(held):
                self._changed.notify_all()

    def work(self, seconds: float) -> None:
        """Uploads and reports what is due, or waits for it for this time."""
        with self._changed:
            self._changed.wait_for(lambda: any(map(self._is_due, self._each())), seconds)
            if self._playing.steps != self._seen:
                self._seen = self._playing.steps
                self._steps += 1
        for held in self._each():
            if self._is_due(held):
                self._deliver(held)
        for _ in range(_MOST_DRAINED):
            if not self._drain():
                break
        for held in self._each():
            if time.monotonic() >= max(held.report_at, self._away_until):
                self._report(held)
            self._forget(held)

    def release(self, lease: str, reason: str = "") -> None:
        """Gives a lease back, if the server can be reached."""
        with contextlib.suppress(FleetError):
            self._client.release(lease, reason)

    def leave(self, reason: str) -> None:
        """Says why the worker ends, for the leases that it gives back."""
        self._reason = reason

    def finish(self) -> None:
        """Uploads what is finished, or puts it into the spool, and gives the leases back."""
        until = time.monotonic() + _LEAVE_SECONDS
        for held in self._each():
            while held.finished:
                with contextlib.suppress(FleetError):  # they are in the spool now
                    self._deliver(held, is_last=True)
        with contextlib.suppress(FleetError):
            while self._is_reachable(until) and self._drain(is_last=True):
                pass
        for held in self._each():
            if held.left and self._is_reachable(until):
                self.release(held.lease.id, self._reason)
        self._spool.close()

    def _is_due(self, held: Held) -> bool:
        """Whether finished games of a lease should be uploaded now.

        They wait for others, unless no game is left that the worker could finish: then a trainer
        may wait for these.
        """
        if not held.finished:
            return False
        is_last = not self._owners
        is_late = time.monotonic() - held.since >= _LONGEST_WAIT
        return is_last or is_late or len(held.finished) >= _MOST_UPLOADED

    def _is_reachable(self, until: float) -> bool:
        return self._away_until == 0 and time.monotonic() < until

    def _each(self) -> list[Held]:
        with self._changed:
            return [*self._held.values()]

    # --- uploads ---------------------------------------------------------------------------------

    def _deliver(self, held: Held, *, is_last: bool = False) -> None:
        """Uploads finished games of a lease, behind those of the spool."""
        with self._changed:
            batch = held.finished[:_MOST_UPLOADED]
            del held.finished[:_MOST_UPLOADED]
            held.since = time.monotonic()
        upload = encode(Upload(lease=held.lease.id, games=[pack(finished) for finished in batch]))
        is_sent = False
        try:
            is_sent = len(self._spool) == 0 and self._send(upload, is_last)
        finally:
            if not is_sent and not self._spool.add(upload):
                self._tell(f"the spool is full: {len(batch)} finished games are left out")

    def _drain(self, *, is_last: bool = False) -> bool:
        """Uploads the oldest games of the spool; returns whether there were any."""
        upload = self._spool.first()
        if upload is None or not self._send(upload, is_last):
            return False
        self._spool.remove_first()
        return True

    def _send(self, upload: bytes, is_last: bool) -> bool:
        """Whether the server has decided about an upload; False: it must be sent again."""
        if time.monotonic() < self._away_until:
            return False
        try:
            receipt = self._client.upload(upload, quickly=is_last)
        except FleetError as error:
            if self._is_away(error):
                return False
            self._tell(f"finished games were not taken: {error}")
        else:
            self._say_refusals(receipt)
        self._away_until, self._tries = 0.0, 0
        return True

    def _is_away(self, error: FleetError) -> bool:
        """Whether the server cannot answer for the moment; it is then left alone for a while.

        Raises the error if a worker with another token or version must deliver the games.
        """
        if error.status in FATAL:
            raise error
        if not is_temporary(error.status):
            return False
        self._away_until = time.monotonic() + pause_before(self._tries, error.pause)
        self._tries += 1
        return True

    def _say_refusals(self, receipt: Receipt) -> None:
        for refusal in receipt.refused[:_MOST_REFUSALS]:
            self._tell(f"the server refused a game: {refusal.reason[:300]}")

    # --- leases ----------------------------------------------------------------------------------

    def _report(self, held: Held) -> None:
        """Reports progress, and drops games that are not wanted any more."""
        try:
            renewal = self._client.progress(held.lease.id, ProgressReport(steps=self._steps))
            held.reported = time.monotonic()
            is_wanted = renewal.is_wanted
        except FleetError as error:
            if self._is_away(error):
                return
            is_wanted = False  # the lease has ended: others have its games
        if not is_wanted:
            self._drop(held)

    def _drop(self, held: Held) -> None:
        """Leaves out the games of a lease that have not begun."""
        task_id = held.lease.task_id
        with self._changed:
            mine = {at for at in held.left if self._owners.get((task_id, at)) == held.lease.id}
        dropped = self._playing.drop(task_id, mine)
        with self._changed:
            for index in dropped:
                held.left.discard(index)
                self._owners.pop((task_id, index), None)
            held.is_over = True
            held.reported = math.inf

    def _forget(self, held: Held) -> None:
        """Forgets a lease whose games the server has, or the spool."""
        with self._changed:
            if not held.left and not held.finished:
                self._held.pop(held.lease.id, None)
