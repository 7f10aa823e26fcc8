"""Threads of this process that play games, and one more that runs the nets for all of them."""

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from rulezero._core import Game
from rulezero.fleet.workers import GameKey
from rulezero.play.evaluators import Evaluation
from rulezero.play.nets import NetStore
from rulezero.play.players import Player
from rulezero.play.session import Request
from rulezero.play.shared import SharedEvaluators, Stopped
from rulezero.play.table import Finished, Table
from rulezero.play.task import Task

_MOST_FINISHED = 256  # games that wait for the caller; then the threads wait, too
_FULL_SECONDS = 0.1  # between two attempts to give the caller a game


class PlayingThreads:
    """Plays games of tasks in threads, which take one game after another from a queue.

    Each thread plays at least `width` games at the same time if there are as many, and more if the
    nets' batches would not be full otherwise.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        rules: Sequence[Game],
        games: Iterable[GameKey],
        *,
        threads: int,
        nets: NetStore,
        width: int,
        cache: int,
        players: tuple[Player, Player] | None = None,
    ) -> None:
        self._tasks = tasks
        self._rules = rules
        self._games = deque(games)
        self._taking = threading.Lock()
        self._number = min(threads, len(self._games))
        self._most = -(-len(self._games) // max(1, self._number))  # more would leave threads idle
        self._nets = nets
        self._cache = cache
        self._players = players
        self.shared = SharedEvaluators(self._number, width)
        # None: a thread has ended.
        self._made: queue.Queue[tuple[int, Finished] | BaseException | None] = queue.Queue(
            _MOST_FINISHED
        )

    def play(self) -> Iterator[tuple[int, Finished]]:
        """Yields all games as they finish; closing it ends the threads."""
        threads = [threading.Thread(target=self._evaluate, daemon=True)]
        threads += [threading.Thread(target=self._play, daemon=True) for _ in range(self._number)]
        left = self._number
        try:
            for thread in threads:
                thread.start()
            while left > 0:
                made = self._made.get()
                if isinstance(made, BaseException):
                    raise made
                if made is None:
                    left -= 1
                else:
                    yield made
        finally:
            self.shared.stop()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()

    def _evaluate(self) -> None:
        try:
            self.shared.run()
        except BaseException as error:  # of an evaluator; the caller raises it
            self._give(error)
            self.shared.stop()

    def _play(self) -> None:
        end: BaseException | None = None
        try:
            self._play_tasks()
        except Stopped:
            pass
        except BaseException as error:  # of the rules, or a net that cannot be opened
            end = error
        self.shared.leave()
        self._give(end)

    def _play_tasks(self) -> None:
        while (number := self._next_task()) is not None:
            for made in self._table_of(number).play(self._indices(number)):
                assert isinstance(made, Finished)
                self._give((number, made))

    def _table_of(self, number: int) -> Table:
        def compute(requests: list[Request]) -> list[Evaluation]:
            answers = self.shared.compute(requests)
            table.width = min(self._most, self.shared.width)
            return answers

        table = Table(
            self._tasks[number],
            self._rules[number],
            nets=self._nets,
            width=self._most,
            cache=self._cache,
            players=self._players,
            compute=compute,
        )
        table.width = min(table.width, self.shared.width)
        return table

    def _next_task(self) -> int | None:
        with self._taking:
            return self._games[0][0] if self._games else None

    def _indices(self, number: int) -> Iterator[int]:
        """Takes the next games as long as they are of this task."""
        while True:
            with self._taking:
                if not self._games or self._games[0][0] != number:
                    return
                index = self._games.popleft()[1]
            yield index

    def _give(self, made: tuple[int, Finished] | BaseException | None) -> None:
        """Gives the caller something, unless it has ended the threads."""
        while not self.shared.is_stopped:
            try:
                self._made.put(made, timeout=_FULL_SECONDS)
                return
            except queue.Full:
                continue
