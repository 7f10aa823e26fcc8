"""The strongest players measured, by game and seat."""

from functools import cache
from pathlib import Path

import msgspec

from rulezero._core import Game

FILE = Path(__file__).with_suffix(".yaml")


class Strongest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player with the most points in one seat of a game."""

    player: str
    points: float
    games: int  # games that it played in this seat, against all others measured


@cache
def _measured() -> dict[str, tuple[Strongest, Strongest]]:
    kind = dict[str, tuple[Strongest, Strongest]]
    return msgspec.yaml.decode(FILE.read_bytes(), type=kind)


def strongest(game: Game) -> tuple[Strongest, Strongest] | None:
    """The strongest players measured in seats 0 and 1; None for games that were not measured.

    They were measured without nets, with the game's default rules.
    """
    return _measured().get(game.text)
