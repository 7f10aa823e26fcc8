"""`rulezero games`: what can be played and trained, rule options, and heuristics' weights."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import rulezero as rz
from rulezero.cli.terminal.screen import open_console, plain_table


def games(
    game: Annotated[
        str | None,
        typer.Argument(
            help="Game whose options and heuristic weights to list (default: all games)."
        ),
    ] = None,
) -> None:
    """List the games with their rule options, and the recipes that train them.

    Examples:
      rulezero games
      rulezero games monster
    """
    console = open_console()
    if game is None:
        _print_all(console)
        return
    facts = rz.load(game).facts
    options = plain_table(console, "rule option", "default", "meaning")
    _add_options(options, facts.name)
    weights = plain_table(console, "weight", "default", "meaning", has_room=False)
    for each in facts.weights:
        weights.add_row(f"[bold]{each.name}[/]", f"{each.fallback:g}", each.help)
    for table in (_sizes(console, [facts]), options, weights):
        if table.row_count:
            console.print(table)
    if not facts.weights:
        console.print(f"{facts.name} has no tunable weights", highlight=False)


def _print_all(console: Console) -> None:
    names = sorted(rz.game_options())
    console.print(_sizes(console, [rz.load(name).facts for name in names]))
    recipes = plain_table(console, "recipe", "game", "presets")
    for name, game, presets in rz.config.catalogue():
        recipes.add_row(f"[bold cyan]{name}[/]", game, ", ".join(presets))
    console.print(recipes)
    options = plain_table(console, "rule option", "default", "meaning")
    for name in names:
        _add_options(options, name)
    if options.row_count:
        console.print(options)


def _sizes(console: Console, games: list[rz.Facts]) -> Table:
    table = plain_table(
        console, "game", "board", ">actions", ">slots", "planes", ">max plies", "dice", ">rules"
    )
    for facts in games:
        table.add_row(
            f"[bold cyan]{facts.name}[/]",
            "x".join(map(str, facts.board)),
            str(facts.actions),
            str(facts.slots),
            "x".join(map(str, facts.planes)),
            str(facts.max_plies),
            "yes" if facts.has_chance else "no",
            f"v{facts.version}",
        )
    return table


def _add_options(table: Table, game: str) -> None:
    for option, fallback, help_text in rz.game_options().get(game, ()):
        table.add_row(f"[cyan]{game}[/]:[bold]{option}[/]=", fallback, help_text)
