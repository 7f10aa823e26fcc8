"""`rulezero check game`: plays random games and tries the laws that every game must keep."""

import sys
from typing import Annotated

import typer
from rich.columns import Columns
from rich.console import Console

import rulezero as rz
from rulezero.cli.terminal.screen import open_console, print_pairs
from rulezero.cli.terminal.words import counted


def game(
    text: Annotated[
        str,
        typer.Argument(metavar="GAME", help="Python file or game, such as my_game.py or monster."),
    ],
    games: Annotated[int, typer.Option(min=1, help="Number of random games to play.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    seconds: Annotated[
        float, typer.Option(min=0, help="Stop playing after this many seconds.")
    ] = 5.0,
) -> None:
    """Check the rules of a game, such as your own in a Python file, by playing random games.

    Prints each law of games that the rules break, with the file and line of the method, and exits
    with code 1 if there is one.

    Examples:
      rulezero check game my_game.py
      rulezero check game my_game.py --games 500 --seed 7
    """
    found = rz.check_game(text, games=games, seed=seed, seconds=seconds)
    console = open_console()
    _show(console, found)
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for error in found.errors:
        print(f"error: {error}", file=sys.stderr)
    warnings = f", {counted(len(found.warnings), 'warning')}" if found.warnings else ""
    if found.errors:
        typer.echo(f"{counted(len(found.errors), 'mistake')} found{warnings}")
        raise typer.Exit(1)
    typer.echo(f"no mistake found{warnings}")


def _show(console: Console, found: rz.GameCheck) -> None:
    """Prints a random game, and what all of them were like."""
    if not found.sample:
        return
    facts = rz.load(found.game).facts
    shown = sorted({0, len(found.sample) // 2, len(found.sample) - 1})
    if found.is_sound:
        names = facts.seat_names
        boards = [
            rz.view.draw(found.sample[at], f"ply {at}" if at else "start", names=names)
            for at in shown
        ]
        with console.capture() as picture:
            console.print(Columns(boards, padding=(0, 1)))
        console.file.writelines(f"{line.rstrip()}\n" for line in picture.get().splitlines())
        console.print()
    lengths = found.lengths
    first, drawn, second = found.results
    results = (
        f"{facts.seat_names[0]} won {first}, {facts.seat_names[1]} won {second}, {drawn} drawn"
    )
    pairs = [
        ("games", f"{found.games} random ones, {found.positions:,} positions examined"),
        (
            "plies",
            f"{min(lengths)} to {max(lengths)}, {sum(lengths) / len(lengths):.1f} on average",
        ),
        ("results", f"{results}, {found.cut} stopped at max_plies" if found.cut else results),
        ("choices", f"{found.moves:.1f} legal actions on average"),
    ]
    if found.plies_per_second:
        speed = (
            f"{found.plies_per_second:,.0f} plies, {found.planes_per_second:,.0f} planes a second"
        )
        pairs.append(("speed", speed))
    print_pairs(console, pairs)
