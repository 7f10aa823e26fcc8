"""Table files: a header page, the verdicts, and a checksum for each block of verdicts.

They are mapped into memory, and written under another name first, so that a table is never
incomplete. A table that is being solved is saved in the same form, with the suffix `.part`.
"""

import hashlib
import os
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from rulezero._core import RulezeroError, block_sums
from rulezero.files import write_whole

TABLE = ".table"
PART = ".part"

_PAGE = 4096  # bytes before the verdicts
_FORMAT = "rulezero endgame table"
_VERSION = 1
REMEDY = "delete it, and solve it again"

Verdicts = NDArray[np.int8]
Sums = NDArray[np.uint64]


class TableError(RulezeroError):
    """Raised for a table that is missing, damaged or wrong."""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a file's first page."""

    format: str = _FORMAT
    version: int = _VERSION
    game: str
    rules: int  # version of the game's rules
    men: str
    layers: int  # turns of the longest wins that were searched for
    size: int  # number of verdicts, one byte each
    digest: str = ""  # hash of these fields and of the sums


class Mapped(msgspec.Struct, frozen=True):
    """A file mapped into memory: pages are read on first use."""

    header: Header
    verdicts: Verdicts
    sums: Sums


def write(path: Path, verdicts: Verdicts, *, game: str, rules: int, men: str, layers: int) -> None:
    """Writes a table; a reader finds the old file or the new one, never half of it."""
    sums = np.array(block_sums(verdicts), np.uint64)
    bare = Header(game=game, rules=rules, men=men, layers=layers, size=verdicts.size)
    header = msgspec.structs.replace(bare, digest=_digest(bare, sums))
    page = msgspec.json.encode(header).ljust(_PAGE - 1) + b"\n"
    write_whole(path, page, verdicts.data, sums.astype("<u8").tobytes())


def read(path: Path) -> Mapped:
    """Maps a table; TableError if the file is not a table, or damaged."""
    try:
        with path.open("rb") as file:
            page = file.read(_PAGE)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from error
    try:
        header = msgspec.json.decode(page.rstrip(), type=Header)
    except msgspec.MsgspecError as error:
        raise TableError(f"{path} is not an endgame table: {REMEDY} ({error})") from error
    if header.format != _FORMAT or header.version != _VERSION:
        raise TableError(f"{path} has another format or version: {REMEDY}")
    sums = size - _PAGE - header.size
    if header.size < 0 or sums < 0 or sums % 8:
        raise TableError(f"{path} is damaged: {REMEDY}")
    found = Mapped(
        header,
        np.memmap(path, np.int8, "r", _PAGE, (header.size,)),
        np.fromfile(path, "<u8", offset=_PAGE + header.size).astype(np.uint64),
    )
    if _digest(msgspec.structs.replace(header, digest=""), found.sums) != header.digest:
        raise TableError(f"{path} is damaged: {REMEDY}")
    return found


def _digest(header: Header, sums: Sums) -> str:
    whole = msgspec.json.encode(header) + sums.astype("<u8").tobytes()
    return hashlib.blake2b(whole, digest_size=16).hexdigest()
