"""`rulezero players`: who can play, and the keys of their texts."""

from typing import Annotated

import typer
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.screen import open_console, plain_table


def players(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND|GAME]",
            help="Kind of player whose keys to list, or game whose strongest players to list"
            " (default: all kinds).",
        ),
    ] = None,
) -> None:
    """List the kinds of players and the keys of each, or the strongest players of a game.

    Examples:
      rulezero players
      rulezero players puct
      rulezero players monster
    """
    known = rz.play.kinds()
    if kind is not None and kind.partition(":")[0] in rz.game_names():
        _show_strongest(rz.load(kind))
        return
    if kind is not None and kind not in known:
        raise rz.PlayerError(
            f"there is no player '{kind}'{rz.nearest(kind, known)}; known: {', '.join(known)}"
        )
    console = open_console()
    for player in known.values() if kind is None else [known[kind]]:
        console.print(Text.assemble((player.name, "bold cyan"), f"  {player.help}"), soft_wrap=True)
        keys = plain_table(console, "key", "default", "meaning", has_room=False)
        for key in player.keys:
            keys.add_row(Text(f"  {key.name}", "bold"), key.fallback, Text(key.help))
        if player.keys:
            console.print(keys)
        console.print()


def _show_strongest(game: rz.Game) -> None:
    """Prints who is the strongest in each seat of a game, as far as it was measured."""
    found = rz.play.strongest(game)
    if found is None:
        raise rz.PlayerError(
            f"players of {rz.view.title(game.text)} were not measured; rulezero match and rulezero"
            " rate do so"
        )
    console = open_console()
    table = plain_table(console, "seat", "strongest measured", ">score", has_room=False)
    for name, each in zip(game.facts.seat_names, found, strict=True):
        table.add_row(name, Text(each.player), f"{each.points:g} of {each.games}")
    console.print(table)
    words = "measured without nets; a net of yours may be stronger: rulezero play GAME --net RUN"
    console.print(words, soft_wrap=True)
