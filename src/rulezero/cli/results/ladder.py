"""`rulezero ladder`: every kind of player of a game on one scale, at one time limit."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import GAMES, PLAYERS, GameText, Json, Workers
from rulezero.cli.terminal.screen import counting, open_console, plain_table, print_json
from rulezero.cli.terminal.words import counted


def ladder(
    game: GameText,
    seconds: Annotated[
        float,
        typer.Option(
            "--time",
            metavar="SECONDS",
            min=0.001,
            help="Thinking time per move of all players that search.",
            rich_help_panel=PLAYERS,
        ),
    ] = rz.contest.LADDER_TIME,
    players: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Rate only this player and those given in the same way, instead of every kind of"
            " player that needs no net. Can be repeated. The first one has 0 Elo (default: ucb1).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Rate this player, too, such as puct:net=runs/first or uci:path=stockfish. Can be"
            " repeated.",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option(min=2, help="Number of games for each two players.", rich_help_panel=GAMES),
    ] = 20,
    opening: Annotated[
        int,
        typer.Option(
            min=0, help="Number of random plies at the start of a game.", rich_help_panel=GAMES
        ),
    ] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.", rich_help_panel=GAMES)] = 0,
    workers: Workers = 0,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="STORE",
            help="Keep every game in this folder. The same command then goes on where it was"
            " stopped.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Rate every kind of player of a game at the same thinking time per move.

    Each worker process plays one game at a time, so give it a core of its own.

    Examples:
      rulezero ladder connect4 --time 0.05 --games 10
      rulezero ladder chess --add uci:path=stockfish --save games
    """
    with counting("playing", lines_of="games") as tell:
        found = rz.ladder(
            game,
            players or (),
            add=add or (),
            time=seconds,
            games=games,
            opening=opening,
            seed=seed,
            workers=workers,
            save=save,
            tell=tell,
        )
    if as_json:
        print_json(found)
    else:
        show(found, open_console())


def show(found: rz.contest.LadderResult, console: Console) -> None:
    """Prints the players, the strongest first."""
    names = rz.load(found.game).facts.seat_names
    limit = "" if found.time is None else f", {found.time:g} s per move"
    words = f"{counted(found.games, 'game')}{limit}, {found.played} of them played now"
    if found.played == found.games:
        words = f"{counted(found.games, 'game')}{limit}"
    title = f"{rz.view.title(found.game)}: {words}"
    console.print(Text(title, "bold"), soft_wrap=True)
    table = plain_table(
        console,
        *("player", ">Elo", f">{100 * found.confidence:.4g} %", ">games", ">score"),
        *(f">as {name}" for name in names),
        ">searched per move",
        has_room=False,
    )
    for rung in found.rungs:
        rating = rung.rating
        table.add_row(
            Text(rung.player),
            f"{rating.elo:+.0f}",
            rating.interval,
            str(rating.games),
            f"{rating.score:.1%}",
            *(f"{counts.score:.1%}" for counts in rung.by_seat),
            f"{rung.sims:,.0f}" if rung.sims else "",
        )
    console.print(table)
    for rung in found.rungs:
        if rung.forfeits:
            lost = f"{rung.player} lost {counted(rung.forfeits, 'game')} by forfeit"
            console.print(lost, markup=False, soft_wrap=True)
    if found.warning:
        console.print(found.warning.replace("opening=", "--opening "), markup=False, soft_wrap=True)
    console.print(f"the first seat is worth {found.advantage_text}", markup=False)
