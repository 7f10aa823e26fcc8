"""Statistics of many records: how games ended, and the search's values."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec
import numpy as np

from rulezero.data.columns import Floats, RecordError
from rulezero.data.place import Report
from rulezero.data.record import Record

_Ends = Counter[int | None]  # games by seat 0's result; None: unknown


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """How games ended, counted."""

    games: int
    seat_0_wins: int
    draws: int
    seat_1_wins: int
    unknown: int  # interrupted games


class Values(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of the search's values, seat 0's, over all plies with a known value."""

    plies: int
    mean: float | None  # None if no value is known, as the next
    spread: float | None  # standard deviation


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """The games of one iteration."""

    number: int | None  # None: of games that belong to no iteration
    plies: int
    results: Results
    values: Values


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All records of one game."""

    game: str  # canonical text
    plies: int
    purposes: dict[str, int]  # games of each, the most frequent first, as in the next two
    sources: dict[str, int]
    ends: dict[str, Results]  # by end reason
    results: Results
    values: Values
    generations: tuple[Generation, ...]  # by number; None last


def summarise(records: Iterable[Record], report: Report | None = None) -> list[Summary]:
    """A summary of each game among the records, in the order of their texts.

    A record with damaged columns raises RecordError; if there is a `report` function, it is called
    with the error instead, and the record is left out.
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
        self.reasons: dict[str, _Ends] = defaultdict(Counter)  # by end reason
        self.ends: dict[int | None, _Ends] = defaultdict(Counter)  # by generation, as the next two
        self.plies: Counter[int | None] = Counter()
        self.sums: dict[int | None, Floats] = {}  # [3] values: count, sum, sum of squares

    def add(self, record: Record, value: Floats) -> None:
        """Counts a record; `value` is [plies], NaN if unknown."""
        generation = record.iteration
        result = None if record.end_reason == "interrupted" else int(np.sign(record.outcome))
        known = value[np.isfinite(value)].astype(np.float64)
        sums = np.array([len(known), known.sum(), np.square(known).sum()])
        self.purposes[record.purpose] += 1
        self.sources[record.source] += 1
        self.reasons[record.end_reason][result] += 1
        self.ends[generation][result] += 1
        self.plies[generation] += record.plies
        self.sums[generation] = self.sums.get(generation, 0) + sums

    def summary(self, game: str) -> Summary:
        """All counts of the game."""
        reasons = sorted(self.reasons, key=lambda reason: -self.reasons[reason].total())
        generations = sorted(self.plies, key=lambda number: (number is None, number))
        return Summary(
            game=game,
            plies=self.plies.total(),
            purposes=dict(self.purposes.most_common()),
            sources=dict(self.sources.most_common()),
            ends={reason: _results(self.reasons[reason]) for reason in reasons},
            results=_results(sum(self.ends.values(), Counter())),
            values=_values(np.sum(list(self.sums.values()), axis=0)),
            generations=tuple(
                Generation(
                    number=number,
                    plies=self.plies[number],
                    results=_results(self.ends[number]),
                    values=_values(self.sums[number]),
                )
                for number in generations
            ),
        )


def _results(ends: _Ends) -> Results:
    return Results(
        games=ends.total(),
        seat_0_wins=ends[1],
        draws=ends[0],
        seat_1_wins=ends[-1],
        unknown=ends[None],
    )


def _values(sums: Floats) -> Values:
    count = int(sums[0])
    if count == 0:
        return Values(plies=0, mean=None, spread=None)
    mean = float(sums[1] / count)
    return Values(plies=count, mean=mean, spread=max(0.0, float(sums[2] / count) - mean**2) ** 0.5)
