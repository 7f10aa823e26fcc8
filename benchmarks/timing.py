"""Measures on a machine that other programs use, too: by turns, in CPU time, and with medians.

Every side works on one core in short slices. A slice's seconds are CPU seconds of the process that
did the work, so time that other programs take does not count. Their effect on the caches does, so
the sides take turns, and the results are ratios of neighbouring slices.
"""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec


class Slice(NamedTuple):
    """Some work that was done."""

    units: float
    seconds: float

    @property
    def rate(self) -> float:
        """Units per second."""
        return self.units / self.seconds


Side = Callable[[float], Slice]  # works for about this many seconds


class Spread(msgspec.Struct, frozen=True):
    """The result of several rounds: the median and two quartiles."""

    low: float
    median: float
    high: float


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table: a number and its target."""

    part: str
    what: str
    number: Spread
    unit: str = "x"
    wanted: float | None = None
    is_most: bool = False  # whether `wanted` is a maximum, not a minimum
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the target is reached; None if there is none."""
        if self.wanted is None:
            return None
        number = self.number.median
        return number <= self.wanted if self.is_most else number >= self.wanted


def pin() -> int | None:
    """Keeps this process and its children on one core; returns its number, or None if it cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def spend(work: Callable[[], float], seconds: float) -> Slice:
    """Repeats some work, which returns its units, for this many CPU seconds."""
    units = 0.0
    begin = time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        units += work()
    return Slice(units, spent)


def interleave(sides: Mapping[str, Side], rounds: int, seconds: float) -> dict[str, list[float]]:
    """The rates of each side, round by round; every other round has the sides in reverse order."""
    rates: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in list(sides)[:: 1 if number % 2 == 0 else -1]:
            rates[name].append(sides[name](seconds).rate)
    return rates


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """Ours over theirs, round by round."""
    return spread([our / their for our, their in zip(ours, theirs, strict=True)])


def spread(numbers: Sequence[float]) -> Spread:
    """Median and quartiles; a single number is all three."""
    if len(numbers) == 1:
        return Spread(numbers[0], numbers[0], numbers[0])
    return Spread(*statistics.quantiles(numbers, n=4, method="inclusive"))
