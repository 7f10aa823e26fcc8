"""Evaluates the positions of several threads together: one more thread runs the nets for them."""

import threading
import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from rulezero.play.evaluators import Evaluation, Evaluator
from rulezero.play.session import Request, evaluated

_USUAL_BATCH = 64  # positions, for evaluators that compute batches of any size
_BATCHES = 2  # one to be computed, and one that the threads prepare in the meantime
_GAMES = 4  # maximum number of games in play for each position of these batches
_ROUNDS = 8  # turns of all threads between two growths: new games first play their openings
_PATIENCE = 4.0  # an incomplete batch waits for the time of this many batches ...
_LEAST_PATIENCE = 0.02  # ... but at least for this many seconds


class Stopped(Exception):  # noqa: N818
    """Raised in a thread that asks for outputs when all threads are to end."""


@dataclass(eq=False)
class _Call:
    """The requests of a thread, which waits until all of them are answered."""

    open: int  # requests that are not answered
    done: threading.Event = field(default_factory=threading.Event)


@dataclass(eq=False)
class _Asked:
    """A request and the part of it that was answered."""

    request: Request
    call: _Call
    since: float = field(default_factory=time.monotonic)
    taken: int = 0  # rows that are in batches
    parts: list[Evaluation] = field(default_factory=list)

    @property
    def left(self) -> int:
        """The number of rows that are in no batch."""
        return len(self.request.planes) - self.taken

    @property
    def answer(self) -> Evaluation:
        if len(self.parts) == 1:
            return self.parts[0]
        return Evaluation(*(np.concatenate(arrays) for arrays in zip(*self.parts, strict=True)))


_Part = tuple[_Asked, int, int]  # its rows from the first number to the second


class SharedEvaluators:
    """Evaluators that several threads share. `run` computes the batches, in a thread of its own.

    A batch is computed when it is full, when all threads wait, or when it has waited for long. As
    long as batches are not full, `width` grows: the number of games that each thread should play.
    """

    def __init__(self, threads: int, width: int) -> None:
        self.width = width
        self.batches = 0  # computed so far
        self.rows = 0  # in them
        self._changed = threading.Condition()
        self._queues: dict[int, deque[_Asked]] = {}  # by the evaluators' id(); none is empty
        self._calls: set[_Call] = set()  # of the threads that wait
        self._threads = self._all_threads = threads  # those that may still ask, and all
        self._latest: dict[int, int] = {}  # rows that each thread asked for in this round
        self._thin_rounds = 0  # in a row, with too few rows
        self._seconds = 0.0  # for the last batch
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        """Whether all threads are to end."""
        return self._is_stopped

    def compute(self, requests: list[Request]) -> list[Evaluation]:
        """The outputs for the requests of a thread; raises Stopped if it is to end."""
        call = _Call(len(requests))
        asked = [_Asked(request, call) for request in requests]
        with self._changed:
            if self._is_stopped:
                raise Stopped
            if not requests:
                return []
            self._calls.add(call)
            for each in asked:
                self._queues.setdefault(id(each.request.evaluator), deque()).append(each)
            self._grow(requests)
            self._changed.notify()
        call.done.wait()
        if call.open:
            raise Stopped
        return [each.answer for each in asked]

    def leave(self) -> None:
        """Says that the calling thread will not ask again."""
        with self._changed:
            self._threads -= 1
            self._latest.pop(threading.get_ident(), None)
            self._changed.notify()

    def stop(self) -> None:
        """Ends `run` and the threads as soon as possible: what they wait for is not computed."""
        with self._changed:
            self._is_stopped = True
            for call in self._calls:
                call.done.set()
            self._changed.notify()

    def run(self) -> None:
        """Computes batches until `stop` is called; raises the errors of evaluators."""
        while parts := self._next_batch():
            begin = time.monotonic()
            planes = [asked.request.planes[first:end] for asked, first, end in parts]
            whole = planes[0] if len(planes) == 1 else np.concatenate(planes)
            answers = evaluated(parts[0][0].request._replace(planes=whole))
            self._seconds = time.monotonic() - begin
            self.batches += 1
            self.rows += len(whole)
            self._hand_out(parts, answers)

    def _next_batch(self) -> list[_Part]:
        """Waits for the rows of the next batch, which are of one evaluator; [] after `stop`."""
        with self._changed:
            while not self._is_stopped:
                patience = max(_LEAST_PATIENCE, _PATIENCE * self._seconds)
                late = time.monotonic() - patience
                everyone_waits = len(self._calls) >= self._threads
                ready = [
                    queue
                    for queue in self._queues.values()
                    if everyone_waits
                    or queue[0].since <= late
                    or sum(asked.left for asked in queue) >= _batch_of(queue[0].request.evaluator)
                ]
                if ready:
                    return self._take(min(ready, key=lambda queue: queue[0].since))
                oldest = min((queue[0].since for queue in self._queues.values()), default=None)
                self._changed.wait(None if oldest is None else oldest - late)
            return []

    def _take(self, queue: deque[_Asked]) -> list[_Part]:
        """Takes the rows of a batch out of a queue."""
        evaluator = queue[0].request.evaluator
        room = _batch_of(evaluator)
        parts: list[_Part] = []
        while queue and room > 0:
            asked, first = queue[0], queue[0].taken
            asked.taken += min(room, asked.left)
            room -= asked.taken - first
            parts.append((asked, first, asked.taken))
            if not asked.left:
                queue.popleft()
        if not queue:
            del self._queues[id(evaluator)]
        return parts

    def _hand_out(self, parts: list[_Part], answers: Evaluation) -> None:
        """Gives every thread its rows of the answers."""
        at = 0
        with self._changed:
            for asked, first, end in parts:
                rows = slice(at, at + end - first)
                asked.parts.append(Evaluation(*(array[rows] for array in answers)))
                at = rows.stop
                if end < len(asked.request.planes):
                    continue
                asked.call.open -= 1
                if not asked.call.open:
                    self._calls.discard(asked.call)
                    asked.call.done.set()

    def _grow(self, requests: list[Request]) -> None:
        """Raises the width if what the threads ask for does not fill the batches."""
        self._latest[threading.get_ident()] = sum(len(request.planes) for request in requests)
        if len(self._latest) < self._threads:
            return
        wanted = _BATCHES * max(_batch_of(request.evaluator) for request in requests)
        is_thin = sum(self._latest.values()) < wanted
        self._latest.clear()
        self._thin_rounds = self._thin_rounds + 1 if is_thin else 0
        most = _GAMES * wanted // self._all_threads
        if self._thin_rounds >= _ROUNDS and self.width < most:
            self.width = min(most, self.width + max(1, self.width // 2))
            self._thin_rounds = 0


def _batch_of(evaluator: Evaluator) -> int:
    """The number of positions that an evaluator should get at a time."""
    return getattr(evaluator, "batch", 0) or _USUAL_BATCH
