"""Which players a visitor may let play, so that one visitor does not use up the machine."""

import re

import rulezero as rz
from rulezero.web.levels import player_text
from rulezero.web.limits import MOST_DEPTH, MOST_SIMS

_FILES = ("net", "weights", "tables")  # keys that name files
_FREE = ("temperature", "temperature_turns", "temperature_later", "draw_value", "random_ties",
         "sharpness", "captures", "eval", "c_puct", "c", "fpu", "noise", "hunt")  # fmt: skip


def admitted(given: str, game: rz.Game, seat: int, *, is_owner: bool) -> rz.Player:
    """The player of a text or a level, if this visitor may use it. PlayerError, GameError."""
    if re.match(r"\w+=", given):
        raise rz.PlayerError(f"'{given[:60]}' names no kind of player: write puct:{given[:60]}")
    player = rz.player(player_text(given, game, seat))
    if is_owner or given.startswith("level:"):
        return player
    for key in player.spec.options:
        if key in _FILES:
            raise rz.PlayerError(
                f"{key}= names a file of the server, which only its owner may use: open the"
                " address that `rulezero serve` has printed"
            )
        if key not in (*_FREE, "sims", "depth"):
            raise rz.PlayerError(
                f"{key}= is not open to visitors; use {', '.join(('sims', 'depth', *_FREE[:4]))}"
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
