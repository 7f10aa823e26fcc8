"""What many records come to: how games ended, and what was thought of them."""

from collections import Counter
from collections.abc import Iterable

import msgspec
import numpy as np

from rulezero.data.columns import Floats, RecordError
from rulezero.data.place import Report
from rulezero.data.record import Record


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """How games ended, counted."""

    games: int
    seat_0_wins: int
    draws: int
    seat_1_wins: int
    unknown: int  # games that somebody interrupted


class Values(msgspec.Struct, frozen=True, kw_only=True):
    """The search's values, seat 0's, over all plies where one is known."""

    plies: int
    mean: float | None  # None where no value is known, as the next
    spread: float | None  # standard deviation


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """The games of one iteration."""

    number: int | None  # None of games that belong to no iteration
    plies: int
    results: Results
    values: Values


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All records of one game."""

    game: str  # canonical text
    plies: int
    purposes: dict[str, int]  # games of each, the most frequent first, as in the next two
    sources: dict[str, int]
    ends: dict[str, Results]  # by their cause
    results: Results
    values: Values
    generations: tuple[Generation, ...]  # by number; those without one last


def summarise(records: Iterable[Record], report: Report | None = None) -> list[Summary]:
    """A summary of each game among the records, in the order of their texts.

    A record whose columns are damaged is a RecordError; with a `report` function, that is called
    with the error, and the record is left out.
    """
    counts: dict[str, _Count] = {}
    for record in records:
        try:
            value = record.columns().value
        except RecordError as error:
            if report is None:
                raise
            report(RecordError(f"record {record.id}: {error}"))
            continue
        counts.setdefault(record.game, _Count()).add(record, value)
    return [counts[game].summary(game) for game in sorted(counts)]


class _Count:
    """Counts the records of one game."""

    def __init__(self) -> None:
        self.purposes: Counter[str] = Counter()
        self.sources: Counter[str] = Counter()
        self.ends: Counter[tuple[int | None, str, int | None]] = Counter()  # generation, why, how
        self.plies: Counter[int | None] = Counter()  # by generation, as the next
        self.sums: dict[int | None, Floats] = {}  # [3] values: how many, sum, sum of squares

    def add(self, record: Record, value: Floats) -> None:
        """Takes a record into account; its values are [plies], NaN where none is known."""
        generation = record.iteration
        result = None if record.end_reason == "interrupted" else int(np.sign(record.outcome))
        known = value[np.isfinite(value)].astype(np.float64)
        sums = np.array([len(known), known.sum(), np.square(known).sum()])
        self.purposes[record.purpose] += 1
        self.sources[record.source] += 1
        self.ends[generation, record.end_reason, result] += 1
        self.plies[generation] += record.plies
        self.sums[generation] = self.sums.get(generation, 0) + sums

    def summary(self, game: str) -> Summary:
        """What it came to."""
        by_number = sorted(self.plies, key=lambda number: (number is None, number))
        reasons: Counter[str] = Counter()
        for (_, reason, _), games in self.ends.items():
            reasons[reason] += games
        return Summary(
            game=game,
            plies=self.plies.total(),
            purposes=dict(self.purposes.most_common()),
            sources=dict(self.sources.most_common()),
            ends={reason: self.results(reason=reason) for reason, _ in reasons.most_common()},
            results=self.results(),
            values=_values(np.sum(list(self.sums.values()), axis=0)),
            generations=tuple(
                Generation(
                    number=number,
                    plies=self.plies[number],
                    results=self.results(of=[number]),
                    values=_values(self.sums[number]),
                )
                for number in by_number
            ),
        )

    def results(self, *, of: Iterable[int | None] = (), reason: str | None = None) -> Results:
        """How the games of some generations ended, or of all; for one reason, or for any."""
        wanted = set(of) or set(self.plies)
        found: Counter[int | None] = Counter()
        for (generation, why, result), games in self.ends.items():
            if generation in wanted and reason in (None, why):
                found[result] += games
        return Results(
            games=found.total(),
            seat_0_wins=found[1],
            draws=found[0],
            seat_1_wins=found[-1],
            unknown=found[None],
        )


def _values(sums: Floats) -> Values:
    count = int(sums[0])
    if count == 0:
        return Values(plies=0, mean=None, spread=None)
    mean = float(sums[1] / count)
    return Values(plies=count, mean=mean, spread=max(0.0, float(sums[2] / count) - mean**2) ** 0.5)
