"""Objects that follow a training loop."""

from collections.abc import Sequence

from rulezero.play.task import Task
from rulezero.stats.tally import Tally
from rulezero.training.log import Entry


class Listener:
    """Called at every event of the loop; this base class ignores them all."""

    def begin(self, iteration: int, phase: str) -> None:
        """A phase begins."""

    def played(self, task: Task, tally: Tally, games: int, total: int, sims: int) -> None:
        """A game of a task is over.

        `tally` is that of player a so far, and `games` of `total` games in the phase are done.
        `sims` is the number of simulations in the phase since it began or was resumed.
        """

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        """A step of a fit is done."""

    def logged(self, entry: Entry) -> None:
        """A line was written to the log."""


class Listeners(Listener):
    """Several listeners as one."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = listeners

    def begin(self, iteration: int, phase: str) -> None:
        for each in self._listeners:
            each.begin(iteration, phase)

    def played(self, task: Task, tally: Tally, games: int, total: int, sims: int) -> None:
        for each in self._listeners:
            each.played(task, tally, games, total, sims)

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        for each in self._listeners:
            each.learned(step, steps, losses)

    def logged(self, entry: Entry) -> None:
        for each in self._listeners:
            each.logged(entry)
