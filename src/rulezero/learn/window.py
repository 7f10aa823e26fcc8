"""The window: the games that a net learns from, as packed arrays."""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import IntEnum
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from pydantic import Field

from rulezero._core import Game as CoreGame
from rulezero.data.columns import Floats, Numbers
from rulezero.data.record import Columns, Record, Thoughts
from rulezero.data.replay import Replay, replay_of
from rulezero.learn.targets import Targets, learned_pairs
from rulezero.settings import Settings

Indices = npt.NDArray[np.int64]

_HASHED = 16  # hexadecimal digits that decide which part a record belongs to


class Part(IntEnum):
    """The use of a game."""

    TRAINING = 0
    HELD_OUT = 1  # never trained on: nets are measured on these games
    VALIDATION = 2  # never trained on: a fit ends early if its loss on these games stops falling


class WindowSettings(Settings):
    """The games to learn from."""

    kind: Literal["fixed", "generations", "growing"] = "fixed"
    plies: int = Field(100_000, ge=1)  # fixed: size of the window; growing: its initial size
    generations: int = Field(2, ge=1)  # number of generations to keep, including the current one
    growth: float = Field(0.75, gt=0, lt=1)  # growing: plies * (all plies / plies) ** growth
    mix: float | None = Field(None, ge=0, le=1)  # share of older games in a batch; none: by weight
    # Weights by source or purpose; games with such a weight stay in the window for the whole run.
    always: dict[str, Annotated[float, Field(ge=0, le=1e6)]] = Field(default_factory=dict)
    held_out: float = Field(0.03, ge=0, lt=1)  # share of games that are never trained on
    # Share of games whose loss decides when fit.patience ends a fit; 0: the held-out games decide.
    validation: float = Field(0.0, ge=0, lt=1)
    surprise: float = Field(0.0, ge=0, le=1)  # share of the weight given by policy surprise

    def idle(self) -> dict[str, str]:
        """Keys that are only for other kinds."""
        kinds = {
            "plies": ("fixed", "growing"),
            "generations": ("generations",),
            "growth": ("growing",),
        }
        return {key: f"kind={own[0]}" for key, own in kinds.items() if self.kind not in own}


