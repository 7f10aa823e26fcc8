"""Search processes of the page's server, and the queue before them.

Searches never run in the server's own process. The owner comes first; among the others, the address
with the fewest searches running, choices in games of people before analyses, and these before games
without a person; then the address, and the visitor there, whose last search is longest ago. A
search whose visitor has left is stopped.
"""

import asyncio
import contextlib
import itertools
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import msgspec

from rulezero.processes import start
from rulezero.web.clients import Client
from rulezero.web.limits import MOST_WAITING
from rulezero.web.play.searching import Answer, Order, StopOrder, search_for_server

BUSY = "too many visitors are searching: try again in a minute"
_MOST_SERVED = 10_000  # visitors whose last search is remembered
_GRACE_SECONDS = 10.0  # after the time of a search: then its process hangs, and is replaced
_ANSWERS = msgspec.msgpack.Decoder(Answer)


class Ticket:
    """A search that waits or runs; its answers arrive in `answers`."""

    def __init__(self, order: Order, visitor: str, client: Client, *, is_alone: bool) -> None:
        self.order = order
        self.visitor = visitor
        self.client = client
        self.is_alone = is_alone  # for a game without a person
        self.answers: asyncio.Queue[Answer] = asyncio.Queue()
        self.is_over = False
        self.deadline = 0.0
        self.process: _Process | None = None  # that searches
        self.tries = 0

    @property
    def kind(self) -> int:
        """Smaller ones come first."""
        return 2 if self.is_alone else int(self.order.kind != "choose")


class _Process:
    """A search process."""

    def __init__(self, loop: asyncio.AbstractEventLoop, thinker: "Thinker") -> None:
        ours, theirs = Pipe()
        self.connection: Connection[Any, Any] = ours
        self.process: BaseProcess = start(search_for_server, theirs)
        theirs.close()
        self.ticket: Ticket | None = None
        self._loop, self._thinker = loop, thinker
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: Order | StopOrder) -> None:
        """Sends a message, unless the process has ended."""
        with contextlib.suppress(OSError):
            self.connection.send_bytes(msgspec.msgpack.encode(message))

    def kill(self) -> None:
        """Ends the process."""
        self.process.kill()

    def _listen(self) -> None:
        try:
            while True:
                answer = _ANSWERS.decode(self.connection.recv_bytes())
                self._loop.call_soon_threadsafe(self._thinker.take, self, answer)
        except (EOFError, OSError):
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._thinker.lost, self)


