"""Plays a sample of the stored games again, in one process of low priority.

A game that was not played as its task says flags its token for a person; nothing is withdrawn.
"""

import contextlib
import multiprocessing
import os
import queue
import random
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

import msgspec

from rulezero.fleet.protocol import Machine, NetBundle, TaskOrder, decode, encode
from rulezero.fleet.server.forms import SampledStatus, Token
from rulezero.fleet.server.inspection import Unpacked
from rulezero.fleet.server.leases import OpenTask
from rulezero.fleet.server.limits import FIRST_GAMES, MOST_SAMPLED, SAMPLE_SHARE
from rulezero.fleet.server.log import log_error, log_event
from rulezero.fleet.server.metrics import Metrics
from rulezero.fleet.server.tokens import TokenTable
from rulezero.play.table import Finished

_LOWEST_PRIORITY = 19
_OUTCOMES = {"equal": "passed", "alike": "passed", "different": "failed"}


class Sample(msgspec.Struct, frozen=True):
    """A game that is to be played again."""

    order: bytes  # the TaskOrder
    game: bytes  # the Finished
    machine: Machine  # that its worker has, as it says


class Finding(msgspec.Struct, frozen=True):
    """What playing a game again has shown."""

    verdict: str
    reason: str


class _Waiting(NamedTuple):
    sample: Sample
    token: Token
    what: str  # which game it is, for people


class Sampling:
    """Chooses games at random, so that no one can foresee which, and plays them again.

    While many games wait, further ones are skipped and counted. Those that wait when the server
    ends are skipped, too.
    """

    def __init__(self, nets: Path, table: TokenTable, metrics: Metrics) -> None:
        self._nets = nets
        self._table = table
        self._metrics = metrics
        self._counts: Counter[str] = Counter()  # outcomes
        self._stored: Counter[str] = Counter()  # games by token
        self._random = random.SystemRandom()
        self._queue: queue.Queue[_Waiting | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="sampling", daemon=True)
        self._process: BaseProcess | None = None
        self._is_stopped = False

    def start(self, tokens: Iterable[Token]) -> None:
        """Begins; these tokens are known with their numbers of games."""
        self._stored.update({token.id: token.games for token in tokens})
        self._thread.start()

    def stop(self) -> None:
        """Ends it, in the middle of a game perhaps."""
        self._is_stopped = True
        self._queue.put(None)
        if self._process is not None:
            self._process.kill()
        self._thread.join()

    def offer(
        self, task: OpenTask, games: Iterable[Unpacked], token: Token, machine: Machine
    ) -> None:
        """Chooses among games that were stored now: the first ones of a token, then a share."""
        for game in games:
            self._stored[token.id] += 1
            is_new = self._stored[token.id] <= FIRST_GAMES
            if not is_new and self._random.random() >= SAMPLE_SHARE:
                continue
            if self._queue.qsize() >= MOST_SAMPLED:
                self._count("skipped")
                continue
            finished = Finished(record=game.record, note=game.note)
            sample = Sample(encode(task.order), msgspec.msgpack.encode(finished), machine)
            what = f"game {game.record.index} of the task {task.id}"
            self._queue.put(_Waiting(sample, token, what))

    def status(self) -> SampledStatus:
        """How many games were played again, and what came out."""
        return SampledStatus(
            waiting=self._queue.qsize(),
            passed=self._counts["passed"],
            failed=self._counts["failed"],
            undecided=self._counts["undecided"],
            skipped=self._counts["skipped"],
        )

    def _run(self) -> None:
        connection: Connection | None = None
        while (waiting := self._queue.get()) is not None and not self._is_stopped:
            try:
                if connection is None:
                    connection = self._begin()
                connection.send_bytes(msgspec.msgpack.encode(waiting.sample))
                finding = msgspec.msgpack.decode(connection.recv_bytes(), type=Finding)
            except (EOFError, OSError):
                if self._is_stopped:
                    break
                self._end(connection)
                connection = None
                finding = Finding("undecided", "the process that played it again has died")
            try:
                self._judge(waiting, finding)
            except Exception as error:  # of the database
                log_error("a token could not be flagged", error)
        self._end(connection)

    def _begin(self) -> Connection:
        """Starts the process. It ends by itself when this one is killed."""
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        self._process = multiprocessing.get_context("spawn").Process(
            target=play_samples, args=(theirs, self._nets), daemon=True
        )
        self._process.start()
        theirs.close()
        return ours

    def _end(self, connection: Connection | None) -> None:
        if connection is not None:
            connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _judge(self, waiting: _Waiting, finding: Finding) -> None:
        outcome = _OUTCOMES.get(finding.verdict, "undecided")
        self._count(outcome)
        if outcome != "passed":
            log_event(
                "sampled",
                outcome=outcome,
                token=waiting.token.name,
                token_id=waiting.token.id,
                game=waiting.what,
                reason=finding.reason,
            )
        if outcome == "failed" and not self._table.find(waiting.token.id).flag:
            reason = f"{waiting.what}: {finding.reason}".encode("ascii", "replace").decode()
            self._table.flag(waiting.token.id, reason[:1000])

    def _count(self, outcome: str) -> None:
        self._counts[outcome] += 1
        self._metrics.sampled.labels(outcome).inc()


def play_samples(connection: Connection, nets: Path) -> None:
    """Plays games that a server sends again until it closes the connection: a process's work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it
    if hasattr(os, "nice"):
        os.nice(_LOWEST_PRIORITY)
    with (
        contextlib.suppress(EOFError, OSError),
        tempfile.TemporaryDirectory(prefix="rulezero_sampled_") as cache,
    ):
        while True:
            sample = msgspec.msgpack.decode(connection.recv_bytes(), type=Sample)
            try:
                finding = find(sample, nets, Path(cache))
            except Exception as error:  # this process must go on, whatever the game is
                finding = Finding("undecided", f"{type(error).__name__}: {error}"[:500])
            connection.send_bytes(msgspec.msgpack.encode(finding))


def find(sample: Sample, nets: Path, cache: Path) -> Finding:
    """What playing a game again in this process shows."""
    from rulezero.fleet.again import play_again
    from rulezero.fleet.nets import unpack_net
    from rulezero.fleet.worker.worker import this_machine
    from rulezero.play.nets import NetStore

    order = decode(sample.order, TaskOrder)
    finished = msgspec.msgpack.decode(sample.game, type=Finished)
    copies = {
        name: unpack_net(decode((nets / sha256).read_bytes(), NetBundle).net, cache)
        for name, sha256 in order.nets.items()
    }
    is_same = sample.machine == this_machine()
    again = play_again(order.task, finished, NetStore(copies=copies), same_machine=is_same)
    return Finding(again.verdict, again.reason)
