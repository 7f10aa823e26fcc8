"""Writes records as numpy arrays, for other training programs.

`write` makes a folder with these files:

positions.npy     [n, channels, rows, columns]  float32, as the mover sees them
policies.npy      [n, slots]  float32, sums to 1; a row of zeros if there is no policy
mcts_values.npy   [n]  float32, seat 0's by the search, NaN if unknown
game_results.npy  [n]  float32, seat 0's at the end of the game
movers.npy        [n]  int8, the seat that chose
games.npy         [n]  int32, the index of the game in ids.npy
plies.npy         [n]  int32
mirrored.npy      [n]  bool, whether it is another position's mirror image
weights.npy       [n]  float32, of the position in the loss; only with the targets of a recipe
ids.npy           [games]  text, of the records
splits.npz        train, val, test: int64, rows of the arrays; each game is in one split only
meta.json         Meta
"""

import contextlib
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game
from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.place import Report
from rulezero.data.record import Record
from rulezero.data.replay import game_of
from rulezero.data.rows import LessonOf, Plies, blocks, complete, learned
from rulezero.files import sync_folder, write_whole
from rulezero.seeds import keyed
from rulezero.version import __version__

SPLITS = ("train", "val", "test")

# The names in a .npz of some of the arrays above.
_NPZ_NAMES = {"positions": "planes", "mcts_values": "values", "game_results": "results"}


class ArrayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `write`."""

    augment: bool = True  # add every position's mirror image, if the game has a mirror
    seed: int = 42  # of the split
    split: tuple[float, float, float] = (80, 10, 10)  # per cent of the games for each of SPLITS
    recipe: str | None = None  # for meta.json: the recipe whose targets are written, and changes


class Survey(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The result of `survey`: what `write` will write."""

    game: Game
    numbers: dict[str, int]  # of each record with positions, by its id
    positions: int  # without mirror images
    lesson_of: LessonOf = learned  # what is written for a record

    def bytes(self, options: ArrayOptions) -> int:
        """The size on disk; slightly less if positions are their own mirror images."""
        facts = self.game.facts
        each = 4 * (int(np.prod(facts.planes)) + facts.slots + 5) + 2 + 8
        return self.positions * each * (2 if options.augment and self.game.has_mirror else 1)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a split."""

    games: int
    positions: int


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """What `write` has written, and how."""

    game: str  # canonical text
    rules_version: int
    encoding: int  # of planes and slots
    planes: tuple[int, int, int]  # channels, rows, columns
    slots: int
    games: int
    positions: int
    mirrored: int  # mirror images among these
    splits: dict[str, Part]
    options: ArrayOptions
    rulezero: str
    numpy: str


def survey(
    records: Iterable[Record],
    *,
    lesson_of: LessonOf | None = None,
    trusted: bool = False,
    report: Report | None = None,
) -> Survey:
    """Checks records, which must be of one game, and counts what can be learned from them.

    `lesson_of` gives what is learned from a record (default: `learned`, which needs no recipe). An
    invalid record raises RecordError; if there is a `report` function, it is called with the error
    instead, and the record is left out.
    """
    lesson_of = lesson_of or learned
    games: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    positions = 0
    game: Game | None = None
    wrong: list[RecordError] = []
    for record in records:
        games[record.game] += 1
        if len(games) > 1:
            continue  # counted for the error message
        game = game or game_of(record.game, trusted=trusted)
        try:
            plies = len(lesson_of(record, check(record, game=game)).plies)
        except RecordError as error:
            if report is None:
                raise
            wrong.append(RecordError(f"record {record.id} is left out: {error}"))
            report(wrong[-1])
            continue
        if plies:
            numbers[record.id] = len(numbers)
            positions += plies
    if len(games) > 1:
        names = ", ".join(f"{text} ({count})" for text, count in games.most_common())
        raise RecordError(f"arrays must be of one game, but here are {names}: name one with --game")
    if game is None:
        raise RecordError("there are no records to write")
    if len(wrong) == games.total():
        raise wrong[0]
    if not positions:
        raise RecordError(
            "nothing can be learned from these games: openings, dice, interrupted games"
            " and what a recipe skips are left out"
        )
    return Survey(game=game, numbers=numbers, positions=positions, lesson_of=lesson_of)


def split_of(moves_id: str, options: ArrayOptions) -> str:
    """The split of all records with these moves, drawn with the seed."""
    point = (keyed("split", options.seed, moves_id) >> 11) / 2**53  # in [0, 1)
    place = np.searchsorted(np.cumsum(options.split[:2]), 100 * point, side="right")
    return SPLITS[int(place)]


def check_place(folder: Path) -> None:
    """Raises RecordError if arrays cannot be written there."""
    if folder.exists():
        raise RecordError(f"'{folder}' exists already: choose another name")
    if not folder.parent.is_dir():
        raise RecordError(f"there is no folder '{folder.parent}' to write '{folder.name}' into")


def check_room(size: int, folder: Path) -> None:
    """Raises RecordError if the disk has no room for this many bytes."""
    free = shutil.disk_usage(folder.parent).free
    if size > free:
        raise RecordError(
            f"'{folder}' needs {size / 1e9:.1f} GB, but its disk has {free / 1e9:.1f} GB free:"
            " make room, write to another disk, or take fewer games"
        )


def unfinished(folder: Path) -> list[Path]:
    """Temporary folders of processes that write this folder, or were killed while doing so."""
    name = re.compile(rf"{re.escape(folder.name)}\.\d+\.half")
    return sorted(path for path in folder.parent.iterdir() if name.fullmatch(path.name))


def write(
    records: Iterable[Record],
    found: Survey,
    folder: Path,
    options: ArrayOptions,
    tell: Callable[[int, int], None] | None = None,
) -> Meta:
    """Writes the records that a survey found, and returns what was written.

    The folder appears when it is complete; only a small part of it is in memory at any time.
    `tell` is called with the number of games written so far and the total.
    """
    check_place(folder)
    check_room(found.bytes(options), folder)
    parts: dict[str, list[Plies]] = {name: [] for name in SPLITS}
    left = dict(found.numbers)
    rows = mirrored = 0
    with _aside(folder) as half:
        with contextlib.ExitStack() as stack:
            files: dict[str, _NpyFile] = {}
            for record in records:
                number = left.pop(record.id, None)
                if number is None:
                    continue
                begin = rows
                made = blocks(record, number, found.game, found.lesson_of, augment=options.augment)
                for block in made:
                    rows += len(block["plies"])
                    mirrored += int(block["mirrored"].sum())
                    for name, array in block.items():
                        if name not in files:
                            files[name] = stack.enter_context(_NpyFile(half / f"{name}.npy", array))
                        files[name].add(array)
                parts[split_of(record.moves_id, options)].append(np.arange(begin, rows))
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
            positions=rows,
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


def write_npz(records: Iterable[Record], file: IO[bytes], game_for: Callable[[str], Game]) -> int:
    """Writes one .npz of all plies at which a seat chose; returns the number of records.

    The arrays are those of a folder, some under other names. Openings and interrupted games are
    included, and results are the games' outcomes.
    """
    parts: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
    ids: list[str] = []
    game: Game | None = None
    for record in records:
        game = game or game_for(record.game)
        if ids and game.text != record.game:
            raise RecordError(f"a .npz has one game, but here are {game.text}, {record.game}")
        for block in blocks(record, len(ids), game, complete):
            del block["mirrored"]
            for name, array in block.items():
                parts[_NPZ_NAMES.get(name, name)].append(array)
        ids.append(record.id)
    if not ids:
        raise RecordError("there are no records to write")
    whole = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    np.savez_compressed(file, allow_pickle=False, ids=np.array(ids), **whole)
    return len(ids)


class _NpyFile:
    """A .npy file that grows by rows; it is valid once it is closed."""

    def __init__(self, path: Path, rows: npt.NDArray[Any]) -> None:
        """Creates a file for rows of this type and shape; these rows are not written."""
        self._rows = 0
        self._kind, self._shape = rows.dtype, rows.shape[1:]
        self._file = path.open("wb")
        self._head()

    def __enter__(self) -> "_NpyFile":
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._head()

    def add(self, rows: npt.NDArray[Any]) -> None:
        """Appends rows, [k, *shape]."""
        self._file.write(np.ascontiguousarray(rows).data)
        self._rows += len(rows)

    def _head(self) -> None:
        # numpy pads the header so that the number of rows can grow: its length stays the same.
        self._file.seek(0)
        form = {
            "descr": np.lib.format.dtype_to_descr(self._kind),
            "fortran_order": False,
            "shape": (self._rows, *self._shape),
        }
        np.lib.format.write_array_header_1_0(self._file, form)


@contextlib.contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """A temporary folder: renamed to `folder` when it is complete, deleted after an error."""
    half = folder.with_name(f"{folder.name}.{os.getpid()}.half")
    shutil.rmtree(half, ignore_errors=True)  # of a killed process with the same id
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
