"""Positions to begin from, in a file."""

import re
from pathlib import Path

from rulezero._core import Game, PositionError

_COMMENT = re.compile(r"(^|\s)#.*")
_LARGEST = 1 << 26  # bytes


def read_starts(path: str | Path, game: Game) -> list[str]:
    """The positions of a file, one a line, # before comments; each is one of the game's.

    PositionError names the line that is none, or where the game is over.
    """
    path = Path(path)
    if not path.is_file():
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise PositionError(
            f"'{path}' is no ordinary file, and positions are read from one"
            if path.exists()
            else f"there is no file of positions '{path}'{where}"
        )
    if path.stat().st_size > _LARGEST:
        raise PositionError(f"'{path}' is too large for a file of positions")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise PositionError(f"'{path}' is no text") from None
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
            raise PositionError(f"{path}:{number}: the game is over there ({state.end_reason})")
        starts.append(text)
    if not starts:
        raise PositionError(f"'{path}' has no position")
    return starts
