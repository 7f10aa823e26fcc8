"""`rulezero analyse`: what the moves of recorded games gave away."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.bar import signed
from rulezero.cli.terminal.options import (
    PLAYERS,
    RECORDS,
    Json,
    Trusted,
    Workers,
    net_option,
    sims_option,
)
from rulezero.cli.terminal.records import OfGame, Selection, say_result
from rulezero.cli.terminal.screen import (
    counting,
    gone_on_with,
    open_console,
    plain_table,
    print_json,
    print_pairs,
)
from rulezero.cli.terminal.words import counted, split_turns, turn_number

_SIMS = 1000
_STYLES = {"??": "bold red", "?": "red", "?!": "yellow"}


def analyse(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="GAMES", help="Store, run's folder, or .jsonl or .pgn file, with the games."
        ),
    ],
    which: Annotated[
        str | None,
        typer.Argument(metavar="RECORD", help="Number or id of a record (default: all)."),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help=f"Player that judges the moves (default: puct:sims={_SIMS}).",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    net: Annotated[
        str | None, net_option("The judge's net (default: the hand-written heuristic).")
    ] = None,
    sims: Annotated[
        int | None, sims_option(f"The judge's simulations per position (default: {_SIMS}).")
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Endgame tables for the judge (monster).", rich_help_panel=PLAYERS
        ),
    ] = None,
    game: OfGame = None,
    limit: Annotated[
        int,
        typer.Option(min=1, help="Analyse at most this many games.", rich_help_panel=RECORDS),
    ] = 20,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="STORE",
            help="Store that keeps the games and the judge's notes (default: the store itself, or"
            " NAME.store next to a file).",
        ),
    ] = None,
    workers: Workers = 0,
    trusted: Trusted = False,
    as_json: Json = False,
) -> None:
    """Judge every move of recorded games, mark the mistakes and count them.

    Examples:
      rulezero analyse games last
      rulezero analyse their.pgn --player alphabeta:depth=5 --limit 5
    """
    judge = _judge(player, net, sims, tables)
    selection = Selection(path, game=game, trusted=trusted)
    if to is None and path.is_dir() and rz.Run(path).exists:
        raise rz.RecordError(
            f"'{path}' is a run, which learns from its notes: give --to STORE, where a copy of its"
            " games and the analysis are kept"
        )
    try:
        found = _choose(selection, which, limit, trusted)
    finally:
        selection.warn()
    for record in {record.game: record for record in found.records}.values():
        _check(judge, record, trusted)
    place = to or (path if path.is_dir() else path.with_suffix(".store"))
    if place != path or not place.is_dir():
        _copy(found.records, place)
    with counting("judging") as tell, gone_on_with():
        done = rz.judge(
            place,
            judge.text,
            records=found.records,
            workers=workers,
            trusted=trusted,
            on_game=tell,
        )
    store = rz.Store(place, tolerant=True)
    by = rz.player(done.judge)
    console = open_console()
    for number, record in zip(found.numbers, found.records, strict=True):
        rules = rz.data.game_of(record.game, trusted=trusted)
        note = rz.contest.note_by(store.notes(record.id), done.judge)
        analysis = rz.contest.analyse(record, note, by, game=rules)
        if as_json:
            print_json(analysis)
            continue
        heading = f"game {number}" if number else f"record {record.id[:12]}"
        show(analysis, record, rules, heading, console)
        shown = f"rulezero replay {place} {record.id[:12]}{' --trusted' if trusted else ''}"
        console.print(Text(f"notes: {shown}"), soft_wrap=True)
        console.print()
    if found.has_more and not as_json:
        words = f"the first {counted(len(found.records), 'game')}: --limit N takes more"
        console.print(words, soft_wrap=True)


class _Found(NamedTuple):
    """The games to analyse."""

    records: list[rz.Record]
    numbers: list[int | None]  # in the list of `replay`
    has_more: bool


def _choose(selection: Selection, which: str | None, limit: int, trusted: bool) -> _Found:
    listed: list[tuple[int | None, rz.Record]]
    if which is not None:
        record, _ = selection.look_up(which)
        listed = [(int(which) if which.isdigit() and len(which) < 9 else None, record)]
        has_more = False
    else:
        can_load = partial(_can_load, selection, trusted)
        listed = list(islice(filter(can_load, enumerate(selection, 1)), limit + 1))
        if not listed:
            raise selection.nothing()
        listed, has_more = listed[:limit], len(listed) > limit
    kept = [(number, record) for number, record in listed if _has_moves(record, trusted)]
    if not kept:
        raise rz.RecordError("there is nothing to analyse: no move was made")
    return _Found([record for _, record in kept], [number for number, _ in kept], has_more)


def _can_load(selection: Selection, trusted: bool, numbered: tuple[int, rz.Record]) -> bool:
    """Whether the rules of a record can be used; if not, the reason is reported."""
    number, record = numbered
    try:
        rz.data.game_of(record.game, trusted=trusted)
    except rz.RecordError as error:
        selection.report(f"game {number} is skipped: {error}")
        return False
    return True


def _has_moves(record: rz.Record, trusted: bool) -> bool:
    """Whether players moved in a game; an invalid record counts, since its check says why."""
    try:
        return rz.data.is_played(record, rz.data.game_of(record.game, trusted=trusted))
    except rz.RecordError:
        return True


def _judge(text: str | None, net: str | None, sims: int | None, tables: str | None) -> rz.Player:
    if sims is None and text is None:
        sims = _SIMS
    player = rz.play.opponent(text, net=net, sims=sims)
    return player if tables is None else player.changed(tables=tables)


def _check(judge: rz.Player, record: rz.Record, trusted: bool) -> None:
    """Says before anything is written what keeps a player from judging a game."""
    quick = {key: "1" for key in ("sims", "depth") if judge.has(key)}
    state = rz.data.game_of(record.game, trusted=trusted).parse(record.start)
    if state.mover == rz.CHANCE or state.is_over:
        return
    if judge.changed(**quick).think(state).value is None:
        raise rz.PlayerError(
            f"'{judge.text}' does not evaluate positions: name a player that does, such as"
            " puct:sims=1000"
        )


def _copy(records: list[rz.Record], to: Path) -> None:
    """Brings records into a store, unless they are there."""
    with rz.data.open_store(to) as store:
        for record in records:
            if record.id not in store:
                store.add(record)


def show(
    analysis: rz.contest.Analysis, record: rz.Record, game: rz.Game, heading: str, console: Console
) -> None:
    """Prints a game turn by turn with the judge's verdicts, and what each side gave away."""
    names = game.facts.seat_names
    facts = [(heading, f"{rz.view.title(record.game)}, {say_result(record)}")]
    facts += list(zip(names, record.players, strict=True))
    print_pairs(console, [*facts, ("judge", analysis.judge)])
    console.print()
    columns = (">turn", "mover", "moves", f">{names[0]}", "better (winning chance lost)")
    table = plain_table(console, *columns, has_room=False)
    for turn in _turns(record, analysis, game):
        table.add_row(*turn)
    console.print(table)
    console.print()
    sides = plain_table(
        console,
        *("side", ">moves", ">average loss", ">inaccuracies ?!", ">mistakes ?", ">blunders ??"),
        has_room=False,
    )
    for side in analysis.sides:
        counts = (side.inaccuracies, side.mistakes, side.blunders)
        average = f"{100 * side.average_lost:.1f} %" if side.plies else "-"
        sides.add_row(side.name, str(side.plies), average, *map(str, counts))
    console.print(sides)


