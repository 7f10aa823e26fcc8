"""The rows of a record in arrays: its plies, and what is learned from each."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import CHANCE, Game, remake
from rulezero.data.columns import Floats
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay, is_chosen, policies, replay_of

_BLOCK = 1024  # positions held in memory at once

Plies = npt.NDArray[np.int64]
Arrays = dict[str, npt.NDArray[Any]]  # by the name of their file


class Lesson(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What is written for a record of n plies. Values are seat 0's."""

    plies: Plies  # [k] the plies to write, ascending
    columns: Columns  # their pairs are the policies
    value: Floats  # [n] the search's; NaN if unknown
    result: Floats  # [n] the game's result
    weight: Floats | None = None  # [n] in the loss; None: not written


LessonOf = Callable[[Record, Replay], Lesson]


def learned(record: Record, played: Replay) -> Lesson:
    """What nets learn, without the settings of a recipe: no openings, dice, interrupted games."""
    is_learned = is_chosen(record, played) & (record.end_reason != "interrupted")
    return _plain(record, is_learned, record.learned_result)


def complete(record: Record, played: Replay) -> Lesson:
    """All plies that a seat chose, and the outcome."""
    return _plain(record, played.movers != CHANCE, record.outcome)


def _plain(record: Record, is_taken: npt.NDArray[np.bool_], result: float) -> Lesson:
    columns = record.columns()
    return Lesson(
        plies=np.flatnonzero(is_taken),
        columns=columns,
        value=columns.value,
        result=np.full(record.plies, result, np.float32),
    )


def blocks(
    record: Record, number: int, game: Game, lesson_of: LessonOf, *, augment: bool = False
) -> Iterator[Arrays]:
    """Yields the rows of a record; mirror images follow the rows that they mirror."""
    played = replay_of(record, game)
    lesson = lesson_of(record, played)
    for first in range(0, max(1, len(lesson.plies)), _BLOCK):
        plies = lesson.plies[first : first + _BLOCK]
        plain = _show(record.start, lesson.columns, plies, game)
        views = [(plain, np.ones(len(plies), np.bool_))]
        if augment and game.has_mirror:
            turned = _show(record.start, lesson.columns, plies, game, is_mirrored=True)
            views.append((turned, turned.differs(plain)))
        for shown, kept in views:
            size = int(kept.sum())
            policy = policies(shown.slots, shown.weights, shown.offsets, game.facts.slots)
            rows: Arrays = {
                "positions": shown.planes[kept],
                "policies": policy[kept],
                "mcts_values": lesson.value[plies][kept],
                "game_results": lesson.result[plies][kept],
                "movers": played.movers[plies][kept],
                "plies": plies[kept].astype(np.int32),
                "games": np.full(size, number, np.int32),
                "mirrored": np.full(size, shown is not plain),
            }
            if lesson.weight is not None:
                rows["weights"] = lesson.weight[plies][kept]
            yield rows


class _Shown(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """k positions as a net sees them, or their mirror images."""

    planes: Floats  # [k, channels, rows, columns]
    offsets: npt.NDArray[np.int64]  # [k + 1] of the pairs of each
    slots: npt.NDArray[np.int32]  # [m] of each pair
    weights: npt.NDArray[np.uint16]  # [m]

    def differs(self, other: "_Shown") -> npt.NDArray[np.bool_]:
        """Whether each position differs from the other's in planes or policy, [k]."""
        differs: npt.NDArray[np.bool_] = (self.planes != other.planes).any(axis=(1, 2, 3))
        rows = np.repeat(np.arange(len(self.planes)), np.diff(self.offsets))
        differs[rows[self.slots != other.slots]] = True
        return differs


def _show(
    start: str, columns: Columns, plies: Plies, game: Game, *, is_mirrored: bool = False
) -> _Shown:
    """The positions before these plies of a game, which are in ascending order."""
    counts = np.diff(columns.offsets)
    has_pairs = np.repeat(np.isin(np.arange(len(counts)), plies), counts)  # [pairs]
    shown = _Shown(
        planes=np.empty((len(plies), *game.facts.planes), np.float32),
        offsets=np.append(0, np.cumsum(counts[plies])),
        slots=np.empty(int(has_pairs.sum()), np.int32),
        weights=columns.pair_targets[has_pairs],
    )
    remake(
        game,
        [(start, columns.actions)],
        plies.astype(np.uint32),
        planes=shown.planes,
        offsets=shown.offsets,
        pairs=columns.pair_actions[has_pairs],
        slots=shown.slots,
        mirrored=np.full(len(plies), is_mirrored),
    )
    return shown
