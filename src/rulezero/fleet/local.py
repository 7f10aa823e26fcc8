"""Plays tasks on this machine, in one process or in several."""

import contextlib
import math
import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

import msgspec

from rulezero._core import GameError
from rulezero.errors import RunError
from rulezero.fleet.choice import FleetKind, Orders, check_devices
from rulezero.fleet.threads import PlayingThreads
from rulezero.fleet.workers import Timeout as Timeout
from rulezero.fleet.workers import WorkerPool, Workload
from rulezero.games.load import packed
from rulezero.machine import check_workers, cores
from rulezero.play.evaluators import device_kind
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player, are_timed, read_player
from rulezero.play.table import Finished, Table
from rulezero.play.task import Task, check_task

_MOST_THREADS = 256


def uses_gpu(tasks: Sequence[Task]) -> bool:
    """Whether a net of the tasks would run on a device other than the CPU.

    Then threads of one process play by default: all their games can share one copy of the net and
    its batches, and a GPU needs larger batches than one worker process has. Otherwise worker
    processes play: each computes its own nets on its own core.
    """
    texts = {text for task in tasks for text in (task.a, task.b, task.judge) if text is not None}
    players = [read_player(text) for text in texts]
    return any(each.net is not None and device_kind(each.options) != "cpu" for each in players)


class LocalFleet:
    """Plays tasks in `workers` processes of this machine (0: one for each core).

    With `threads`, that number of threads of this process play instead, and one more runs the nets
    for all of them; None means `workers` threads if a net runs on a GPU (see `uses_gpu`), or else
    no threads.

    Each process or thread plays `width` games at the same time, a thread perhaps more, and caches
    `cache` positions of each net. None of these settings changes a record, unless a player has a
    time limit: then each process plays one game at a time, and threads cannot play. `players` are
    the tasks' players if they hold evaluators that a text cannot name; their games are played in
    this process.
    An error ends all games unless `timeout` is given, which needs worker processes because only
    those can be killed.
    """

    def __init__(
        self,
        nets: NetStore = PATHS,
        *,
        workers: int = 0,
        width: int = 64,
        cache: int = 1 << 16,
        players: tuple[Player, Player] | None = None,
        timeout: Timeout | None = None,
        threads: int | None = None,
    ) -> None:
        check_workers(workers)
        if width < 1 or cache < 0:
            raise GameError(
                f"width={width}, cache={cache}: a width is at least 1, and a cache at least 0"
            )
        if players is not None and any(each.evaluator is not None for each in players):
            if workers > 1:
                raise GameError(
                    f"workers={workers}: a player with an evaluator of its own plays in this"
                    " process; set workers=1"
                )
            workers = 1
        if threads is not None and not 0 <= threads <= _MOST_THREADS:
            raise GameError(f"threads={threads}: give 0 (worker processes) to {_MOST_THREADS}")
        if threads and timeout is not None:
            raise GameError(
                f"threads={threads}: games with a time limit need worker processes; set threads=0"
            )
        self._nets = nets
        self._workers = workers
        self._width = width
        self._cache = cache
        self._players = players
        self._timeout = timeout
        self._threads = threads

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """Yields the games of tasks as they finish, each with the number of its task.

        `done` has, for each task, the indices of games that are not played. A worker that dies is
        replaced, and its games are played again.
        """
        games = [check_task(task) for task in tasks]
        left = [
            [index for index in range(task.games) if not done or index not in done[number]]
            for number, task in enumerate(tasks)
        ]
        total = sum(map(len, left))
        queue = [(number, index) for number, indices in enumerate(left) for index in indices]
        is_timed = are_timed(
            (
                *(self._players or ()),
                *(text for each in tasks for text in (each.a, each.b, each.judge)),
            )
        )
        if threads := self._threads_for(tasks, is_timed):
            yield from PlayingThreads(
                tasks,
                games,
                queue,
                threads=threads,
                nets=self._nets,
                width=self._width,
                cache=self._cache,
                players=self._players,
            ).play()
            return
        workers = min(self._workers or cores(), total)
        if workers > 1 or (workers == 1 and self._timeout is not None):
            share = -(-total // workers)  # more games in one worker would leave other workers idle
            workload = Workload(
                tasks=[msgspec.msgpack.encode(task) for task in tasks],
                games=packed(task.game for task in tasks),
                nets=self._nets,
                width=1 if is_timed else min(self._width, share),
                cache=self._cache,
                seconds=math.inf if self._timeout is None else self._timeout.seconds,
            )
            yield from WorkerPool(workload, queue, self._timeout).play(workers)
            return
        for number, task in enumerate(tasks):
            if left[number]:
                table = Table(
                    task,
                    games[number],
                    nets=self._nets,
                    width=self._width,
                    cache=self._cache,
                    players=self._players,
                )
                for finished in table.play(iter(left[number])):
                    assert isinstance(finished, Finished)
                    yield number, finished

    def _threads_for(self, tasks: Sequence[Task], is_timed: bool) -> int:
        """The number of threads that play; 0: worker processes, or this thread, do."""
        if self._threads and is_timed:
            raise GameError(
                f"threads={self._threads}: players with time= need worker processes, as threads"
                " would take each other's time; set threads=0"
            )
        if is_timed:
            return 0
        if self._threads is not None:
            return self._threads
        if self._timeout is not None or not uses_gpu(tasks):
            return 0
        return self._workers or cores()


def run(
    task: Task,
    *,
    workers: int = 1,
    width: int = 64,
    cache: int = 1 << 16,
    players: tuple[Player, Player] | None = None,
    threads: int | None = None,
) -> Iterator[Finished]:
    """Yields the games of one task as they finish; `workers`, `threads` are as in LocalFleet."""
    fleet = LocalFleet(workers=workers, width=width, cache=cache, players=players, threads=threads)
    with contextlib.closing(fleet.run([task])) as playing:
        for _, finished in playing:
            yield finished


def _open(orders: Orders, keys: Mapping[str, str]) -> AbstractContextManager[LocalFleet]:
    text = keys.get("threads")
    if text is not None and not re.fullmatch("[0-9]{1,9}", text):
        raise RunError(f"fleet: threads={text}: give a whole number from 0 to {_MOST_THREADS}")
    threads = None if text is None else int(text)
    if threads and orders.workers:
        raise RunError(
            f"workers={orders.workers}: with threads={threads}, threads of one process play; leave"
            " one of the two numbers out"
        )
    check_devices(orders.tasks)
    fleet = LocalFleet(orders.nets, workers=orders.workers, width=orders.width, threads=threads)
    return contextlib.nullcontext(fleet)


KIND = FleetKind(
    open=_open,
    keys={
        "threads": "number of threads of one process that play, sharing each net (0: worker"
        " processes; default: as many as workers if a net runs on a GPU, else 0)"
    },
)
