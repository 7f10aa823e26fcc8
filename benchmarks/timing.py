"""Measuring on a machine that others use too: sides take turns, CPU time counts, medians are told.

Every side works on one core in short slices. A slice's seconds are CPU seconds of the process that
did the work, so what others take away in between does not count; what they do to the caches does,
and that is why the sides take turns and the ratio of neighbouring slices is what is told.
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
        """Units a second."""
        return self.units / self.seconds


Side = Callable[[float], Slice]  # works for about so many seconds


class Spread(msgspec.Struct, frozen=True):
    """What the rounds of a measurement said: the median between two quartiles."""

    low: float
    median: float
    high: float


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table: a number, and what is wanted of it."""

    part: str
    what: str
    number: Spread
    unit: str = "x"
    wanted: float | None = None
    is_most: bool = False  # whether `wanted` is the most that is wanted, not the least
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if self.wanted is None:
            return None
        number = self.number.median
        return number <= self.wanted if self.is_most else number >= self.wanted


def pin() -> int | None:
    """Keeps this process and what it starts on one core; its number, or None where none can."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def spend(work: Callable[[], float], seconds: float) -> Slice:
    """Does pieces of work, each of which tells its units, for so many CPU seconds."""
    units = 0.0
    begin = time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        units += work()
    return Slice(units, spent)


def interleave(sides: Mapping[str, Side], rounds: int, seconds: float) -> dict[str, list[float]]:
    """The rates of each side, round by round; in every other round they go in reverse order."""
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
