"""`rulezero solve`: endgame tables, and what they say."""

from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import Workers
from rulezero.cli.terminal.screen import (
    counting,
    gone_on_with,
    open_console,
    plain_table,
    print_pairs,
)
from rulezero.cli.terminal.words import counted, say_proof

_PROBE = "probe"  # in the place of a game


def solve(
    what: Annotated[
        str,
        typer.Argument(
            metavar="monster|probe",
            help="Solve monster's endgames, or look a position up in tables.",
        ),
    ],
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="MEN...",
            help="White's and Black's men, such as KPvKQR. For probe: the folder of the tables and"
            " a FEN.",
        ),
    ],
    out: Annotated[str, typer.Option(metavar="DIR", help="Folder of the tables.")] = "endgames",
    workers: Workers = 0,
    check: Annotated[
        int, typer.Option(min=0, help="Verify N random entries with the rules, one ply ahead.")
    ] = 0,
) -> None:
    """Solve endgames exactly: who wins every position with these men, and in how many turns.

    `solve monster KvKQQ --out DIR` makes tables. `solve probe DIR FEN` looks a position and
    its moves up in them.

    Examples:
      rulezero solve monster KvKQQ --out endgames
      rulezero solve probe endgames "8/8/3k4/8/1q6/8/4q3/7K b - - 0 1"
    """
    if what == _PROBE:
        if len(words) != 2:
            raise typer.BadParameter(
                "give the folder of the tables and a position in quotation marks",
                param_hint="'probe'",
            )
        probe(words[0], words[1], open_console())
        return
    if what != rz.endgame.GAME:
        raise rz.GameError(
            f"only {rz.endgame.GAME} has endgame tables, not '{what}'; probe asks tables that are"
            " there"
        )
    for text in words:
        rz.endgame.check_memory(text)  # what is wrong with one is said before the first is solved
    console = open_console()
    for text in words:
        with counting("solving") as tell, gone_on_with():
            rz.endgame.solve(
                text,
                out,
                workers=workers or rz.cores(),
                tell=lambda layer, tell=tell: tell(
                    layer.decided, layer.total, f"{layer.men}: wins in {layer.turns}"
                ),
            )
        tables = rz.endgame.open(out)
        with counting("checking") as tell:
            for each in rz.endgame.order(text):
                tables.check(each, check, tell=partial(tell, words=each))
        show(text, tables.summary(text), console)
        if check:
            console.print(f"{check:,} entries of each table agree with the rules")


def probe(folder: str, position: str, console: Console) -> None:
    """Prints what tables prove of a position, and of each legal move, the best first."""
    tables = rz.endgame.open(folder)
    game = rz.load(rz.endgame.GAME)
    state = game.parse(position)
    names = game.facts.seat_names
    if state.is_over:
        raise rz.TableError(f"the game is over there: {state.end_reason}")
    proof = tables.probe(state)
    if proof is None:
        raise rz.TableError(
            f"no table in '{folder}' knows '{state.text}'; it has {', '.join(tables.men)}. Tables"
            " have no castling and no en passant; rulezero solve monster makes more"
        )
    console.print(Text(say_proof(proof, names), "bold"))
    moves = [(f"{names[state.mover]} to move", "then")]
    for action, after in tables.choices(state):
        words = "no table tells" if after is None else say_proof(after, names)
        if after is not None and after.distance == 0 and after.value:
            words = f"{names[after.value < 0]} has won"
        moves.append((rz.view.say(state, action), words))
    print_pairs(console, moves)


def show(men: str, found: rz.endgame.Summary, console: Console) -> None:
    """Prints what a table says as a whole."""
    console.print(men, style="bold")
    table = plain_table(console, "to move", ">positions", ">Black wins", ">drawn", ">White wins")
    names = ("White", "Black", "White, quiet", "Black, quiet")
    for name, count in zip(names, (*found.all, *found.quiet), strict=True):
        parts = (count.black, count.drawn, count.white)
        table.add_row(name, f"{count.total:,}", *(f"{part:,}" for part in parts))
        table.add_row("", "", *(f"{100 * part / max(1, count.total):.1f} %" for part in parts))
    console.print(table)
    for name, longest in zip(("White", "Black"), found.longest, strict=True):
        if longest.text is None:
            console.print(f"{name} wins nowhere")
        else:
            turns = counted(longest.turns, "turn")
            console.print(f"longest win of {name}: {turns} from {longest.text}")
