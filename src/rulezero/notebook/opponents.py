"""The opponents of a notebook: levels by name, players by text, and the nets of runs."""

from pathlib import Path

from rulezero._core import Game, PlayerError
from rulezero.errors import among
from rulezero.play.dialogue import SIMS
from rulezero.play.dialogue import opponent as default
from rulezero.play.players import Player, kinds, read_player
from rulezero.web.levels import offer_of


def opponent_of(
    game: Game, seat: int, given: str | Path | Player | None, sims: int | None
) -> Player:
    """The player of a level (club), a text (puct:sims=200) or a net (runs/x, RUN@latest, a file).

    `sims` replaces the simulations per choice. PlayerError names what is known.
    """
    player = _player(game, seat, given)
    if sims is None:
        return player
    if not player.has("sims"):
        raise PlayerError(f"'{player.text}' has no simulations: set the simulations to None")
    return player.changed(sims=str(sims))


def adviser_of(machine: Player, sims: int | None) -> Player:
    """The player that gives hints: the opponent's net, or else plain PUCT, strong enough."""
    least = max(SIMS, sims or 0)
    if machine.net is not None and machine.has("sims"):
        return machine.changed(sims=str(max(least, int(machine.number("sims")))))
    return read_player("puct", sims=least)


def _player(game: Game, seat: int, given: str | Path | Player | None) -> Player:
    if given is None or isinstance(given, Player):
        return default() if given is None else given
    text = str(given)
    levels = {level.name: level for level in offer_of(game).levels}
    if text in levels:
        return read_player(levels[text].text(seat))
    if text.partition(":")[0] in kinds():
        return read_player(text)
    if Path(text.rpartition("@")[0] or text).exists() or Path(text).exists():
        return default(net=text)
    known = ", ".join(levels)
    raise PlayerError(
        f"there is no opponent '{text}'{among(text, [*levels, *kinds()])};"
        f" levels: {known}; or give a player's text, or the path of a run or a net"
    )
