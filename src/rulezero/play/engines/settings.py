"""The keys of the player `uci`, such as uci:path=stockfish,movetime=100,option.UCI_Elo=1700."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from rulezero._core import Game, PlayerError

NAME = "uci"
OPTION = "option."  # before the engine's own name of an option
KEYS = {
    "path": "the engine's program: a path, or the name of a program on the PATH; needed",
    "args": "arguments of the program, with spaces between them",
    "movetime": "thinking time per move in milliseconds (default: 1000, unless nodes= or depth="
    " is given)",
    "nodes": "number of positions that it may search per move",
    "depth": "search depth in plies",
    "patience": "seconds that a move may take beyond movetime (default: 5, without movetime 60);"
    " then the engine has lost the game",
    "option.NAME": "an option of the engine, by its own name: option.Skill Level=5",
}
"""What the keys mean; they are texts, and the core reads none of them."""

_MOST = 10**12
_MOVETIME = 1000  # milliseconds


class EngineSettings(NamedTuple):
    """What engine to start, and how long it thinks."""

    command: tuple[str, ...]
    limits: tuple[tuple[str, int], ...]  # of `go`: movetime, nodes, depth
    patience: float  # seconds for a move, beyond its movetime
    options: tuple[tuple[str, str], ...]  # by the engine's names

    @property
    def name(self) -> str:
        """The program, for messages."""
        return self.command[0]

    @property
    def seconds(self) -> float:
        """The time limit of a move in seconds; 0: none."""
        return dict(self.limits).get("movetime", 0) / 1000


def read_engine(keys: Mapping[str, str]) -> EngineSettings:
    """The settings of a player's keys; PlayerError if one is missing or wrong."""
    if "path" not in keys:
        raise PlayerError("uci needs the engine's program: uci:path=stockfish")
    limits = {
        name: _whole(name, keys[name]) for name in ("movetime", "nodes", "depth") if name in keys
    }
    if not limits:
        limits["movetime"] = _MOVETIME
    return EngineSettings(
        command=(keys["path"], *keys.get("args", "").split()),
        limits=tuple(limits.items()),
        patience=_seconds(keys, 5.0 if "movetime" in limits else 60.0),
        options=tuple(
            (name.removeprefix(OPTION), text)
            for name, text in keys.items()
            if name.startswith(OPTION)
        ),
    )


def check_engine(settings: EngineSettings, game: Game) -> None:
    """PlayerError if there is no such program, or if it cannot play this game."""
    if not game.facts.uci:
        raise PlayerError(
            f"a UCI engine cannot play {game.text}: it plays chess, and random_chess with standard"
            " pieces"
        )
    if shutil.which(settings.name) is None:
        why = "is not a program" if Path(settings.name).exists() else "does not exist"
        raise PlayerError(
            f"uci: path={settings.name} {why}: give the path of a UCI engine, such as stockfish"
        )


def _whole(name: str, text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:20]) <= _MOST:
        raise PlayerError(f"{name} is '{text}'; give a whole number from 1 to {_MOST}")
    return int(text)


def _seconds(keys: Mapping[str, str], fallback: float) -> float:
    text = keys.get("patience")
    if text is None:
        return fallback
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.001 <= seconds <= 86400:
        raise PlayerError(f"patience is '{text}'; give a number of seconds from 0.001 to 86400")
    return seconds
