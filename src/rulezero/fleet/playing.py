"""Plays games of several tasks in this process, in the order in which they are given."""

from collections import deque
from collections.abc import Iterable, Iterator

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
        self._table: tuple[str, Table] | None = None

    @property
    def waiting(self) -> int:
        """The number of games that have not begun."""
        return len(self._waiting)

    def add(self, key: str, task: Task, nets: NetStore, indices: Iterable[int]) -> None:
        """Adds games of a task, which `key` identifies; `nets` finds the nets that it names."""
        self._tasks[key] = (task, nets)
        self._waiting.extend((key, index) for index in indices)

    def drop(self, key: str) -> None:
        """Forgets the games of a task that have not begun."""
        kept = [game for game in self._waiting if game[0] != key]
        self._waiting.clear()
        self._waiting.extend(kept)

    def finished(self) -> Iterator[tuple[str, Finished]]:
        """Yields games as they finish, with the keys of their tasks, until no game is left.

        It can be called again when more games were added.
        """
        while self._waiting:
            key = self._waiting[0][0]
            for made in self._table_of(key).play(_Waiting(self._waiting, key)):
                assert isinstance(made, Finished)
                yield key, made

    def _table_of(self, key: str) -> Table:
        if self._table is None or self._table[0] != key:
            task, nets = self._tasks[key]
            game = check_task(task)
            table = Table(task, game, nets=nets, width=self._width, cache=self._cache)
            self._table = (key, table)
            self._tasks = {key: self._tasks[key]} | {
                waiting: self._tasks[waiting] for waiting, _ in list(self._waiting)
            }
        return self._table[1]


class _Waiting(Iterator[int]):
    """The next games, as long as they are of one task. It goes on when more of them are added."""

    def __init__(self, waiting: deque[tuple[str, int]], key: str) -> None:
        self._waiting = waiting
        self._key = key

    def __next__(self) -> int:
        try:
            if self._waiting[0][0] != self._key:
                raise StopIteration
            return self._waiting.popleft()[1]
        except IndexError:
            raise StopIteration from None
