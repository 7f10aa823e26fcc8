"""Records as numpy arrays, for programs that learn in their own way.

`write` makes a folder, piece by piece:

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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import CHANCE, Game, remake
from rulezero.data.check import check
from rulezero.data.columns import Floats, RecordError
from rulezero.data.place import Report
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay, game_of, is_chosen, policies, replay_of
from rulezero.files import sync_folder, write_whole
from rulezero.seeds import keyed
from rulezero.version import __version__

SPLITS = ("train", "val", "test")

_BLOCK = 1024  # positions that are held in memory at once
# What a .npz calls some of the arrays above.
_NPZ_NAMES = {"positions": "planes", "mcts_values": "values", "game_results": "results"}

_Plies = npt.NDArray[np.int64]
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
    games: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    positions = 0
    game: Game | None = None
    wrong: list[RecordError] = []
    for record in records:
        games[record.game] += 1
        if len(games) > 1:
            continue  # only to name all games that are there
        game = game or game_of(record.game, trusted=trusted)
        try:
            plies = len(_learned(record, check(record, game=game)))
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
        raise RecordError(f"arrays are of one game, and here are {names}: name one with --game")
    if game is None:
        raise RecordError("there are no records to write")
    if len(wrong) == games.total():
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

    The folder appears when it is whole; little of it is in memory at any time. `tell` is called
    with the number of games written so far, and of all games.
    """
    check_place(folder)
    check_room(found.bytes(options), folder)
    parts: dict[str, list[_Plies]] = {name: [] for name in SPLITS}
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
                for block in _blocks(record, number, found.game, augment=options.augment):
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

    The arrays are those of a folder, with other names. Openings and interrupted games are among
    them, and results are how games ended.
    """
    parts: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
    ids: list[str] = []
    game: Game | None = None
    for record in records:
        game = game or game_for(record.game)
        if ids and game.text != record.game:
            raise RecordError(f"one .npz has one game: {game.text}, then {record.game}")
        for block in _blocks(record, len(ids), game, is_complete=True):
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
    """A .npy file that grows by rows; it is right once it is closed."""

    def __init__(self, path: Path, rows: npt.NDArray[Any]) -> None:
        """A file for rows such as these, which are not written yet."""
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
        # numpy leaves room for the number of rows to grow, so that every head is as long.
        self._file.seek(0)
        form = {
            "descr": np.lib.format.dtype_to_descr(self._kind),
            "fortran_order": False,
            "shape": (self._rows, *self._shape),
        }
        np.lib.format.write_array_header_1_0(self._file, form)


def _learned(record: Record, played: Replay) -> _Plies:
    """The plies of a record that nets learn from."""
    if record.end_reason == "interrupted":
        return np.zeros(0, np.int64)
    return np.flatnonzero(is_chosen(record, played))


def _blocks(
    record: Record, number: int, game: Game, *, is_complete: bool = False, augment: bool = False
) -> Iterator[_Arrays]:
    """The rows of a record; mirror images stand behind what they mirror.

    They are the plies and the result that nets learn, or if complete all choices of seats and the
    outcome.
    """
    columns, played = record.columns(), replay_of(record, game)
    chosen, result = _learned(record, played), record.learned_result
    if is_complete:
        chosen, result = np.flatnonzero(played.movers != CHANCE), record.outcome
    for first in range(0, max(1, len(chosen)), _BLOCK):
        plies = chosen[first : first + _BLOCK]
        plain = _show(record.start, columns, plies, game)
        views = [(plain, np.ones(len(plies), np.bool_))]
        if augment and game.has_mirror:
            turned = _show(record.start, columns, plies, game, is_mirrored=True)
            views.append((turned, turned.differs(plain)))
        for shown, kept in views:
            size = int(kept.sum())
            policy = policies(shown.slots, shown.weights, shown.offsets, game.facts.slots)
            yield {
                "positions": shown.planes[kept],
                "policies": policy[kept],
                "mcts_values": columns.value[plies][kept],
                "game_results": np.full(size, result, np.float32),
                "movers": played.movers[plies][kept],
                "plies": plies[kept].astype(np.int32),
                "games": np.full(size, number, np.int32),
                "mirrored": np.full(size, shown is not plain),
            }


class _Shown(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """k positions as a net sees them, or in the mirror."""

    planes: Floats  # [k, channels, rows, columns]
    offsets: npt.NDArray[np.int64]  # [k + 1] of the pairs of each
    slots: npt.NDArray[np.int32]  # [m] of each pair
    weights: npt.NDArray[np.uint16]  # [m]

    def differs(self, other: "_Shown") -> npt.NDArray[np.bool_]:
        """Where it teaches something else than the other, [k]."""
        differs: npt.NDArray[np.bool_] = (self.planes != other.planes).any(axis=(1, 2, 3))
        rows = np.repeat(np.arange(len(self.planes)), np.diff(self.offsets))
        differs[rows[self.slots != other.slots]] = True
        return differs


def _show(
    start: str, columns: Columns, plies: _Plies, game: Game, *, is_mirrored: bool = False
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
