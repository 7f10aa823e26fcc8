"""Records as arrays on disk, piece by piece: what other programs learn from.

positions.npy     [n, channels, rows, columns]  float32, as the mover sees them
policies.npy      [n, slots]  float32, sums to 1; a row of zeros where there is no policy
mcts_values.npy   [n]  float32, seat 0's by the search, NaN where none is known
game_results.npy  [n]  float32, seat 0's at the end of the game
movers.npy        [n]  int8, the seat that chose
games.npy         [n]  int32, the place of the game in ids.npy
plies.npy         [n]  int32
mirrored.npy      [n]  bool, whether it is another position's mirror image
ids.npy           [games]  text, of the records
splits.npz        train, val, test: int64, places in all of these; a game is in one of them whole
meta.json         Meta
"""

import contextlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game
from rulezero.data.arrays import show
from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.place import Report
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay, game_of, replay_of
from rulezero.files import sync_folder, write_whole
from rulezero.learn.targets import Targets, TargetSettings, of_play
from rulezero.play.task import keyed
from rulezero.version import __version__

SPLITS = ("train", "val", "test")

_BLOCK = 1024  # positions that are held in memory at once
_Arrays = dict[str, npt.NDArray[Any]]  # by the name of their file


class ArrayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How arrays are to be made."""

    augment: bool = True  # add the mirror image of every position, where the game has a mirror
    seed: int = 42  # of the split
    split: tuple[float, float, float] = (80, 10, 10)  # per cent of the games for each of SPLITS


class Survey(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What there is to write."""

    game: Game
    numbers: dict[str, int]  # of each record that has positions, by its id
    positions: int  # without mirror images

    def bytes(self, options: ArrayOptions) -> int:
        """How much room it takes; a little less where positions are their own mirror images."""
        facts = self.game.facts
        each = 4 * (int(np.prod(facts.planes)) + facts.slots + 4) + 2 + 8
        return self.positions * each * (2 if options.augment and self.game.has_mirror else 1)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """How much is in a split."""

    games: int
    positions: int


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """What was written, with what."""

    game: str  # canonical text
    rules_version: int
    encoding: int  # of planes and slots
    planes: tuple[int, int, int]  # channels, rows, columns
    slots: int
    games: int
    positions: int
    mirrored: int  # of these
    splits: dict[str, Part]
    options: ArrayOptions
    rulezero: str
    numpy: str


def survey(
    records: Iterable[Record], *, trusted: bool = False, report: Report | None = None
) -> Survey:
    """What there is to learn from in records, which must be of one game; each is checked.

    One that is not true is a RecordError; with a `report` function, that is called with the error,
    and the record is left out.
    """
    found: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    positions = 0
    game: Game | None = None
    wrong: list[RecordError] = []
    for record in records:
        found[record.game] += 1
        if len(found) > 1:
            continue  # only to tell of all games that are there
        game = game or game_of(record.game, trusted=trusted)
        try:
            plies = len(_learned(record, record.columns(), check(record, game=game))[1])
        except RecordError as error:
            if report is None:
                raise
            wrong.append(RecordError(f"record {record.id} is left out: {error}"))
            report(wrong[-1])
            continue
        if plies:
            numbers[record.id] = len(numbers)
            positions += plies
    if len(found) > 1:
        names = ", ".join(f"{text} ({games})" for text, games in found.most_common())
        raise RecordError(f"arrays are of one game, and here are {names}: name one with --game")
    if game is None:
        raise RecordError("there are no records to write")
    if len(wrong) == found.total():
        raise wrong[0]
    if not positions:
        raise RecordError(
            "nothing can be learned from these games: openings, dice and games that somebody"
            " interrupted are left out"
        )
    return Survey(game=game, numbers=numbers, positions=positions)


def split_of(moves_id: str, options: ArrayOptions) -> str:
    """The split of all records with these moves, drawn with the seed."""
    point = (keyed("split", options.seed, moves_id) >> 11) / 2**53  # in [0, 1)
    place = np.searchsorted(np.cumsum(options.split[:2]), 100 * point, side="right")
    return SPLITS[int(place)]


def check_place(folder: Path) -> None:
    """RecordError where arrays cannot be written."""
    if folder.exists():
        raise RecordError(f"'{folder}' exists already: choose another name")
    if not folder.parent.is_dir():
        raise RecordError(f"there is no folder '{folder.parent}' to write '{folder.name}' into")


def check_room(size: int, folder: Path) -> None:
    """RecordError where the disk has no room for so many bytes."""
    free = shutil.disk_usage(folder.parent).free
    if size > free:
        raise RecordError(
            f"'{folder}' would have {size / 1e9:.1f} GB, and its disk has {free / 1e9:.1f} GB free:"
            " make room, write to another one, or take fewer games"
        )


def unfinished(folder: Path) -> list[Path]:
    """What processes have left that were killed while they wrote this folder, or still write."""
    name = re.compile(rf"{re.escape(folder.name)}\.\d+\.half")
    return sorted(path for path in folder.parent.iterdir() if name.fullmatch(path.name))


