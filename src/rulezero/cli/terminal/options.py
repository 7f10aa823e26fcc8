"""Options that several verbs have."""

from typing import Annotated, Any, TypeVar

import typer

T = TypeVar("T")

Preset = Annotated[str, typer.Option(help="tiny, small, medium or full.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change a key of the recipe, such as fit.batch=64."
    ),
]
Position = Annotated[
    str | None, typer.Option("--position", "--fen", metavar="TEXT", help="Start position.")
]
Starts = Annotated[
    str | None, typer.Option(metavar="FILE", help="Start from these positions, one per line.")
]
Workers = Annotated[int, typer.Option(min=0, help="Number of worker processes (0: one per core).")]
GameText = Annotated[str, typer.Argument(help="A game: chess, exchange:dice=fixed:3, ...")]
GameTexts = Annotated[
    list[str] | None, typer.Argument(metavar="[GAME]...", help="Games (default: all of them).")
]
Trusted = Annotated[bool, typer.Option("--trusted", help="Run or read the files that games name.")]


def given_once(argument: T | None, option: T | None, names: tuple[str, str]) -> T:
    """What is given as an argument, or by the option that the original programs had for it."""
    if (argument is None) == (option is None):
        both = "" if argument is None else ", not both"
        raise typer.BadParameter(f"give {names[0]} or {names[1]}{both}")
    found = option if argument is None else argument
    assert found is not None
    return found


def net_option(words: str) -> Any:
    """The option --net, which the original programs called --use-model."""
    return typer.Option("--net", "--use-model", metavar="NET", help=words)


def sims_option(words: str) -> Any:
    """The option --sims, which the original programs called --simulations."""
    return typer.Option("--sims", "--simulations", min=1, help=words)
