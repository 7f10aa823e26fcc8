"""Signs of life of a worker process, by which its main process knows that it does not hang."""

import threading
import time
from multiprocessing.context import BaseContext

_BEAT_SECONDS = 0.2  # between two reports of a worker's CPU time
_LEAST_SHARE = 0.01  # of a core; a process that computes uses more
_START_SHARE = 0.1  # of the time before a worker begins, when it loads libraries, counts as idle


class Pulse:
    """Memory that a worker process shares with its main process: its steps and its CPU time.

    The worker calls `begin` once and `step` at every step of its games.
    """

    def __init__(self, context: BaseContext) -> None:
        self._numbers = context.RawArray("d", 2)

    @property
    def steps(self) -> float:
        """The number of steps that the worker has done."""
        return float(self._numbers[0])

    @property
    def cpu_seconds(self) -> float:
        """The CPU time that the worker has used; 0 before it begins."""
        return float(self._numbers[1])

    def begin(self) -> None:
        """Starts a thread that reports this process's CPU time as long as the process runs."""
        threading.Thread(target=self._beat, daemon=True).start()

    def step(self) -> None:
        """Counts a step."""
        self._numbers[0] += 1

    def _beat(self) -> None:
        while True:
            self._numbers[1] = time.process_time()
            time.sleep(_BEAT_SECONDS)


class Watch:
    """Measures in the main process for how long a worker has done nothing.

    A worker that finishes steps or uses a core works, so neither slow rules nor large nets look
    like a worker that was stopped or waits for ever. Rules that compute for ever do not, either.
    """

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self._steps = 0.0
        self._cpu_seconds = 0.0
        self.idle_seconds = 0.0  # since it last did something

    def look(self, seconds: float) -> None:
        """Looks again; `seconds` is the time since the last look, as far as it counts."""
        steps, cpu_seconds = self._pulse.steps, self._pulse.cpu_seconds
        self.idle_seconds += seconds if cpu_seconds > 0 else _START_SHARE * seconds
        used = cpu_seconds - self._cpu_seconds
        if steps != self._steps or used > _LEAST_SHARE * self.idle_seconds:
            self._steps, self._cpu_seconds, self.idle_seconds = steps, cpu_seconds, 0.0
