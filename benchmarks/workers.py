"""Compares two workers with one: self-play in separate processes, each on its own core.

Whether two workers slow each other down shows only in wall-clock time, which also depends on other
programs. Rounds in which other programs used these cores are therefore repeated. If there are too
few quiet rounds, the result is not compared with the target.
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
_QUIET = 0.05  # share of the cores' time that other programs may use in a quiet round
_TRIES = 6  # maximum number of rounds, for each quiet one that is wanted


class Done(NamedTuple):
    """The work of a worker in a slice."""

    rows: int
    wall: float  # seconds of wall-clock time
    cpu: float  # seconds of its own CPU time


class Round(NamedTuple):
    """Ratios of both workers together to each worker alone."""

    by_wall: float  # of rows per second of wall-clock time
    by_cpu: float  # of rows per second of their own CPU time
    others: float  # share of the cores' time that other programs used


class Worker:
    """A process that plays with a net on a core of its own."""

    def __init__(self, net: Path, core: int, warm_up: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        given = (theirs, str(net), core, warm_up)
        self._process = context.Process(target=_work, args=given, daemon=True)
        self._process.start()

    def wait(self) -> None:
        """Waits until it has warmed up."""
        self._pipe.recv()

    def begin(self, seconds: float) -> None:
        """Starts a slice of this many seconds."""
        self._pipe.send(seconds)

    def end(self) -> Done:
        """Waits for the end of the slice; returns the work done."""
        return Done(*self._pipe.recv())

    def close(self) -> None:
        """Ends the process."""
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
    """The rows of two workers together, relative to those of one worker alone."""
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
    busy, begin = busy_seconds(cores), time.perf_counter()
    alone = []
    for worker in workers:
        worker.begin(seconds)
        alone.append(worker.end())
    for worker in workers:
        worker.begin(seconds)
    together = [worker.end() for worker in workers]
    own = sum(done.cpu for done in alone + together)
    others = busy_seconds(cores) - busy - own
    both, one = [sum(done.rows / done.wall for done in each) for each in (together, alone)]
    both_cpu, one_cpu = [sum(done.rows / done.cpu for done in each) for each in (together, alone)]
    wall = time.perf_counter() - begin
    return Round(2 * both / one, 2 * both_cpu / one_cpu, others / (len(cores) * wall))


def busy_seconds(cores: list[int]) -> float:
    """Seconds that these cores have worked for any program, or for another virtual machine."""
    ticks = 0
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *fields = line.split()
        if name in [f"cpu{core}" for core in cores]:
            user, nice, system, _idle, _waiting, *rest = map(int, fields)
            ticks += user + nice + system + sum(rest[:3])  # interrupts and stolen time
    return ticks / os.sysconf("SC_CLK_TCK")
