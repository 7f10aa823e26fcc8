"""`rulezero generate`: games of a recipe, or of a game, into a store."""

from enum import StrEnum
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import Changes, Preset, Workers
from rulezero.cli.terminal.screen import counting, gone_on_with, warn
from rulezero.cli.terminal.words import counted


class Side(StrEnum):
    """Who learns."""

    white = "white"
    black = "black"
    both = "both"


def generate(
    recipe: Annotated[str, typer.Argument(help="A recipe, a .yaml file, or a game.")],
    to: Annotated[
        str,
        typer.Option("--to", "--output-dir", metavar="STORE", help="The folder that keeps them."),
    ],
    net: Annotated[
        str | None,
        typer.Option(
            "--net",
            "--use-model",
            metavar="NET",
            help="The players' net; hand-written rules.",
        ),
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="How many; as the recipe says.")] = None,
    sims: Annotated[
        int | None,
        typer.Option(
            "--sims",
            "--simulations",
            min=1,
            help="Simulations of who learns; as the recipe says.",
        ),
    ] = None,
    curriculum: Annotated[
        bool, typer.Option("--curriculum", help="Begin from the lessons that come with the game.")
    ] = False,
    starts: Annotated[
        str | None, typer.Option(metavar="FILE", help="Begin from these positions, one a line.")
    ] = None,
    scripted_black: Annotated[
        bool, typer.Option("--scripted-black", help="Black hunts by the book (monster).")
    ] = False,
    force_result: Annotated[
        int | None,
        typer.Option(min=-1, max=1, help="What learners are told of every game: -1, 0, 1."),
    ] = None,
    train_side: Annotated[
        Side, typer.Option(help="Who plays with the net and all sims; the other is the opponent.")
    ] = Side.both,
    opponent_net: Annotated[
        str | None,
        typer.Option(
            "--opponent-net", "--opponent-model", metavar="NET", help="Its net; the heuristic."
        ),
    ] = None,
    opponent_sims: Annotated[int | None, typer.Option(min=1, help="Its simulations; 200.")] = None,
    game_timeout: Annotated[
        float, typer.Option(min=0.001, help="Seconds after which a game is left out.")
    ] = 600.0,
    preset: Preset = "small",
    changes: Changes = None,
    workers: Workers = 0,
) -> None:
    """Play self-play games with a net, or without, and keep them."""
    if curriculum and starts is not None:
        raise typer.BadParameter("games begin from --curriculum or from --starts, not from both")
    experiment = rz.config.load_or_game(recipe, preset, changes or [], has_net=net is not None)
    options = rz.steps.GenerateOptions(
        games=games,
        sims=sims,
        starts="curriculum" if curriculum else starts,
        train_side=train_side.value,
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
