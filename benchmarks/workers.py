"""Two workers against one: self-play in processes of their own, each on its core.

Only the clock on the wall tells whether two workers get in each other's way, and on that clock
whatever else the machine does counts too. So rounds in which others were busy on these cores are
played again, and where quiet ones are too few nothing is claimed.
"""

import multiprocessing
import os
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import rulezero as rz
from rulezero.nets.card import read_card
from rulezero.play.evaluators.onnx import OnnxEvaluator
from selfplay import SelfPlay, make_net
from timing import Figure, spread

WANTED = 1.85
_QUIET = 0.05  # share of the cores that others may use in a quiet round
_TRIES = 6  # rounds played for each that is wanted


class Done(NamedTuple):
    """What a worker did in a slice."""

    rows: int
    wall: float  # seconds
    cpu: float  # its own


class Round(NamedTuple):
    """Each alone, then both."""

    by_wall: float  # the ratio
    by_cpu: float  # the ratio of what they did in a second of their own CPU time
    others: float  # share of the cores that others used


class Worker:
    """A process that plays with a net on a core of its own."""

    def __init__(self, net: Path, core: int, warm_up: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        given = (theirs, str(net), core, warm_up)
        self._process = context.Process(target=_work, args=given, daemon=True)
        self._process.start()

    def wait(self) -> None:
        """Returns when it is warm."""
        self._pipe.recv()

    def begin(self, seconds: float) -> None:
        """Sends it to work."""
        self._pipe.send(seconds)

    def end(self) -> Done:
        """What it did."""
        return Done(*self._pipe.recv())

    def close(self) -> None:
        """Ends it."""
        self._pipe.send(None)
        self._process.join()


def _work(pipe: "Connection[Any, Any]", net: str, core: int, warm_up: int) -> None:
    os.sched_setaffinity(0, {core})
    evaluator = OnnxEvaluator(net)
    play = SelfPlay(rz.load(read_card(Path(net)).game), evaluator, warm_up=warm_up)
    pipe.send(None)
    while (seconds := pipe.recv()) is not None:
        wall, cpu, rows = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - wall < seconds:
            rows += play.step()
        pipe.send((rows, time.perf_counter() - wall, time.process_time() - cpu))


def measure(
    folder: Path, cores: list[int], rounds: int, seconds: float, warm_up: int
) -> Iterator[Figure]:
    """What two workers do together for what one of them does alone."""
    net = make_net(folder, "monster")
    workers = [Worker(net, core, warm_up) for core in cores]
    for worker in workers:
        worker.wait()
    played: list[Round] = []
    quiet: list[Round] = []
    while len(quiet) < rounds and len(played) < _TRIES * rounds:
        played.append(_play(workers, cores, seconds))
        quiet = [each for each in played if each.others < _QUIET]
    for worker in workers:
        worker.close()
    is_quiet = len(quiet) == rounds
    counted = quiet if is_quiet else sorted(played, key=lambda each: each.others)[:rounds]
    others = spread([each.others for each in counted]).median
    yield Figure(
        part="workers",
        what="two workers / one, monster fp32",
        number=spread([each.by_wall for each in counted]),
        wanted=WANTED if is_quiet else None,
        note=f"others used {others:.0%} of both cores"
        + ("" if is_quiet else f": not judged, {len(quiet)} of {len(played)} rounds were quiet"),
    )
    yield Figure(
        part="workers",
        what="the same for a second of their own CPU time",
        number=spread([each.by_cpu for each in counted]),
        note="what caches and memory cost; waiting for each other would not show",
    )


def _play(workers: list[Worker], cores: list[int], seconds: float) -> Round:
    busy, begin = _busy(cores), time.perf_counter()
    alone = []
    for worker in workers:
        worker.begin(seconds)
        alone.append(worker.end())
    for worker in workers:
        worker.begin(seconds)
    together = [worker.end() for worker in workers]
    own = sum(done.cpu for done in alone + together)
    others = _busy(cores) - busy - own
    both, one = [sum(done.rows / done.wall for done in each) for each in (together, alone)]
    both_cpu, one_cpu = [sum(done.rows / done.cpu for done in each) for each in (together, alone)]
    wall = time.perf_counter() - begin
    return Round(2 * both / one, 2 * both_cpu / one_cpu, others / (len(cores) * wall))


def _busy(cores: list[int]) -> float:
    """Seconds that these cores have worked, for whomever, or were lent to another machine."""
    ticks = 0
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *fields = line.split()
        if name in [f"cpu{core}" for core in cores]:
            user, nice, system, _idle, _waiting, *rest = map(int, fields)
            ticks += user + nice + system + sum(rest[:3])  # interrupts, and what was stolen
    return ticks / os.sysconf("SC_CLK_TCK")
