"""Whoever watches a loop."""

from collections.abc import Sequence
from typing import Any

from rulezero.play.task import Task
from rulezero.stats.tally import Tally


class Listener:
    """Is told how the loop goes; this one does not care."""

    def begin(self, iteration: int, phase: str) -> None:
        """A phase begins."""

    def played(self, task: Task, tally: Tally, games: int, total: int, sims: int) -> None:
        """A game of a task is over: the tally of a so far, games done of all in the phase.

        The simulations are those of the phase since it began, or began again.
        """

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        """A step of a fit is done."""

    def logged(self, entry: dict[str, Any]) -> None:
        """A line was written to the log."""

    def warned(self, words: str) -> None:
        """Something smells."""


class Listeners(Listener):
    """Several who watch one loop."""

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

    def logged(self, entry: dict[str, Any]) -> None:
        for each in self._listeners:
            each.logged(entry)

    def warned(self, words: str) -> None:
        for each in self._listeners:
            each.warned(words)
