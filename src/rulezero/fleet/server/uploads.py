"""Takes the games of an upload: reads, checks and stores them, or says why not."""

import asyncio
import time
from concurrent.futures import Executor
from typing import NamedTuple

from rulezero._core import RulezeroError
from rulezero.fleet.protocol import Receipt, Refusal, Upload
from rulezero.fleet.server.forms import Token
from rulezero.fleet.server.inspection import Opener, Unpacked, one_line, refusal, verify
from rulezero.fleet.server.leases import HeldLease, LeaseBook, OpenTask
from rulezero.fleet.server.log import log_event
from rulezero.fleet.server.metrics import Metrics
from rulezero.fleet.server.quarantine import Quarantine, Refused
from rulezero.fleet.server.sampling import Sampling
from rulezero.fleet.server.writer import Deposit, Outcome, Writer

_OTHER = "another game with this index is stored already"


class Checked(NamedTuple):
    """The games of an upload, by their numbers in it."""

    valid: dict[int, Unpacked]
    refused: dict[int, str]


class Uploads:
    """Checks in threads, stores by the writer, and marks games as stored in the book."""

    def __init__(
        self,
        book: LeaseBook,
        writer: Writer,
        quarantine: Quarantine,
        metrics: Metrics,
        threads: Executor,
        sampling: Sampling,
    ) -> None:
        self._book = book
        self._writer = writer
        self._quarantine = quarantine
        self._metrics = metrics
        self._threads = threads
        self._sampling = sampling

    async def take(self, upload: Upload, lease: HeldLease, task: OpenTask, token: Token) -> Receipt:
        """What became of each game. Those that are accepted or known survive a power cut."""
        loop = asyncio.get_running_loop()
        checked = await loop.run_in_executor(self._threads, check_games, upload, lease, task)
        numbers = list(checked.valid)
        games = [checked.valid[number] for number in numbers]
        outcomes = await self._writer.write(Deposit(task, token.id, games)) if games else []
        stored, refused = [], dict(checked.refused)
        for number, game, outcome in zip(numbers, games, outcomes, strict=True):
            self._book.store(self._book.tasks.get(task.id, task), game.record.index)
            if outcome is Outcome.OTHER:
                refused[number] = _OTHER
            elif outcome is Outcome.STORED:
                stored.append(game)
        known = len(games) - len(stored) - (len(refused) - len(checked.refused))
        self._metrics.stored(len(stored))
        self._metrics.games.labels("known").inc(known)
        self._sampling.offer(task, stored, token, lease.machine)
        if refused:
            self._metrics.refuse(len(refused))
            await loop.run_in_executor(
                self._threads, self._quarantine_all, upload, refused, task, token
            )
        return Receipt(
            accepted=len(stored),
            known=known,
            refused=[
                Refusal(number=number, reason=reason) for number, reason in sorted(refused.items())
            ],
        )

    def _quarantine_all(
        self, upload: Upload, refused: dict[int, str], task: OpenTask, token: Token
    ) -> None:
        for number, reason in refused.items():
            log_event(
                "refused",
                token=token.name,
                token_id=token.id,
                lease=upload.lease,
                task=task.id,
                number=number,
                reason=reason,
            )
            about = Refused(time.time(), token.name, upload.lease, task.id, number, reason)
            self._quarantine.add(about, upload.games[number])


def check_games(upload: Upload, lease: HeldLease, task: OpenTask) -> Checked:
    """Which games of an upload are games of the lease, and valid."""
    opener, opened, refused = Opener(), dict[int, Unpacked](), dict[int, str]()
    for number, packed in enumerate(upload.games):
        try:
            game = opener.open(packed)
            index = game.record.index
            if index < task.games and lease.has(index):
                reason = refusal(game, task.order, task.game, task.nets)
            else:
                reason = f"game {index} of the task was not leased to this token"
        except RulezeroError as error:
            reason = one_line(error)
        if reason:
            refused[number] = reason
        else:
            opened[number] = game
    faults = verify([*opened.values()], task.order.task, task.game)
    refused |= {number: fault for number, fault in zip(opened, faults, strict=True) if fault}
    valid = {number: game for number, game in opened.items() if number not in refused}
    return Checked(valid, refused)