class Thinker:
    """The search processes and their queue."""

    def __init__(self, processes: int) -> None:
        self._wanted = processes
        self._processes: list[_Process] = []
        self._waiting: list[Ticket] = []
        self._numbers = itertools.count(1)
        self._served: dict[str, int] = {}  # the number of a visitor's newest search that has begun
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False

    async def start(self) -> None:
        """Starts the processes."""
        loop = asyncio.get_running_loop()
        for _ in range(self._wanted):
            self._processes.append(await asyncio.to_thread(_Process, loop, self))
        self._watch = asyncio.create_task(self._replace_hanging())

    def close(self) -> None:
        """Ends all processes and searches."""
        self._is_closed = True
        if self._watch is not None:
            self._watch.cancel()
        for process in self._processes:
            process.kill()

    @property
    def waiting(self) -> int:
        """The number of searches that wait for a process."""
        return len(self._waiting)

    def submit(
        self, order: Order, visitor: str, client: Client, *, is_alone: bool = False
    ) -> Ticket:
        """Queues a search. asyncio.QueueFull if too many wait already.

        A full queue drops a search of the address that has most of them in it.
        """
        if not client.is_owner:
            self._make_room(client)
        numbered = msgspec.structs.replace(order, number=next(self._numbers))
        ticket = Ticket(numbered, visitor, client, is_alone=is_alone)
        self._waiting.append(ticket)
        self._assign()
        return ticket

    def _make_room(self, client: Client) -> None:
        strangers = [each for each in self._waiting if not each.client.is_owner]
        if len(strangers) < MOST_WAITING:
            return
        counts = Counter(each.client for each in strangers)
        ((greediest, most),) = counts.most_common(1)
        if counts[client] + 1 >= most:
            raise asyncio.QueueFull
        last = max(
            (each for each in strangers if each.client is greediest),
            key=lambda each: (each.kind, each.order.number),
        )
        self._waiting.remove(last)
        last.is_over = True
        last.answers.put_nowait(Answer(number=last.order.number, is_last=True, error=BUSY))

    async def answers(self, ticket: Ticket) -> AsyncGenerator[Answer, None]:
        """The answers of a search; closing the iterator stops it."""
        try:
            while True:
                answer = await ticket.answers.get()
                yield answer
                if answer.is_last:
                    return
        finally:
            self.stop(ticket)

    def hurry(self, ticket: Ticket) -> None:
        """Lets a search answer with what it knows, at once or as soon as it is its turn."""
        if ticket in self._waiting:
            ticket.order = msgspec.structs.replace(ticket.order, seconds=0.0)
        elif not ticket.is_over and ticket.process is not None:
            ticket.process.send(StopOrder(ticket.order.number))

    def stop(self, ticket: Ticket) -> None:
        """Ends a search whose answers are no longer wanted."""
        if ticket in self._waiting:
            self._waiting.remove(ticket)
            ticket.is_over = True
        if not ticket.is_over and ticket.process is not None:
            ticket.process.send(StopOrder(ticket.order.number))

    def take(self, process: _Process, answer: Answer) -> None:
        """Passes an answer on to the one who asked."""
        ticket = process.ticket
        if ticket is None or ticket.order.number != answer.number:
            return
        ticket.answers.put_nowait(answer)
        if answer.is_last:
            ticket.is_over = True
            process.ticket = None
            self._assign()

    def lost(self, process: _Process) -> None:
        """Replaces a process that has ended; its search is tried once more."""
        if self._is_closed or process not in self._processes:
            return
        self._processes.remove(process)
        if (ticket := process.ticket) is not None:
            ticket.tries += 1
            ticket.process = None
            if ticket.tries < 2:
                self._waiting.insert(0, ticket)
            else:
                ticket.is_over = True
                words = "the search process ended twice: choose another opponent"
                ticket.answers.put_nowait(
                    Answer(number=ticket.order.number, is_last=True, error=words)
                )
        asyncio.get_running_loop().create_task(self._add())

    async def _add(self) -> None:
        loop = asyncio.get_running_loop()
        self._processes.append(await asyncio.to_thread(_Process, loop, self))
        self._assign()

    def _assign(self) -> None:
        for process in self._processes:
            if not self._waiting:
                return
            if process.ticket is None:
                ticket = min(self._waiting, key=self._rank)
                self._waiting.remove(ticket)
                process.ticket, ticket.process = ticket, process
                self._note(ticket)
                ticket.deadline = time.monotonic() + ticket.order.seconds + _GRACE_SECONDS
                process.send(ticket.order)

    def _note(self, ticket: Ticket) -> None:
        """Remembers whose search has begun."""
        if len(self._served) >= _MOST_SERVED:
            self._served.clear()
        self._served[ticket.visitor] = ticket.client.served = next(self._numbers)

    def _rank(self, ticket: Ticket) -> tuple[bool, int, int, int, int, int]:
        """The place of a search in the queue; smaller ones come first."""
        running = [each.ticket for each in self._processes if each.ticket is not None]
        return (
            not ticket.client.is_owner,
            sum(each.client is ticket.client for each in running),
            ticket.kind,
            ticket.client.served,
            self._served.get(ticket.visitor, 0),
            ticket.order.number,
        )

    async def _replace_hanging(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            for process in self._processes:
                if process.ticket is not None and now > process.ticket.deadline:
                    process.kill()
