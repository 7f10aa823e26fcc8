"""A worker process that hangs is replaced; one that is slow is not."""

import itertools
import logging
import multiprocessing
import os
import signal
import sys

import pytest

from rulezero.fleet import workers
from rulezero.fleet.local import LocalFleet
from rulezero.fleet.pulse import Pulse, Watch
from rulezero.play.task import Task

TEXT = "puct:sims=200,eval=rollout,temperature=1"
TASK = Task(game="connect4", a=TEXT, b=TEXT, games=40, seed=2)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_a_stopped_worker_is_replaced(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another worker plays its games again, and the records are those of an undisturbed fleet."""
    monkeypatch.setattr(workers, "_IDLE_SECONDS", 4.0)
    games = LocalFleet(workers=2).run([TASK])
    played = [next(games)]
    stopped = multiprocessing.active_children()[0]
    assert stopped.pid is not None
    os.kill(stopped.pid, signal.SIGSTOP)
    with caplog.at_level(logging.WARNING, logger="rulezero"):
        played += games
    assert "did nothing for" in caplog.text
    assert "another one plays its games again" in caplog.text
    wanted = {game.record.index: game for _, game in LocalFleet(workers=1).run([TASK])}
    assert {game.record.index: game for _, game in played} == wanted
    assert len(played) == TASK.games


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_closing_ends_stopped_workers() -> None:
    """A stopped process would ignore most signals; it must not keep its caller waiting."""
    games = LocalFleet(workers=2).run([TASK])
    next(games)
    for worker in multiprocessing.active_children():
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
    games.close()
    assert multiprocessing.active_children() == []


class Life:
    """A pulse whose numbers a test sets, and the watch that looks at it."""

    def __init__(self) -> None:
        self.pulse = Pulse(multiprocessing.get_context("spawn"))
        self.watch = Watch(self.pulse)

    def idle_after(self, seconds: int, *, steps: int = 0, cpu: float = 0.0) -> float:
        """The idle time after some seconds, in each of which it does this much."""
        for _ in range(seconds):
            for _ in range(steps):
                self.pulse.step()
            self.pulse._numbers[1] += cpu
            self.watch.look(1.0)
        return self.watch.idle_seconds


def test_a_worker_that_does_anything_is_not_idle() -> None:
    """Steps without CPU time (a net on another device) and CPU time without steps (slow rules, a
    large net that is loaded) are work; the CPU time of the thread that reports it is not."""
    for steps, cpu in itertools.product((0, 1), (0.0, 0.0002, 0.02, 1.0)):
        life = Life()
        life.idle_after(1, cpu=0.5)
        is_idle = steps == 0 and cpu < 0.01
        assert life.idle_after(1000, steps=steps, cpu=cpu) == (1000 if is_idle else 0)
        assert life.idle_after(1, steps=1) == 0


def test_a_worker_may_start_slowly() -> None:
    """Until it has begun, only a tenth of the time counts."""
    assert Life().idle_after(1000) == pytest.approx(100)
