"""Compares the evaluator that threads share with the same evaluator alone, at the same batch.

    .venv/bin/python benchmarks/threads.py [--game chess] [--batch 64] [--quick]

It needs two cores. A net of torch runs on the first core, in one thread. Threads that play
self-play are pinned to the other core, and then to the first one, too. The evaluator's thread takes
turns: for a slice it computes what the threads send, then for a slice the same batches without
them. Both are rows per second of wall-clock time, so other programs matter: rounds in which they
used these cores are repeated, and without enough quiet rounds the result is not judged. The ratio
per second of the evaluator thread's CPU time does not depend on them.
"""

import argparse
import itertools
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch
from rich.console import Console
from rich.table import Table

import rulezero as rz
from rulezero.fleet.threads import PlayingThreads
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation
from rulezero.play.evaluators.torch import TorchEvaluator
from rulezero.play.nets import PATHS
from rulezero.play.task import Task, check_task
from selfplay import make_net
from timing import Figure, spread
from workers import busy_seconds

WANTED = 0.95
_QUIET = 0.05  # share of the cores' time that other programs may use in a quiet round
_TRIES = 3  # maximum number of rounds, for each quiet one that is wanted
_KEPT = 8  # batches to measure the evaluator alone with
_SETTLING = 20  # batches after a slice alone that do not count: the threads have waited
_OPENING = 30  # random plies of a game


class Slice(NamedTuple):
    """What the evaluator's thread has done in a turn."""

    rows: int
    batches: int
    wall: float  # seconds
    cpu: float  # seconds of its CPU time
    process_cpu: float  # seconds of CPU time with the threads that play
    net_wall: float  # seconds in the net


class Round(NamedTuple):
    """A turn with the threads, and one alone."""

    shared: Slice
    alone: Slice
    others: float  # share of the cores' time that other programs used


class Turns:
    """An evaluator that takes turns: it answers the threads for a while, then works alone."""

    identity = "turns"

    def __init__(
        self, inner: TorchEvaluator, core: int, cores: set[int], effort: argparse.Namespace
    ) -> None:
        self.batch = inner.batch
        self.rounds: list[Round] = []
        self.is_done = threading.Event()
        self._inner = inner
        self._core = core
        self._cores = sorted(cores)
        self._effort = effort
        self._kept: list[Floats] = []
        self._uncounted = effort.warm_up
        self._begin = _Clock.now(self._cores)
        self._sums = [0, 0, 0.0]  # rows, batches, seconds in the net

    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's outputs; perhaps only after a turn alone."""
        if not self._kept:
            os.sched_setaffinity(0, {self._core})  # of this thread
        if len(planes) == self.batch or not self._kept:
            self._kept = [*self._kept[1 - _KEPT :], planes.copy()]
        begin = time.perf_counter()
        answer = self._inner.evaluate(planes)
        passed = time.perf_counter() - begin
        if self._uncounted > 0:
            self._uncounted -= 1
            self._begin, self._sums = _Clock.now(self._cores), [0, 0, 0.0]
            return answer
        self._sums = [a + b for a, b in zip(self._sums, (len(planes), 1, passed), strict=True)]
        if time.perf_counter() - self._begin.wall >= self._effort.seconds:
            self._end_round()
        return answer

    def _end_round(self) -> None:
        end = _Clock.now(self._cores)
        own = end.process - self._begin.process
        wall = end.wall - self._begin.wall
        others = (end.busy - self._begin.busy - own) / (len(self._cores) * wall)
        rows, batches, net = self._sums
        cpu = end.thread - self._begin.thread
        shared = Slice(int(rows), int(batches), wall, cpu, own, net)
        self.rounds.append(Round(shared, self._alone(), others))
        self._uncounted = _SETTLING
        quiet = sum(each.others < _QUIET for each in self.rounds)
        if quiet >= self._effort.rounds or len(self.rounds) >= _TRIES * self._effort.rounds:
            self.is_done.set()

    def _alone(self) -> Slice:
        begin, cpu, batches = time.perf_counter(), time.thread_time(), 0
        for planes in itertools.cycle(self._kept):
            self._inner.evaluate(planes)
            batches += 1
            wall = time.perf_counter() - begin
            if wall >= self._effort.seconds:
                break
        rows = sum(len(planes) for planes in self._kept) * batches // len(self._kept)
        spent = time.thread_time() - cpu
        return Slice(rows, batches, wall, spent, spent, wall)


class _Clock(NamedTuple):
    """All clocks at one time, in seconds."""

    wall: float
    thread: float  # CPU time of this thread
    process: float  # CPU time of this process
    busy: float  # of the cores, for any program

    @classmethod
    def now(cls, cores: list[int]) -> "_Clock":
        return cls(
            time.perf_counter(), time.thread_time(), time.process_time(), busy_seconds(cores)
        )


