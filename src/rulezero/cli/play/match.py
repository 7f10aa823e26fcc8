"""`rulezero match`: two players meet, and what came of it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import (
    GAMES,
    PLAYERS,
    GameText,
    Json,
    Seconds,
    Starts,
    Workers,
)
from rulezero.cli.terminal.screen import (
    counting,
    open_console,
    plain_table,
    print_json,
    print_pairs,
)
from rulezero.cli.terminal.words import counted

_LABELS = 12  # letters of the column beside the figures


def match(
    game: GameText,
    a: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            help="First player, such as puct:sims=200 (see `rulezero players`).",
            rich_help_panel=PLAYERS,
        ),
    ],
    b: Annotated[
        str, typer.Option(metavar="PLAYER", help="Second player.", rich_help_panel=PLAYERS)
    ],
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Player that evaluates every position without moving. --save keeps its notes.",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    seconds: Seconds = None,
    games: Annotated[
        int, typer.Option(min=1, help="Number of games.", rich_help_panel=GAMES)
    ] = 100,
    opening: Annotated[
        int,
        typer.Option(
            min=0, help="Number of random plies at the start of a game.", rich_help_panel=GAMES
        ),
    ] = 4,
    starts: Starts = None,
    swap: Annotated[
        bool,
        typer.Option(
            help="Play every opening twice, with the seats swapped.", rich_help_panel=GAMES
        ),
    ] = True,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Stop as soon as a sequential test (SPRT) accepts one of these Elo differences,"
            " such as 0,10.",
            rich_help_panel=GAMES,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.", rich_help_panel=GAMES)] = 0,
    workers: Workers = 1,
    save: Annotated[
        str | None, typer.Option(metavar="STORE", help="Keep every game in this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play games between two players and report score, Elo and how games ended.

    Examples:
      rulezero match razzle --a puct:sims=100 --b heuristic --games 40
      rulezero match chess --a puct:sims=50 --b random --sprt 0,20 --workers 2
      rulezero match chess --a alphabeta --b puct --time 0.1
    """
    loaded = rz.load(game)
    test = None if sprt is None else _read_sprt(sprt)
    positions = [] if starts is None else rz.play.read_starts(starts, loaded)
    known = _ids_in(save)
    is_interrupted = False
    with counting("playing", lines_of="games") as tell:
        try:
            played = rz.match(
                loaded,
                a,
                b,
                games,
                time=seconds,
                seed=seed,
                opening=opening,
                starts=positions,
                swap=swap,
                judge=judge,
                workers=workers,
                save=save,
                sprt=test,
                on_game=lambda tally: tell(tally.games, games, partial(say_score, tally, test)),
            )
        except rz.contest.MatchInterrupted as stop:
            played, is_interrupted = stop.match, True
    report = rz.contest.Report.of(played, is_interrupted=is_interrupted, saved=save)
    if as_json:
        print_json(report)
    else:
        new = sum(record.id not in known for record in played.records)
        show(report, games, open_console(), new)
    if is_interrupted:
        raise typer.Exit(130)  # as a shell tells Ctrl-C


def _read_sprt(text: str) -> rz.stats.Sprt:
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"'{text}' is not ELO0,ELO1, such as 0,10", param_hint="'--sprt'"
        ) from None
    return rz.stats.Sprt(elo0=elo0, elo1=elo1)


def say_score(tally: rz.stats.Tally, sprt: rz.stats.Sprt | None) -> str:
    """How a match stands, in a few words."""
    counts = tally.counts
    words = f"+{counts.wins} ={counts.draws} -{counts.losses}, Elo {rz.stats.elo(tally).elo:+.0f}"
    if sprt is not None and tally.pairs.total:
        lower, upper = sprt.bounds
        llr = sprt.after(tally).llr
        words += f", LLR {llr:+.2f} ({lower:.2f} to {upper:.2f})"
    return words


def _ids_in(store: str | None) -> set[str]:
    """The ids of the records that a store has, if it is there already."""
    if store is None or not Path(store).is_dir():
        return set()
    return {record.id for record in rz.Store(store, tolerant=True)}


def _saved(games: int, new: int, store: str) -> str:
    """How many games a store has got."""
    words = f"{counted(games, 'game')} in {store}"
    return words if new == games else f"{words}, {new} of them new: it had the others already"