def _turns(
    record: rz.Record, analysis: rz.contest.Analysis, game: rz.Game
) -> Iterator[tuple[str, str, Text, str, Text]]:
    """Number, mover, moves with marks, value behind them, and what was better."""
    names = game.facts.seat_names
    played = list(rz.data.steps_of(record, game=game))
    turns = split_turns([step.state.mover for step in played])
    for number, plies in enumerate(turns, 1):
        first = played[plies[0]].state
        moves, better = Text(), Text()
        for at in plies:
            ply = analysis.plies[at]
            if ply.mover == rz.CHANCE:
                moves.append(f" (die {ply.move})")
                continue
            moves.append(f"{' ' if moves else ''}{ply.move}")
            moves.append(ply.mark, _STYLES.get(ply.mark, ""))
            if ply.mark and ply.best is not None and ply.lost is not None:
                instead = f" for {ply.move}" if len(plies) > 1 else ""
                words = f"{', ' if better else ''}{ply.best}{instead} ({100 * ply.lost:.0f} %)"
                better.append(words)
        last = analysis.plies[plies[-1]]
        is_die = last.mover == rz.CHANCE and plies[-1] + 1 < len(played)
        value = analysis.plies[plies[-1] + 1].value if is_die else last.after
        who = names[first.mover] if first.mover in (0, 1) else ""
        shown = turn_number(first) or str(number)
        yield shown, who, moves, "" if value is None else signed(value), better