def measure(net: Path, cores: tuple[int, int], effort: argparse.Namespace) -> Iterator[Figure]:
    """The figures with the net on the first core and the threads on the second."""
    first, second = cores
    os.sched_setaffinity(0, {second})  # inherited by the threads that play
    inner = TorchEvaluator(net, "cpu", effort.precision, batch=effort.batch)
    turns = Turns(inner, first, set(cores), effort)
    text = f"puct:sims={effort.sims},noise=0.25,temperature=1"
    task = Task(game=effort.game, a=text, b=text, games=1_000_000, opening=_OPENING)
    player = rz.player(text, evaluator=turns)
    threads = PlayingThreads(
        [task],
        [check_task(task)],
        ((0, index) for index in range(task.games)),
        threads=effort.threads,
        nets=PATHS,
        width=effort.width,
        cache=0,
        players=(player, player),
    )
    playing = threads.play()
    for _ in playing:
        if turns.is_done.is_set():
            break
    playing.close()  # type: ignore[attr-defined]
    where = "on one core" if first == second else "on two cores"
    yield from figures(turns.rounds, where, threads.shared.width, effort)


def figures(
    rounds: list[Round], where: str, width: int, effort: argparse.Namespace
) -> Iterator[Figure]:
    """The ratios, and what is lost: incomplete batches, waiting, slower batches."""
    quiet = [each for each in rounds if each.others < _QUIET]
    is_quiet = len(quiet) >= effort.rounds
    rounds = quiet if is_quiet else sorted(rounds, key=lambda each: each.others)[: effort.rounds]
    others = statistics.median(each.others for each in rounds)
    shared, alone = [each.shared for each in rounds], [each.alone for each in rounds]

    def ratio(what: str, values: list[float], note: str, wanted: float | None = None) -> Figure:
        what = f"{where}: {what}"
        return Figure(part="threads", what=what, number=spread(values), wanted=wanted, note=note)

    rows = statistics.median(each.rows / each.wall for each in shared)
    yield ratio(
        "shared / alone",
        [
            one.rows / one.wall / (two.rows / two.wall)
            for one, two in zip(shared, alone, strict=True)
        ],
        f"{rows:,.0f} rows/s; {effort.threads} threads with {width} games each; others used"
        f" {others:.0%} of the cores" + ("" if is_quiet else ": not judged"),
        WANTED if is_quiet and where == "on two cores" else None,
    )
    yield ratio(
        "the same by the evaluator thread's CPU time",
        [one.rows / one.cpu / (two.rows / two.cpu) for one, two in zip(shared, alone, strict=True)],
        "caches, Python's lock, and the work of handing out",
    )
    yield ratio(
        "the same by the CPU time of all threads",
        [
            one.rows / one.process_cpu / (two.rows / two.cpu)
            for one, two in zip(shared, alone, strict=True)
        ],
        "the search, too: what one core for everything would lose",
    )
    yield ratio(
        "rows in a batch / its size",
        [each.rows / each.batches / effort.batch for each in shared],
        "what incomplete batches lose",
    )
    yield ratio(
        "time in the net / time",
        [each.net_wall / each.wall for each in shared],
        "what waiting for positions and handing out answers lose",
    )
    yield ratio(
        "a batch's time alone / shared",
        [
            two.wall / two.batches / (one.net_wall / one.batches)
            for one, two in zip(shared, alone, strict=True)
        ],
        "what Python's lock, caches and other programs lose",
    )


def main() -> None:
    """Prints a table of figures, once for two cores and once for one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--game", default="chess")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--sims", type=int, default=200)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--quick", action="store_true")
    effort = parser.parse_args()
    if effort.quick:
        effort.rounds, effort.seconds, effort.warm_up = 2, 0.5, 20
    torch.set_num_threads(1)
    cores = sorted(os.sched_getaffinity(0))[-2:]
    if len(cores) < 2:
        raise SystemExit("it needs two cores")
    table = Table(title=f"{effort.game}, batch {effort.batch}, {effort.precision}")
    for column in ("what", "median", "quartiles", "wanted", "note"):
        table.add_column(column)
    with tempfile.TemporaryDirectory() as folder:
        net = make_net(Path(folder), effort.game)
        for pair in ((cores[0], cores[1]), (cores[0], cores[0])):
            for each in measure(net, pair, effort):
                low, median, high = each.number.low, each.number.median, each.number.high
                wanted = (
                    ""
                    if each.wanted is None
                    else f"{each.wanted} {'met' if each.is_met else 'MISSED'}"
                )
                table.add_row(
                    each.what, f"{median:.3f}", f"{low:.3f}-{high:.3f}", wanted, each.note
                )
    Console(width=None if Console().is_terminal else 150).print(table)


if __name__ == "__main__":
    main()
