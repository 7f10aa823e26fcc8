"""`rulezero diagnose`: what a net has learned, beside an untrained one."""

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import Json
from rulezero.cli.terminal.screen import open_console, plain_table, print_json, print_pairs
from rulezero.cli.terminal.words import counted


def diagnose(
    net: Annotated[
        str, typer.Argument(metavar="RUN_OR_NET", help="Run's folder, RUN@12, or a checkpoint.")
    ],
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of games: the newest N of a run (default: 100), or N new ones for a bare"
            " net (default: 20).",
        ),
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Diagnose the untrained net of a run or a recipe.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what a net has learned: its errors, those of an untrained net, and how games vary.

    Examples:
      rulezero diagnose runs/first
      rulezero diagnose runs/first@3 --games 50
    """
    with untrained_of(net) if baseline else nullcontext(net) as judged:
        found = rz.diagnose(judged, games)
    if as_json:
        print_json(found)
    else:
        show(found, open_console())


@contextmanager
def untrained_of(text: str) -> Iterator[str]:
    """The untrained net of a run, or that of a recipe for as long as it is needed."""
    if Path(text).is_dir():
        yield str(rz.open_run(text).nets / "untrained")
        return
    experiment = rz.experiment(text)
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        yield str(rz.steps.untrained(experiment, Path(folder)))


def show(found: rz.reports.Diagnosis, console: Console) -> None:
    """Prints a diagnosis in words."""
    heading = (
        f"{rz.view.title(found.game)}: {counted(found.games, 'game')}, {found.positions} positions"
    )
    console.print(Text(heading, "bold"), soft_wrap=True)
    console.print(Text(f"games: {found.source}"), soft_wrap=True)
    console.print()
    _show_figures(found, console)
    console.print()
    _show_calibration(found.net, console)
    console.print()
    _show_openings(found, console)


def _show_figures(found: rz.reports.Diagnosis, console: Console) -> None:
    constant, judged = found.best_constant, [found.net, found.untrained]
    table = plain_table(console, "figure", f">{found.net.net}", ">untrained", ">best constant")

    def row(words: str, of: dict[str, str], constants: str = "") -> None:
        table.add_row(words, *(of.get(j.net, "") if j else "?" for j in judged), constants)

    def shown(name: str, form: str) -> dict[str, str]:
        return {j.net: format(getattr(j, name), form) for j in judged if j is not None}

    row("probability on legal moves", shown("legal_mass", ".1%"))
    row("likeliest move is the search's", shown("top1", ".1%"), f"{constant.top1:.1%}")
    row("policy cross-entropy (nats)", shown("policy", ".3f"), f"{constant.policy:.3f}")
    value = "value cross-entropy (nats)" if found.has_draws else "value squared error"
    row(value, shown("value", ".3f"), f"{constant.value:.3f}")
    row("winner predicted correctly", shown("winner", ".1%"), f"{constant.winner:.1%}")
    row("calibration error of values", shown("calibration_error", ".3f"))
    row("spread of values", shown("value_spread", ".3f"))
    row("spread of policies", shown("policy_spread", ".3f"))
    row(
        "does not depend on the position",
        {j.net: j.constant or "nothing" for j in judged if j is not None},
    )
    console.print(table)


def _show_calibration(net: rz.reports.Judgement, console: Console) -> None:
    columns = "predicted value", ">positions", ">mean predicted", ">mean outcome"
    table = plain_table(console, *columns)
    for each in net.bins:
        table.add_row(
            f"{each.low:+.1f} to {each.high:+.1f}",
            str(each.positions),
            f"{each.predicted:+.2f}",
            f"{each.outcome:+.2f}",
        )
    console.print(table)


def _show_openings(found: rz.reports.Diagnosis, console: Console) -> None:
    table = plain_table(console, ">after plies", ">games", ">positions", ">bits", ">at most")
    for each in found.openings:
        most = f"{math.log2(each.games):.1f}" if each.games else ""
        table.add_row(str(each.ply), str(each.games), str(each.distinct), f"{each.bits:.1f}", most)
    console.print(table)
    console.print()
    print_pairs(console, [("repeated games", f"{found.repeated:.1%}")])