def show(report: rz.contest.Report, wanted: int, console: Console, new: int) -> None:
    """Prints the report of a match of this many wanted games; `new` ones were not stored yet."""
    names = rz.load(report.game).facts.seat_names
    total, elo, plies = report.total, report.elo, report.plies
    console.print(Text(_heading(report, wanted), "bold"), soft_wrap=True)
    print_pairs(console, [("a", report.a), ("b", report.b)], _LABELS)
    console.print()
    if total.games == 0:
        print_pairs(console, [("score", "no game was finished")], _LABELS)
        return
    counts = f"{total.wins} won, {total.draws} drawn, {total.losses} lost"
    seat = report.first_seat
    first = f"{names[0]} scored {_percent(seat.score)} ({_interval(seat)})"
    scores = [
        ("score of a", f"{_percent(total.score)}: {counts}"),
        *([] if report.different == total.games else [("different", _different(report))]),
        ("Elo of a", elo.text),
        ("likelihood", f"{_percent(elo.superiority)} that a is the stronger one"),
        *([] if report.sprt is None else [("SPRT", _verdict(report.sprt))]),
        ("first seat", f"{first}: Elo {report.first_seat_elo.text}"),
    ]
    print_pairs(console, scores, _LABELS)
    for table in _tables(report, names, console):
        console.print()
        console.print(table)
    console.print()
    speed = (
        f"{_speed(report.games_per_second)} games/s,"
        f" {report.simulations_per_second:,.0f} simulations/s, {report.seconds:.1f} s in all"
    )
    alone = total.games - 2 * sum(report.pairs) if sum(report.pairs) else 0
    facts = [
        ("no pair", f"{counted(alone, 'game')} whose partner was not finished" if alone else ""),
        ("plies", f"{plies.mean:.1f} a game, from {plies.shortest} to {plies.longest}"),
        ("speed", speed),
        ("saved", _saved(total.games, new, report.saved) if report.saved else ""),
    ]
    print_pairs(console, [(name, words) for name, words in facts if words], _LABELS)


def _different(report: rz.contest.Report) -> str:
    """How many games are different, and what to do where few are."""
    if report.warning:
        return report.warning.replace("opening=", "--opening ")
    return f"{report.different:,} of {counted(report.total.games, 'game')}"


def _tables(report: rz.contest.Report, names: tuple[str, str], console: Console) -> Iterator[Table]:
    """By seat, by pair, by cause; those that would be empty are left out."""
    seats = plain_table(
        console,
        *("a sits as", ">games", ">won", ">drawn", ">lost", ">score", ">95 %"),
        has_room=False,
    )
    for name, line in zip(names, report.by_seat, strict=True):
        cells = (line.games, line.wins, line.draws, line.losses)
        if line.games:
            seats.add_row(name, *map(str, cells), _percent(line.score), _interval(line))
    pairs = plain_table(
        console, "points of a from a pair", ">0", ">1/2", ">1", ">3/2", ">2", has_room=False
    )
    if sum(report.pairs):
        pairs.add_row("pairs", *map(str, report.pairs))
    wins = plain_table(console, "won by", ">games", ">a won", ">b won", has_room=False)
    draws = plain_table(console, "drawn by", ">games", has_room=False)
    for cause, line in report.ends.items():
        if line.wins or line.losses:
            wins.add_row(cause, *map(str, (line.wins + line.losses, line.wins, line.losses)))
        if line.draws:
            draws.add_row(cause, str(line.draws))
    for table in (seats, pairs, wins, draws):
        if table.row_count:
            yield table


def _verdict(test: rz.contest.Test) -> str:
    meaning = {
        "accepted H0": f"a is not {test.elo1:+g} Elo stronger",
        "accepted H1": f"a is more than {test.elo0:+g} Elo stronger",
    }.get(test.verdict, f"{test.elo0:+g} or {test.elo1:+g} Elo")
    lower, upper = test.bounds
    unit = "pairs" if len(test.counts) == 5 else "games"
    evidence = f"after {sum(test.counts)} {unit}, LLR {test.llr:+.2f} in {lower:.2f} to {upper:.2f}"
    return f"{test.verdict}: {meaning} ({evidence})"


def _heading(report: rz.contest.Report, wanted: int) -> str:
    played = report.total.games
    heading = f"{rz.view.title(report.game)}: {counted(played, 'game')}"
    if report.is_interrupted:
        return f"{heading} of {wanted}, interrupted"
    return heading if played == wanted else f"{heading} of {wanted}, then the test was decided"


def _interval(line: rz.contest.Line) -> str:
    """Where a score lies: 54.1 to 96.2 %."""
    lower, upper = line.interval
    return f"{100 * lower:.1f} to {_percent(upper)}"


def _speed(rate: float) -> str:
    """Three digits, never with an exponent: 0.0123, 1.45, 1,450."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
