"""`rulezero generate`: games of a recipe, or of a game, into a store."""

from typing import Annotated, Literal

import typer

import rulezero as rz
from rulezero.cli.terminal.options import (
    GAMES,
    PLAYERS,
    Changes,
    Preset,
    Starts,
    Workers,
    net_option,
    sims_option,
)
from rulezero.cli.terminal.screen import counting, gone_on_with, warn
from rulezero.cli.terminal.words import counted


def generate(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="Recipe, .yaml file, or game.")],
    to: Annotated[
        str,
        typer.Option("--to", "--output-dir", metavar="STORE", help="Folder to add the games to."),
    ],
    net: Annotated[
        str | None, net_option("Net for both players (default: the hand-written heuristic).")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "--num-games",
            min=1,
            help="Number of games (default: as in the recipe).",
            rich_help_panel=GAMES,
        ),
    ] = None,
    sims: Annotated[
        int | None,
        sims_option("Simulations per move of the side that learns (default: as in the recipe)."),
    ] = None,
    curriculum: Annotated[
        bool,
        typer.Option(
            "--curriculum",
            help="Start from the game's built-in lesson positions.",
            rich_help_panel=GAMES,
        ),
    ] = False,
    starts: Starts = None,
    scripted_black: Annotated[
        bool,
        typer.Option(
            "--scripted-black",
            help="Let the scripted player, which hunts the white king, play Black (monster).",
            rich_help_panel=PLAYERS,
        ),
    ] = False,
    force_result: Annotated[
        int | None,
        typer.Option(
            min=-1,
            max=1,
            help="Store -1, 0 or 1 (seat 0 loses, draws or wins) as the result to learn from every"
            " game, whatever its outcome.",
            rich_help_panel=GAMES,
        ),
    ] = None,
    train_side: Annotated[
        Literal["white", "black", "both"],
        typer.Option(
            help="Side that plays with --net and --sims. The other side is the opponent.",
            rich_help_panel=PLAYERS,
        ),
    ] = "both",
    opponent_net: Annotated[
        str | None,
        typer.Option(
            "--opponent-net",
            "--opponent-model",
            metavar="NET",
            help="The opponent's net (default: the hand-written heuristic).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    opponent_sims: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The opponent's simulations per move (default: 200).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    game_timeout: Annotated[
        float,
        typer.Option(
            min=0.001,
            help="Skip a game that takes longer than this many seconds.",
            rich_help_panel=GAMES,
        ),
    ] = 600.0,
    preset: Preset = "small",
    changes: Changes = None,
    workers: Workers = 0,
) -> None:
    """Play self-play games with a net or with the hand-written heuristic, and store them.

    Examples:
      rulezero generate razzle --games 50 --to games
      rulezero generate monster --curriculum --scripted-black --to lessons
    """
    if curriculum and starts is not None:
        raise typer.BadParameter("games begin from --curriculum or from --starts, not from both")
    experiment = rz.config.load_or_game(recipe, preset, changes or [], has_net=net is not None)
    options = rz.steps.GenerateOptions(
        games=games,
        sims=sims,
        starts="curriculum" if curriculum else starts,
        train_side=train_side,
        opponent_net=opponent_net,
        opponent_sims=opponent_sims,
        scripted_black=scripted_black,
        force_result=force_result,
        game_timeout=game_timeout,
    )
    with counting("playing") as tell, gone_on_with():
        made = rz.generate(experiment, to, net=net, options=options, workers=workers, on_game=tell)
    warn([f"game {index} is left out: {why}" for index, why in sorted(made.failed.items())])
    typer.echo(say(made, to))


def say(made: rz.steps.Generated, to: str) -> str:
    """What came of it, in a line."""
    words = f"{counted(made.played, 'game')} played"
    if made.failed:
        words += f", {len(made.failed)} left out"
    return f"{words}; {to} has {made.kept} of these"
