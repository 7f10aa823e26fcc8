"""Tasks in, records out: in this process or in several."""

import contextlib
import os
from collections.abc import Collection, Generator, Sequence
from pathlib import Path

from rulezero._core import GameError
from rulezero.fleet.workers import Job, Timeout, WorkerPool
from rulezero.play.players import Player
from rulezero.play.table import Finished, Table
from rulezero.play.task import Task, check_task

_MOST_WORKERS = 1024


def run(
    task: Task,
    *,
    workers: int = 1,
    width: int = 64,
    cache: int = 1 << 16,
    players: tuple[Player, Player] | None = None,
) -> Generator[Finished, None, None]:
    """The games of a task as they finish.

    `workers` processes share them (0: one for each core); `width` games each are played in step;
    `cache` positions of a net are remembered. None of these changes a record. `players` are
    the task's own where they hold evaluators that no text can name: those play in this
    process.
    """
    if players is not None and any(each.evaluator is not None for each in players):
        if workers > 1:
            raise GameError("a player with an evaluator of its own plays in one process: workers=1")
        workers = 1
    playing = run_all([task], workers=workers, width=width, cache=cache, players=players)
    with contextlib.closing(playing):
        for _, finished in playing:
            yield finished


def run_all(
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    width: int = 64,
    cache: int = 1 << 16,
    players: tuple[Player, Player] | None = None,
    nets: Path | None = None,
    done: Sequence[Collection[int]] = (),
    timeout: Timeout | None = None,
) -> Generator[tuple[int, Finished], None, None]:
    """The games of tasks as they finish, each with the number of its task.

    A worker that finds nothing left of a task goes on with the next. Nets are looked for in the
    folder `nets` first. Games whose numbers are `done`, task by task, are not played. An error ends
    everything, unless there is a timeout, which always needs other processes, which can be killed.
    """
    check_workers(workers)
    if width < 1 or cache < 0:
        raise GameError("a width is at least 1, a cache at least 0")
    loaded = [check_task(task) for task in tasks]
    left = [
        [index for index in range(task.games) if not done or index not in done[number]]
        for number, task in enumerate(tasks)
    ]
    games = sum(map(len, left))
    workers = min(workers or cores(), games)
    if games == 0:
        return
    if workers <= 1 and timeout is None:
        for number, (task, game) in enumerate(zip(tasks, loaded, strict=True)):
            table = Table(task, game, players, width, cache, nets)
            for finished in table.play(iter(left[number])):
                assert isinstance(finished, Finished)
                yield number, finished
        return
    share = -(-games // workers)  # nobody takes more at a time, or the others would idle
    jobs = [Job(task, indices) for task, indices in zip(tasks, left, strict=True)]
    crew = WorkerPool(jobs, games, min(width, share), cache, nets, timeout)
    yield from crew.play(workers)


def check_workers(workers: int) -> None:
    """GameError where there cannot be so many."""
    if not 0 <= workers <= _MOST_WORKERS:
        raise GameError(f"workers are 0 (one for each core) to {_MOST_WORKERS}, not {workers}")


def cores() -> int:
    """How many this process may use: as many workers keep them busy."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
