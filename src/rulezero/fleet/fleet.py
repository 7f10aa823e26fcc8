"""Plays tasks into a store, and judges games of a store, on this machine or on others."""

import contextlib
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple, Protocol, runtime_checkable

from rulezero._core import PlayerError
from rulezero.data.record import Record
from rulezero.data.store import Store
from rulezero.play.judge import judging
from rulezero.play.table import Finished
from rulezero.play.task import Task

_BATCH = 4096  # games that are judged as one task


class Fleet(Protocol):
    """Plays tasks."""

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """Yields the games of tasks as they finish, each with the number of its task.

        `done` has, for each task, the indices of games that are not played.
        """


@runtime_checkable
class OpenFleet(Fleet, Protocol):
    """A fleet of machines that are not trusted."""

    def withdrawn(self) -> frozenset[str]:
        """The ids of records that were withdrawn, so that nets are not to learn from them."""


@runtime_checkable
class KeepingFleet(Fleet, Protocol):
    """A fleet whose server keeps games while no trainer runs."""

    @property
    def found(self) -> Collection[str]:
        """The ids of records that were not played for this process: they were finished before."""


class Kept(NamedTuple):
    """A game of a task that the store holds."""

    number: int  # of the task
    record: Record
    is_new: bool  # played now, not found in the store or at a server


def play_into(
    store: Store | None, tasks: Sequence[Task], fleet: Fleet
) -> Generator[Kept, None, None]:
    """Yields every game of the tasks: first those in the store, then the others as they finish.

    A game is stored before it is yielded. Games of a task without a name cannot be recognised in
    the store, so they are always played; without a store nothing is stored. The process may be
    killed at any time: games in the store are not played again.
    """
    done: list[set[int]] = [set() for _ in tasks]
    for number, record in _held(store, tasks):
        done[number].add(record.index)
        yield Kept(number, record, is_new=False)
    with contextlib.closing(fleet.run(tasks, done)) as playing:
        for number, finished in playing:
            is_found = isinstance(fleet, KeepingFleet) and finished.record.id in fleet.found
            kept = Kept(number, finished.record, is_new=not is_found)
            try:
                _keep(store, tasks[number], finished)
            except KeyboardInterrupt:
                _keep(store, tasks[number], finished)  # the store yields a copy of a record once
                yield kept
                raise
            yield kept


def judge_into(
    store: Store, records: Iterable[Record], by: str, fleet: Fleet
) -> Generator[bool, None, None]:
    """Writes a judge's notes about records of a store, which must be valid and have plies.

    Yields for each record whether its note is new; a note in the store is not written again. A note
    is stored before that, so the process may be killed at any time. The records must come in the
    same order each time, because a note depends on the position of its record in this order.
    """
    known = {note.record for note in store.notes() if note.judge == by}
    for number, batch in enumerate(_batches(records)):
        done = {at for at, record in enumerate(batch) if record.id in known}
        yield from (False for _ in done)
        if len(done) == len(batch):
            continue
        task = judging(batch, by, name=f"judge/{number}")
        with contextlib.closing(fleet.run([task], [done])) as judged:
            for _, finished in judged:
                if finished.note is None or not finished.note.value:
                    raise PlayerError(
                        f"'{by}' does not evaluate positions: name a player that does, such as"
                        " puct:sims=100"
                    )
                store.add_note(batch[finished.record.index].id, by, finished.note)
                yield True


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in their order, in batches of one game each."""
    for _, games in groupby(records, key=lambda record: record.game):
        while batch := list(islice(games, _BATCH)):
            yield batch


def _held(store: Store | None, tasks: Sequence[Task]) -> Generator[tuple[int, Record], None, None]:
    """The games in the store that belong to the tasks, each with the number of its task."""
    numbers = {task.name: number for number, task in enumerate(tasks) if task.name}
    for purpose in sorted({tasks[number].purpose for number in numbers.values()}):
        for record in () if store is None else store.select(purpose=purpose):
            number = numbers.get(record.task)
            if number is not None and record.index < tasks[number].games:
                yield number, record


def _keep(store: Store | None, task: Task, finished: Finished) -> None:
    """Writes the note before the record: a game in the store is not played again for its note."""
    if store is None:
        return
    if finished.note is not None:
        store.add_note(finished.record.id, task.judge or "", finished.note)
    store.add(finished.record)
