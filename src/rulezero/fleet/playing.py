"""Plays games of several tasks in this process, in the order in which they are given."""

import threading
from collections import deque
from collections.abc import Container, Iterable, Iterator

from rulezero.play.nets import NetStore
from rulezero.play.table import Finished, Table
from rulezero.play.task import Task, check_task


class Playing:
    """Games that are played `width` at a time.

    Games may be added while others are played, also from another thread. A place that becomes free
    is taken by the next game of the same task. When no game of a task is left, the next task
    begins, so games should be added task by task.
    """

    def __init__(self, *, width: int = 64, cache: int = 1 << 16) -> None:
        self._width = width
        self._cache = cache
        self._tasks: dict[str, tuple[Task, NetStore]] = {}
        self._waiting: deque[tuple[str, int]] = deque()  # keys of tasks, indices of their games
        self._changed = threading.Condition()  # guards both
        self._table: tuple[str, Table] | None = None

    @property
    def waiting(self) -> int:
        """The number of games that have not begun."""
        return len(self._waiting)

    @property
    def steps(self) -> int:
        """A number that differs from its last value if games were played in between."""
        table = self._table
        return 0 if table is None else table[1].steps

    def add(self, key: str, task: Task, nets: NetStore, indices: Iterable[int]) -> None:
        """Adds games of a task, which `key` identifies; `nets` finds the nets that it names."""
        with self._changed:
            self._tasks[key] = (task, nets)
            self._waiting.extend((key, index) for index in indices)
            self._changed.notify_all()

    def drop(self, key: str, indices: Container[int] | None = None) -> list[int]:
        """Forgets games of a task that have not begun, all or only these; returns their indices."""
        with self._changed:
            games = [*self._waiting]
            gone = [key == each and (indices is None or at in indices) for each, at in games]
            self._waiting.clear()
            self._waiting.extend(
                game for game, is_gone in zip(games, gone, strict=True) if not is_gone
            )
            self._changed.notify_all()
            return [at for (_, at), is_gone in zip(games, gone, strict=True) if is_gone]

    def wait_for_room(self, most: int, seconds: float) -> bool:
        """Waits until at most `most` games have not begun; False if this took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._waiting) <= most, seconds)

    def wait_for_games(self, seconds: float) -> bool:
        """Waits until there are games that have not begun; False if this took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._waiting) > 0, seconds)

    def finished(self) -> Iterator[tuple[str, Finished]]:
        """Yields games as they finish, with the keys of their tasks, until no game is left.

        It can be called again when more games were added.
        """
        while (table := self._next_table()) is not None:
            key = table[0]
            for made in table[1].play(_Waiting(self, key)):
                assert isinstance(made, Finished)
                yield key, made

    def take(self, key: str) -> int | None:
        """Takes the next game; returns its index, or None if it is not one of this task."""
        with self._changed:
            if not self._waiting or self._waiting[0][0] != key:
                return None
            self._changed.notify_all()
            return self._waiting.popleft()[1]

    def _next_table(self) -> tuple[str, Table] | None:
        """The key of the next game's task and its table; None if no game is left."""
        with self._changed:
            if not self._waiting:
                return None
            key = self._waiting[0][0]
            known = self._tasks
            self._tasks = {each: known[each] for each in {key, *(key for key, _ in self._waiting)}}
            task, nets = known[key]
        if self._table is None or self._table[0] != key:
            game = check_task(task)
            self._table = key, Table(task, game, nets=nets, width=self._width, cache=self._cache)
        return self._table


class _Waiting(Iterator[int]):
    """The next games, as long as they are of one task. It goes on when more of them are added."""

    def __init__(self, playing: Playing, key: str) -> None:
        self._playing = playing
        self._key = key

    def __next__(self) -> int:
        index = self._playing.take(self._key)
        if index is None:
            raise StopIteration
        return index
