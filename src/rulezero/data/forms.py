"""Reads and writes records in other file formats: .jsonl, .pgn, .npz."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from rulezero.data import arrays, jsonl, pgn
from rulezero.data.columns import RecordError
from rulezero.data.place import Report
from rulezero.data.record import Purpose, Record
from rulezero.data.replay import game_of
from rulezero.data.store import Store

_Read = Callable[[IO[bytes], str, str | None, bool, Report], Iterator[Record]]

_WRITERS = {".jsonl": jsonl.write, ".pgn": pgn.write, ".npz": arrays.write_npz}
_READERS: dict[str, _Read] = {".jsonl": jsonl.read, ".pgn": pgn.read}


def export(
    records: Iterable[Record], path: str | Path, form: str | None = None, *, trusted: bool = True
) -> int:
    """Writes the records to a file and returns their number; `form` replaces the path's suffix.

    The file appears when it is complete. Unless `trusted`, records whose games would run or read a
    file are refused, as writing them needs the rules.
    """
    path = Path(path)
    write = _WRITERS[_form(path, form, list(_WRITERS), "written")]
    if not path.parent.is_dir():
        raise RecordError(f"there is no folder '{path.parent}' to write '{path.name}' into")
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            number = write(records, file, lambda text: game_of(text, trusted=trusted))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return number


def import_file(
    path: str | Path,
    game: str | None = None,
    *,
    form: str | None = None,
    purpose: Purpose | None = None,
    trusted: bool = False,
    report: Report | None = None,
) -> Iterator[Record]:
    """Yields the records of a .jsonl or .pgn file, each replayed and checked.

    `game` is the game of records that do not name theirs. `purpose` is given to all records; by
    default it is the one in the file, or else human in PGN and self-play in lines of other
    programs. A mistake raises RecordError with file and line, after the records before it; if there
    is a `report` function, it is called with the error instead, and reading continues after the
    mistake. Unless `trusted`, games that would run or read a file are refused.
    """
    path = Path(path)
    if path.is_dir():
        is_store = any(path.glob("*.games")) or (path / "records").is_dir()
        raise RecordError(
            f"'{path}' is a store, which needs no import: use it as it is"
            if is_store
            else f"'{path}' is a folder: name a .jsonl or a .pgn file in it"
        )
    if path.exists() and not path.is_file():
        raise RecordError(f"'{path}' is not a regular file: name a .jsonl or a .pgn file")
    read = _READERS[_form(path, form, list(_READERS), "read")]
    if not path.is_file():
        raise RecordError(f"there is no '{path}'")
    found = _records(path, read, game, trusted, report or _raise)
    if purpose is None:
        return found
    return (msgspec.structs.replace(record, purpose=purpose) for record in found)


def records(path: str | Path, *, tolerant: bool = False) -> Store | Iterator[Record]:
    """The records at a path: a store, a run's folder with its store, a .jsonl or a .pgn file.

    With tolerant=True a store skips damaged parts and lists them in `problems`.
    """
    if not str(path):
        raise RecordError("'' is not a path: give a store, a run's folder or a file")
    path = Path(path)
    if not path.exists():
        raise RecordError(f"there is no '{path}'")
    return store_of(path, tolerant=tolerant) if path.is_dir() else import_file(path)


def store_of(path: str | Path, *, tolerant: bool = False) -> Store:
    """The store of a folder, which may be a run's."""
    inner = Path(path) / "records"
    return Store(inner if inner.is_dir() else path, tolerant=tolerant)


def _records(
    path: Path, read: _Read, game: str | None, trusted: bool, report: Report
) -> Iterator[Record]:
    with path.open("rb") as file:
        yield from read(file, str(path), game, trusted, report)


def _raise(error: RecordError) -> None:
    raise error


def _form(path: Path, form: str | None, known: list[str], done: str) -> str:
    wanted = "." + (form or path.suffix).lstrip(".").lower()
    if wanted not in known:
        raise RecordError(
            f"'{path}' does not end in {' or '.join(known)}: only these can be {done}"
        )
    return wanted
