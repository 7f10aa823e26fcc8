"""Decides how many games each actor of a cluster gets at a time."""

from collections import deque
from collections.abc import Collection, Iterable

from rulezero.fleet.ray.messages import GameKey


class Handout:
    """The games of an order: those that no actor has, and the number of those not finished.

    An actor gets games ahead of those that it plays, so that it never waits for more. Their number
    is half of what remains for each actor and shrinks to 0, so that all actors finish at about the
    same time, however fast they are.
    """

    def __init__(self, games: Iterable[GameKey], width: int) -> None:
        self._queue = deque(games)
        self._width = width
        self.left = len(self._queue)  # games that are not finished

    def share(self, held: int, actors: int) -> list[GameKey]:
        """The next games for one of `actors`, which has `held` unfinished games."""
        fair = -(-self.left // actors)
        playing = min(self._width, fair)  # more games in one actor would leave others idle
        ahead = min(self._width, (fair - playing) // 2)
        room = min(playing + ahead - held, len(self._queue))
        return [self._queue.popleft() for _ in range(room)]

    def finish(self) -> None:
        """Counts a finished game."""
        self.left -= 1

    def give_back(self, games: Collection[GameKey]) -> None:
        """Takes the games of a dead actor; they are the next to be played."""
        self._queue.extendleft(reversed(list(games)))
