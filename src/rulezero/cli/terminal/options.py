"""Options that several verbs have, and the groups that --help shows options in."""

from typing import Annotated, Any, TypeVar

import typer

T = TypeVar("T")

# Groups of options in a help text; what is in none stands below "Options".
PLAYERS = "Players"
GAMES = "Games"
RECORDS = "Which records"
RECIPE = "Recipe"
OUTPUT = "Output"

Preset = Annotated[
    str,
    typer.Option(
        metavar="PRESET",
        help="Size of the recipe: tiny, small, medium or full.",
        rich_help_panel=RECIPE,
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the recipe, such as fit.batch=64. Can be repeated.",
        rich_help_panel=RECIPE,
    ),
]
Position = Annotated[
    str | None,
    typer.Option(
        "--position",
        "--fen",
        metavar="TEXT",
        help="Position to start from, as a FEN or the game's own text (default: the game's start).",
        rich_help_panel=GAMES,
    ),
]
Starts = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Start from the positions in this file, one per line (default: the game's start).",
        rich_help_panel=GAMES,
    ),
]
Workers = Annotated[
    int, typer.Option(min=0, help="Number of worker processes (0: one per CPU core).")
]
FleetText = Annotated[
    str,
    typer.Option(
        "--fleet",
        metavar="FLEET",
        help="Where games are played: local (worker processes, or threads if a net runs on a GPU),"
        " local:threads=N (N threads of one process), ray (actors of a Ray cluster, such as"
        " ray:address=auto) or http (workers of any machine, see docs/fleet.md).",
    ),
]
GameText = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="Game, such as chess, exchange:dice=fixed:3 or my_game.py (see `rulezero games`).",
    ),
]
GameTexts = Annotated[
    list[str] | None, typer.Argument(metavar="GAME...", help="Games (default: all built-in ones).")
]
Trusted = Annotated[
    bool,
    typer.Option(
        "--trusted",
        help="Allow records to run the Python files and read the piece files that they name.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


Seconds = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        min=0.001,
        help="Thinking time per move of each player that searches (default: its own limits).",
        rich_help_panel=PLAYERS,
    ),
]


def given_once(argument: T | None, option: T | None, names: tuple[str, str]) -> T:
    """What is given as an argument, or by the option that the original programs had for it."""
    if (argument is None) == (option is None):
        both = "" if argument is None else ", not both"
        raise typer.BadParameter(f"give {names[0]} or {names[1]}{both}")
    found = option if argument is None else argument
    assert found is not None
    return found


def net_option(words: str, panel: str | None = PLAYERS) -> Any:
    """The option --net, which the original programs called --use-model."""
    return typer.Option("--net", "--use-model", metavar="NET", help=words, rich_help_panel=panel)


def sims_option(words: str) -> Any:
    """The option --sims, which the original programs called --simulations."""
    return typer.Option("--sims", "--simulations", min=1, help=words, rich_help_panel=PLAYERS)
