"""`rulezero play`: a game against a player, in the terminal."""

import contextlib
import secrets
from datetime import date
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlencode

import typer

import rulezero as rz
from rulezero.cli.fleet.serve import show_page
from rulezero.cli.terminal.options import (
    GAMES,
    OUTPUT,
    PLAYERS,
    Position,
    Trusted,
    net_option,
    sims_option,
)
from rulezero.cli.terminal.records import Selection, say_result
from rulezero.cli.terminal.screen import open_console
from rulezero.cli.terminal.table import Table, prepare_input, seats_for
from rulezero.cli.terminal.words import counted


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="Game, such as chess or exchange:dice=fixed:3. Not needed with --continue.",
        ),
    ] = None,
    net: Annotated[
        str | None,
        net_option(
            "The opponent's net: a run's folder, RUN@12 or a checkpoint (default: the"
            " hand-written heuristic)."
        ),
    ] = None,
    sims: Annotated[
        int | None, sims_option("The opponent's simulations per move (default: 400).")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            min=0.001,
            help="The opponent's thinking time per move, instead of a number of simulations.",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(
            metavar="0|1|white|black",
            help="Your seat (default: Black in Monster, White or the first seat in other games).",
            rich_help_panel=GAMES,
        ),
    ] = None,
    position: Position = None,
    record: Annotated[
        tuple[Path, str] | None,
        typer.Option(
            "--continue",
            metavar="GAMES RECORD",
            help="Continue a recorded game. GAMES is a store, a .pgn or a .jsonl file. RECORD is"
            " a number in the list of `rulezero replay GAMES`, an id, or last.",
            rich_help_panel=GAMES,
        ),
    ] = None,
    ply: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Continue after this ply of the record (default: its end).",
            rich_help_panel=GAMES,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--opponent",
            metavar="PLAYER",
            help="The opponent: a player (see `rulezero players`), or human for two people at one"
            " board (default: puct, or the opponent of the game that is continued).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Endgame tables for the opponent and for hints (monster).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(
            "--save",
            "--save-data",
            metavar="STORE",
            help="Keep the game in this folder (default: the store of --continue). The opponent"
            " then searches every move in full, because nets learn from it. Without --save it"
            " stops once the choice is clear, so it may play differently.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="Your name in the record and in PGN (default: human).", rich_help_panel=OUTPUT
        ),
    ] = None,
    in_browser: Annotated[
        bool,
        typer.Option(
            "--web",
            help="Play in a browser instead: serve the page on this machine and open it.",
            rich_help_panel=GAMES,
        ),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Random seed (default: a new one).", rich_help_panel=GAMES),
    ] = None,
    trusted: Trusted = False,
) -> None:
    """Play against a player in the terminal: moves as e2e4 or Nf3, help for the rest.

    Ctrl-C while the opponent thinks makes it move now. At the prompt it leaves the game.

    Examples:
      rulezero play monster
      rulezero play exchange --web
      rulezero play razzle --net runs/first --seat white --save games
      rulezero play --continue games last
    """
    if in_browser:
        given = {
            "--continue": record,
            "--ply": ply,
            "--tables": tables,
            "--save": save,
            "--name": name,
        }
        if unfit := [option for option, value in given.items() if value is not None]:
            raise typer.BadParameter(
                "it is for the terminal: leave it out", param_hint=f"'{unfit[0]}'"
            )
        opponent = None
        if any(given is not None for given in (against, net, sims, seconds)):
            opponent = rz.play.opponent(against, net=net, sims=sims, time=seconds)
            if opponent.engine is not None:
                raise typer.BadParameter(
                    "the page starts no engines: leave --web out", param_hint="'--opponent'"
                )
        _play_in_browser(game, seat, position, opponent, seed)
        return
    today = date.today().strftime("%Y.%m.%d")
    opponent = None
    if any(given is not None for given in (against, net, sims, seconds, tables)):
        opponent = rz.play.opponent(against, net=net, sims=sims, time=seconds)
        opponent = opponent if tables is None else opponent.changed(tables=tables)
    wanted = None if seat is None else rz.play.seat_number(seat)
    if record is not None:
        if position is not None:
            raise typer.BadParameter("give --continue or --position, not both")
        selection = Selection(record[0], game=game, trusted=trusted)
        try:
            found, _ = selection.look_up(record[1])
        finally:
            selection.warn()
        loaded = rz.data.game_of(found.game, trusted=trusted)
        remarks = [_origin(found, ply)]
        human, seats = seats_for(loaded, found, ply, wanted, opponent)
        if save is None and record[0].is_dir() and not rz.Run(record[0]).exists:
            save = str(record[0])
        dialogue = rz.play.Dialogue.continuing(
            found,
            seats,
            game=loaded,
            plies=ply,
            seed=seed,
            is_recorded=save is not None,
            names=_names(human, name),
            date=today,
        )
    else:
        if ply is not None:
            raise typer.BadParameter("it needs --continue GAMES RECORD", param_hint="'--ply'")
        if game is None:
            raise typer.BadParameter("name a game, or --continue GAMES RECORD", param_hint="GAME")
        loaded = rz.load(game)
        remarks = []
        human = loaded.facts.human_seat if wanted is None else wanted
        machine, person = opponent or rz.play.opponent(), rz.player("human")
        seats = (person, machine) if human == 0 else (machine, person)
        dialogue = rz.play.Dialogue(
            loaded,
            seats,
            start=None if position is None else loaded.parse(position),
            seed=secrets.randbits(32) if seed is None else seed,
            is_recorded=save is not None,
            names=_names(human, name),
            date=today,
        )
    prepare_input()
    machine = dialogue.players[1 - human]
    with contextlib.ExitStack() as stack:
        store = None if save is None else stack.enter_context(rz.data.open_store(save))
        table = Table(
            dialogue,
            open_console(),
            adviser=rz.play.opponent(net=net, sims=sims, time=seconds)
            if machine.is_human
            else machine,
            human=human,
            store=store,
            remarks=[*remarks, *_advice(dialogue)],
        )
        if not table.play():
            raise typer.Exit(130)  # as a shell tells Ctrl-C


