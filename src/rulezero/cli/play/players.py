"""`rulezero players`: who can play, and the keys of their texts."""

from typing import Annotated

import typer
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.screen import open_console, plain_table


def players(
    kind: Annotated[str | None, typer.Argument(help="One kind of player; all of them.")] = None,
) -> None:
    """List the kinds of players and their keys: puct:sims=200,c_puct=1.25."""
    known = rz.play.kinds()
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
