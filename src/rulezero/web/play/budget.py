"""Which players a visitor may let play, so that one visitor does not use up the machine."""

import re

import rulezero as rz
from rulezero.web.levels import player_text
from rulezero.web.limits import CHOICE_SECONDS, MOST_DEPTH, MOST_SIMS

_FILES = ("net", "weights", "tables")  # keys that name files
_FREE = ("temperature", "temperature_turns", "temperature_later", "draw_value", "random_ties",
         "sharpness", "captures", "eval", "c_puct", "c", "fpu", "noise", "hunt")  # fmt: skip


def admitted(given: str, game: rz.Game, seat: int, *, is_owner: bool) -> rz.Player:
    """The player of a text or a level, if this visitor may use it. PlayerError, GameError."""
    if re.match(r"\w+=", given):
        raise rz.PlayerError(f"'{given[:60]}' names no kind of player: write puct:{given[:60]}")
    player = rz.player(player_text(given, game, seat))
    if player.engine is not None:
        raise rz.PlayerError(
            f"{player.text[:60]} would start a program of the server, which the page never does:"
            " use `rulezero play`"
        )
    if is_owner or given.startswith("level:"):
        return player
    for key in player.spec.options:
        if key in _FILES:
            raise rz.PlayerError(
                f"{key}= names a file of the server, which only its owner may use: open the"
                " address that `rulezero serve` has printed"
            )
        if key not in (*_FREE, "sims", "depth", "time"):
            raise rz.PlayerError(
                f"{key}= is not open to visitors; use"
                f" {', '.join(('sims', 'depth', 'time', *_FREE[:4]))}"
            )
    if player.seconds > CHOICE_SECONDS:
        raise rz.PlayerError(
            f"time={player.seconds:g}: visitors have at most {CHOICE_SECONDS:g} seconds a move"
        )
    if player.number("sims") > MOST_SIMS:
        raise rz.PlayerError(
            f"sims={player.number('sims'):g}: visitors have at most {MOST_SIMS} simulations"
        )
    most = MOST_DEPTH.get(player.spec.name)
    if most is not None and player.number("depth") > most:
        raise rz.PlayerError(
            f"depth={player.number('depth'):g}: visitors have at most depth={most}"
        )
    return player