def _play_in_browser(
    game: str | None,
    seat: str | None,
    position: str | None,
    opponent: rz.Player | None,
    seed: int | None,
) -> None:
    """Serves the page, and opens this game on it."""
    view, own = "play", []
    if game is not None:
        loaded = rz.load(game)
        own = [] if loaded.facts.name in rz.game_options() else [game]
        human = loaded.facts.human_seat if seat is None else rz.play.seat_number(seat)
        if opponent is not None:
            rz.play.check_player(opponent, loaded)
        machine = (opponent or rz.play.opponent()).text
        players = ("human", machine) if human == 0 else (machine, "human")
        wanted = {
            "players": "|".join(players) if seat is not None or opponent is not None else None,
            "start": None if position is None else loaded.parse(position).text,
            "seed": None if seed is None else str(seed),
        }
        asked = urlencode({key: text for key, text in wanted.items() if text is not None})
        view = f"play/{quote(loaded.text, safe='')}" + (f"?{asked}" if asked else "")
    show_page(own, Path("runs"), "127.0.0.1", 0, browse=True, view=quote(view, safe=""))


def _origin(record: rz.Record, ply: int | None) -> str:
    """Where a recorded game is continued, and how it ended."""
    plies = counted(record.plies, "ply")
    where = "the end" if ply in (None, record.plies) else f"ply {ply}"
    return f"record {record.id[:12]} ({plies}, {say_result(record)}) continues after {where}"


def _advice(dialogue: rz.play.Dialogue) -> list[str]:
    """Which opponents are the strongest, where that was measured and another one is met."""
    found = rz.play.strongest(dialogue.game)
    met = {player.text for player in dialogue.players}
    if found is None or met & {each.player for each in found} or "human" not in met:
        return []
    names = dialogue.game.facts.seat_names
    best = found[0].player
    if found[1].player == best:
        return [f"strongest opponent without a net, as measured: --opponent {best}"]
    sides = [f"{each.player} as {name}" for name, each in zip(names, found, strict=True)]
    return [f"strongest opponents without a net, as measured (--opponent): {', '.join(sides)}"]


def _names(human: int, name: str | None) -> tuple[str | None, str | None]:
    """The name in the seat that it belongs to."""
    if name is not None and (not name or not name.isprintable()):
        raise typer.BadParameter("a name has at least one letter", param_hint="'--name'")
    return (name, None) if human == 0 else (None, name)