def write(
    records: Iterable[Record],
    found: Survey,
    folder: Path,
    options: ArrayOptions,
    tell: Callable[[int, int], None] | None = None,
) -> Meta:
    """Writes the records that a survey found, and returns what there is then.

    The folder appears when it is whole; little of it is in memory at any time. `tell` is told how
    many games are done, and how many there are.
    """
    check_place(folder)
    check_room(found.bytes(options), folder)
    parts: dict[str, list[npt.NDArray[np.int64]]] = {name: [] for name in SPLITS}
    left = dict(found.numbers)
    mirrored = 0
    with _aside(folder) as half:
        with contextlib.ExitStack() as stack:
            columns = {
                name: stack.enter_context(_Column(half / f"{name}.npy", kind, shape))
                for name, kind, shape in _forms(found.game)
            }
            for record in records:
                number = left.pop(record.id, None)
                if number is None:
                    continue
                begin = columns["games"].rows
                for block in _blocks(record, number, found.game, augment=options.augment):
                    mirrored += int(block["mirrored"].sum())
                    for name, column in columns.items():
                        column.add(block[name])
                rows = np.arange(begin, columns["games"].rows)
                parts[split_of(record.moves_id, options)].append(rows)
                if tell is not None:
                    tell(len(found.numbers) - len(left), len(found.numbers))
        facts = found.game.facts
        meta = Meta(
            game=found.game.text,
            rules_version=facts.version,
            encoding=facts.encoding,
            planes=facts.planes,
            slots=facts.slots,
            games=len(found.numbers) - len(left),
            positions=columns["games"].rows,
            mirrored=mirrored,
            splits={
                name: Part(games=len(part), positions=sum(map(len, part)))
                for name, part in parts.items()
            },
            options=options,
            rulezero=__version__,
            numpy=np.__version__,
        )
        np.save(half / "ids.npy", np.array(list(found.numbers)))
        none = [np.zeros(0, np.int64)]
        np.savez(
            half / "splits.npz",
            allow_pickle=False,
            **{name: np.concatenate(none + part) for name, part in parts.items()},
        )
        text = msgspec.json.format(msgspec.json.encode(meta)) + b"\n"
        write_whole(half / "meta.json", text)
    return meta


class _Column:
    """A .npy file that grows by rows; it is right once it is closed."""

    def __init__(self, path: Path, kind: npt.DTypeLike, shape: tuple[int, ...]) -> None:
        self.rows = 0
        self._kind = np.dtype(kind)
        self._shape = shape  # of a row
        self._file = path.open("wb")
        self._head()

    def __enter__(self) -> "_Column":
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._head()

    def add(self, rows: npt.NDArray[Any]) -> None:
        """Appends rows, [k, *shape]."""
        self._file.write(np.ascontiguousarray(rows, self._kind).data)
        self.rows += len(rows)

    def _head(self) -> None:
        # numpy leaves room for the number of rows to grow, so that every head is as long.
        self._file.seek(0)
        form = {
            "descr": np.lib.format.dtype_to_descr(self._kind),
            "fortran_order": False,
            "shape": (self.rows, *self._shape),
        }
        np.lib.format.write_array_header_1_0(self._file, form)


def _forms(game: Game) -> list[tuple[str, npt.DTypeLike, tuple[int, ...]]]:
    """The files that have a row for each position: name, numbers, shape of a row."""
    return [
        ("positions", np.float32, game.facts.planes),
        ("policies", np.float32, (game.facts.slots,)),
        ("mcts_values", np.float32, ()),
        ("game_results", np.float32, ()),
        ("movers", np.int8, ()),
        ("games", np.int32, ()),
        ("plies", np.int32, ()),
        ("mirrored", np.bool_, ()),
    ]


def _blocks(record: Record, number: int, game: Game, *, augment: bool) -> Iterator[_Arrays]:
    """The rows of a record; mirror images stand behind what they mirror."""
    columns, played = record.columns(), replay_of(record, game)
    targets, learned = _learned(record, columns, played)
    for first in range(0, len(learned), _BLOCK):
        plies = learned[first : first + _BLOCK]
        plain = show(record.start, columns, plies, game)
        views = [(plain, np.ones(len(plies), np.bool_))]
        if augment and game.has_mirror:
            turned = show(record.start, columns, plies, game, is_mirrored=True)
            views.append((turned, turned.differs(plain)))
        for shown, kept in views:
            yield {
                "positions": shown.planes[kept],
                "policies": shown.policies(game)[kept],
                "mcts_values": targets.search[plies][kept],
                "game_results": targets.result[plies][kept],
                "movers": played.movers[plies][kept],
                "games": np.full(kept.sum(), number),
                "plies": plies[kept],
                "mirrored": np.full(kept.sum(), shown is not plain),
            }


def _learned(
    record: Record, columns: Columns, played: Replay
) -> tuple[Targets, npt.NDArray[np.int64]]:
    """What there is to learn from a record, and at which plies."""
    targets = of_play(record, columns, played, TargetSettings())
    return targets, np.flatnonzero(targets.weight > 0)


@contextlib.contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """Another folder, which takes this one's name when it is whole, and else goes."""
    half = folder.with_name(f"{folder.name}.{os.getpid()}.half")
    shutil.rmtree(half, ignore_errors=True)  # of a killed process that had our number
    half.mkdir()
    try:
        yield half
        for path in half.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        sync_folder(half)
        check_place(folder)
        half.rename(folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(half, ignore_errors=True)