class Game(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The part of a record that the window keeps: enough to replay every ply."""

    start: str
    actions: Numbers  # [n]
    movers: npt.NDArray[np.int8]  # [n]
    offsets: npt.NDArray[np.int32]  # [n + 1] of the pairs of each ply
    pair_actions: Numbers  # [m]
    pair_targets: npt.NDArray[np.uint16]  # [m]
    targets: Targets
    generation: int
    part: Part
    task: str = ""
    is_kept: bool = False  # whether it stays in the window whatever its age


def joined(parts: Iterable[npt.NDArray[Any]], kind: Any = np.float32) -> npt.NDArray[Any]:
    """The concatenation of arrays; empty if there are none."""
    return np.concatenate([np.zeros(0, kind), *parts]).astype(kind, copy=False)


class Positions(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """p positions. Values are from the mover's point of view."""

    game: npt.NDArray[np.int32]  # [p] index of the window's game
    ply: npt.NDArray[np.int32]  # [p]
    plies_left: npt.NDArray[np.int32]  # [p] until the end of the game
    result: Floats  # [p] as the next three: see Targets
    drawn: Floats  # [p]
    search: Floats  # [p]
    draw: Floats  # [p]
    weight: Floats  # [p]
    has_policy: npt.NDArray[np.bool_]  # [p]
    generation: npt.NDArray[np.int32]  # [p]
    part: npt.NDArray[np.int8]  # [p]

    @classmethod
    def of(cls, games: list[Game]) -> "Positions":
        """Every ply of these games with a weight above 0."""
        plies = [np.flatnonzero(game.targets.weight > 0).astype(np.int32) for game in games]
        sizes = [len(each) for each in plies]
        known = list(zip(games, plies, strict=True))

        sign = joined(np.where(game.movers[each] == 1, -1, 1) for game, each in known)
        return cls(
            game=np.repeat(np.arange(len(games), dtype=np.int32), sizes),
            ply=joined(plies, np.int32),
            plies_left=joined((len(game.actions) - each for game, each in known), np.int32),
            result=sign * joined(game.targets.result[each] for game, each in known),
            drawn=joined(game.targets.drawn[each] for game, each in known),
            search=sign * joined(game.targets.search[each] for game, each in known),
            draw=joined(game.targets.draw[each] for game, each in known),
            weight=joined(game.targets.weight[each] for game, each in known),
            has_policy=joined((game.targets.has_policy[each] for game, each in known), bool),
            generation=np.repeat(np.array([game.generation for game in games], np.int32), sizes),
            part=np.repeat(np.array([game.part for game in games], np.int8), sizes),
        )

    def at(self, which: Indices) -> "Positions":
        """The positions at these indices."""
        return Positions(**{name: getattr(self, name)[which] for name in self.__struct_fields__})


class Window:
    """Games in the order in which they were added; the oldest are removed first.

    Positions are identified by numbers: all plies with a weight above 0, game after game.
    """

    def __init__(self, settings: WindowSettings) -> None:
        self.settings = settings
        self.games: list[Game] = []
        self.seen = 0  # plies that were ever added
        self._positions = Positions.of([])

    def __len__(self) -> int:
        return len(self._positions.weight)

    def add(
        self,
        record: Record,
        columns: Columns,
        played: Replay,
        targets: Targets,
        *,
        generation: int,
    ) -> None:
        """Adds a record; its positions have numbers after the next `trim`."""
        weighed = weighted(record, columns, targets, self.settings)
        columns = learned_pairs(columns, targets)
        self.games.append(
            Game(
                start=record.start,
                actions=columns.actions,
                movers=played.movers,
                offsets=columns.offsets.astype(np.int32),
                pair_actions=columns.pair_actions,
                pair_targets=columns.pair_targets,
                targets=weighed,
                generation=generation,
                part=part_of(record, self.settings),
                task=record.task,
                is_kept=_times(record, self.settings) is not None,
            )
        )
        self.seen += record.plies

    def trim(self) -> None:
        """Removes games that no longer fit, and numbers the positions of the others."""
        self.games = _kept(self.games, self.settings, self.seen)
        self._positions = Positions.of(self.games)

    def positions(self, part: Part, generation: int | None = None) -> Indices:
        """The positions of a part, in one generation or in all."""
        known = self._positions
        wanted = known.part == part
        if generation is not None:
            wanted &= known.generation == generation
        return np.flatnonzero(wanted)

    def at(self, positions: Indices) -> Positions:
        """The data of positions."""
        return self._positions.at(positions)

    def narrowed(self, since: int, tasks: Collection[str] | None = None) -> "Window":
        """A window with the games from a generation on, of these tasks or of all."""
        found = Window(self.settings)
        found.games = [
            game
            for game in self.games
            if game.generation >= since and (tasks is None or game.task in tasks)
        ]
        found._positions = Positions.of(found.games)
        return found


def take(
    window: Window,
    records: Iterable[Record],
    game: CoreGame,
    targets_of: Callable[[Record, Columns, Replay, Columns | None], Targets],
    generation: int,
    notes: Mapping[str, Thoughts] | None = None,
) -> None:
    """Adds games to a window in the order of their tasks; `notes` are a judge's, by record id."""
    for record in sorted(records, key=lambda record: (record.task, record.index)):
        columns, played = record.columns(), replay_of(record, game)
        targets = targets_of(record, columns, played, noted(record, notes or {}))
        window.add(record, columns, played, targets, generation=generation)
    window.trim()


def noted(record: Record, notes: Mapping[str, Thoughts]) -> Columns | None:
    """A judge's note about a record; None if there is none."""
    note = notes.get(record.id)
    return None if note is None else note.columns(record.action_numbers())


def part_of(record: Record, settings: WindowSettings) -> Part:
    """The part of a record, by a hash of its moves, so that copies of a game stay together."""
    place = int(record.moves_id[:_HASHED], 16) / 16**_HASHED
    if place < settings.held_out:
        return Part.HELD_OUT
    return Part.VALIDATION if place < settings.held_out + settings.validation else Part.TRAINING


def weighted(
    record: Record, columns: Columns, targets: Targets, settings: WindowSettings
) -> Targets:
    """A record's targets with their weights in the window."""
    found = _by_surprise(targets, columns, settings.surprise)
    times = _times(record, settings)
    if times is None:
        return found
    return msgspec.structs.replace(found, weight=found.weight * np.float32(times))


def _times(record: Record, settings: WindowSettings) -> float | None:
    """The weight of a record that always stays in the window; None for other records."""
    return settings.always.get(record.source, settings.always.get(record.purpose))


def _by_surprise(targets: Targets, columns: Columns, share: float) -> Targets:
    """Targets whose weight depends in part on how much the search changed the net's policy."""
    surprise = np.nan_to_num(columns.surprise) * (targets.weight > 0)
    if share == 0 or surprise.sum() == 0:
        return targets
    by_surprise = surprise * (targets.weight.sum() / surprise.sum())
    weight = ((1 - share) * targets.weight + share * by_surprise).astype(np.float32)
    return msgspec.structs.replace(targets, weight=weight)


def _kept(games: list[Game], settings: WindowSettings, seen: int) -> list[Game]:
    """The games that stay in the window; `seen` is the number of plies that were ever added."""
    newest = max((game.generation for game in games), default=0)
    room = settings.plies
    if settings.kind == "growing":
        room = max(room, round(room * (seen / room) ** settings.growth))
    kept = []
    for game in reversed(games):
        if settings.kind == "generations":
            is_inside = game.generation > newest - settings.generations
        else:
            is_inside = room > 0
            room -= 0 if game.is_kept else len(game.actions)
        if is_inside or game.is_kept:
            kept.append(game)
    return kept[::-1]
