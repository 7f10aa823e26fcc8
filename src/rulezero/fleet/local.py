"""This machine: a worker process for each core."""

from collections.abc import Collection, Generator, Sequence
from pathlib import Path

from rulezero.fleet.runner import run_all
from rulezero.play.table import Finished
from rulezero.play.task import Task


class LocalFleet:
    """Plays tasks in processes of this machine."""

    def __init__(self, nets: Path, *, workers: int = 0, width: int = 32) -> None:
        """Nets of tasks lie in the folder `nets`. 0 workers: one for each core."""
        self.workers = workers
        self.width = width
        self._nets = nets

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]]
    ) -> Generator[tuple[int, Finished], None, None]:
        """The games of tasks that are not done, as they finish, with their task's number."""
        yield from run_all(
            tasks, workers=self.workers, width=self.width, nets=self._nets, done=done
        )
