"""Games that are withdrawn from a fleet are left out of the window, also by a resumed run."""

from collections.abc import Collection, Generator, Sequence
from pathlib import Path

import pytest

from rulezero import config, runs
from rulezero.fleet.local import LocalFleet
from rulezero.play.nets import NetStore
from rulezero.play.table import Finished
from rulezero.play.task import Task
from rulezero.training.listener import Listener
from rulezero.training.loop import Loop
from rulezero.training.run import Run

EXPERIMENT = config.load("connect4", "tiny", ["iterations=3", "anchor=null"])


class StoppedError(Exception):
    """Stands for a kill of the process."""


class Withdrawing:
    """A local fleet from which the self-play games of iteration 1 are withdrawn in iteration 2."""

    def __init__(self, run: Run, stop_at: int | None = None) -> None:
        self._run = run
        self._local = LocalFleet(NetStore(run.nets), workers=1)
        self._stop_at = stop_at

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """Plays the tasks; stops before those of an iteration."""
        if any(task.iteration == self._stop_at for task in tasks):
            raise StoppedError
        yield from self._local.run(tasks, done)

    def withdrawn(self) -> frozenset[str]:
        """Every record of iteration 1, once the run has reached iteration 2."""
        if self._run.progress().iteration < 2:
            return frozenset()
        return frozenset(record.id for record in self._run.store() if record.iteration == 1)


def begin(path: Path) -> Run:
    """A run that has not begun."""
    run = runs.place(EXPERIMENT, path)
    run.create(EXPERIMENT.text, runs.manifest(EXPERIMENT, run.game(EXPERIMENT.game)))
    return run


def loop_of(run: Run, stop_at: int | None = None) -> Loop:
    """The loop of a run whose games are withdrawn."""
    game = run.game(EXPERIMENT.game)
    trainee = EXPERIMENT.regime.trainee(EXPERIMENT, game, run)
    return Loop(run, game, EXPERIMENT, trainee, Withdrawing(run, stop_at), Listener())


def test_withdrawn_games_leave_the_window(tmp_path: Path) -> None:
    """From the iteration on in which they are withdrawn, no game of theirs is in the window. A run
    that stopped in this iteration, or in the next one, gives the same nets."""
    straight = loop_of(begin(tmp_path / "straight"))
    straight.go()
    assert {game.generation for game in straight._window.games} == {2, 3}
    assert straight.run.withdrawn(1) == frozenset()
    withdrawn = straight.run.withdrawn(2)
    assert len(withdrawn) == EXPERIMENT.selfplay.games
    warned = [name for name in straight.run.progress().warned if name.startswith("withdrawn/")]
    assert warned == ["withdrawn/2"]

    stopped = begin(tmp_path / "stopped")
    for at in (2, 3):
        with pytest.raises(StoppedError):
            loop_of(stopped, stop_at=at).go()
    loop_of(stopped).go()
    assert stopped.fingerprint() == straight.run.fingerprint()

    untouched = runs.train(
        EXPERIMENT, out=tmp_path / "untouched", workers=1, progress=False
    ).fingerprint()
    assert untouched["net"] != stopped.fingerprint()["net"]
