"""Reads start positions from a file."""

import re
from pathlib import Path

from rulezero._core import Game, PositionError

_COMMENT = re.compile(r"(^|\s)#.*")
_LARGEST = 1 << 26  # bytes


def read_starts(path: str | Path, game: Game) -> list[str]:
    """The positions of the game in a text file, one per line; comments begin with #.

    PositionError names a line with a wrong position, or one where the game is over.
    """
    path = Path(path)
    if not path.is_file():
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise PositionError(
            f"'{path}' is not a regular file: name a text file with one position per line"
            if path.exists()
            else f"there is no file of positions '{path}'{where}"
        )
    if path.stat().st_size > _LARGEST:
        raise PositionError(f"'{path}' is too large for a file of positions: give at most 64 MiB")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise PositionError(f"'{path}' is not a UTF-8 text file") from None
    starts = []
    for number, line in enumerate(lines, 1):
        text = _COMMENT.sub("", line).strip()
        if not text:
            continue
        try:
            state = game.parse(text)
        except PositionError as error:
            raise PositionError(f"{path}:{number}: {error}") from error
        if state.is_over:
            raise PositionError(f"{path}:{number}: the game is over here ({state.end_reason})")
        starts.append(text)
    if not starts:
        raise PositionError(f"'{path}' has no position: give one per line")
    return starts
