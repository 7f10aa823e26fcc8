"""`rulezero cost`: what a recipe costs on rented GPUs."""

import datetime
import math
from collections.abc import Callable
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import Changes, Workers
from rulezero.cli.terminal.screen import counting, open_console, plain_table, warn

_SHOWN = 4  # presets, the largest ones
_LEAST = 0.1  # hours or dollars worth telling


def cost(
    recipe: Annotated[
        str, typer.Argument(help="A recipe, or a .yaml file; rulezero games lists them.")
    ],
    presets: Annotated[
        list[str] | None,
        typer.Option("--preset", help="Of the recipe; may be repeated.", show_default="last four"),
    ] = None,
    changes: Changes = None,
    spot: Annotated[
        bool, typer.Option("--spot", help="Instances that may be taken away at any time.")
    ] = False,
    fp16: Annotated[bool, typer.Option("--fp16", help="Compute in half precision.")] = False,
    speed: Annotated[
        float | None,
        typer.Option(metavar="N", help="Evaluations a second, as you have measured them."),
    ] = None,
    here: Annotated[
        bool, typer.Option("--measure", help="Measure the nets on this machine as well.")
    ] = False,
    workers: Workers = 0,
    file: Annotated[
        str | None, typer.Option("--prices", metavar="FILE", help="Prices of your own, in YAML.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Plan GPU hours and money for a recipe, preset by preset and offer by offer."""
    if speed is not None and not (math.isfinite(speed) and speed > 0):
        raise typer.BadParameter(f"--speed is evaluations a second, more than 0, not {speed:g}")
    if speed is not None and fp16:
        raise typer.BadParameter("--speed says it all: leave --fp16 out")
    prices = rz.reports.offers.newest() if file is None else rz.reports.offers.read(file)
    names = presets or rz.config.presets_of(recipe)[-_SHOWN:]
    experiments = [rz.experiment(recipe, name, changes or []) for name in dict.fromkeys(names)]
    plans = [
        rz.cost(experiment, prices, is_spot=spot, is_fp16=fp16, speed=speed)
        for experiment in experiments
    ]
    if here:
        with counting("measuring") as tell:
            for at, experiment in enumerate(experiments):
                tell(at, len(plans), experiment.preset)
                found = rz.reports.measure(experiment, plans[at].work, workers=workers)
                plans[at] = msgspec.structs.replace(plans[at], here=found)
    if prices.is_old(datetime.date.today()):
        warn([f"the prices are of {_month(prices)}, over a year ago: give newer ones by --prices"])
    if as_json:
        told = {"recipe": recipe, "date": prices.date, "spot": spot, "fp16": fp16, "speed": speed}
        typer.echo(msgspec.json.encode({**told, "plans": plans}, enc_hook=dict).decode())
        return
    console = open_console()
    console.print(f"{recipe}, at the prices of {_month(prices)}", markup=False)
    for table in (_work(console, plans), _quotes(console, plans)):
        console.print()
        console.print(table)
    console.print()
    rules = _say_rules(plans, prices, is_spot=spot, is_fp16=fp16, speed=speed)
    for line in [*_say_cheapest(plans), *_say_here(plans), *rules]:
        console.print(line, markup=False)


def _work(console: Console, plans: list[rz.reports.Plan]) -> Table:
    """What each preset does, and comes to."""
    is_known = any(each.level for each in plans)
    columns = ["preset", ">games", ">choices", ">sims", ">weights"]
    table = plain_table(console, *columns, *["expected"] * is_known, has_room=False)
    for each in plans:
        work = each.work
        table.add_row(
            Text(work.preset),
            f"{work.games:,}",
            f"{work.choices_per_game:.0f}",
            f"{work.evaluations / work.games / work.choices_per_game:,.0f}",
            f"{work.parameters / 1e6:,.2f} M",
            *([Text(f"{each.level.name}: {each.level.result}")] if each.level else []),
        )
    return table


def _quotes(console: Console, plans: list[rz.reports.Plan]) -> Table:
    """What each offer comes to, the cheapest first."""
    columns = ["preset", "GPU", "provider", ">$/hour", ">hours", ">dollars"]
    table = plain_table(console, *columns, has_room=False)
    for each in plans:
        for number, quote in enumerate(each.quotes):
            table.add_row(
                Text(each.work.preset, "" if number else "bold"),
                Text(quote.gpu),
                Text(quote.provider),
                _say_range(quote.price, "{:,.2f}".format),
                rounded(quote.hours),
                _say_range(quote.dollars, rounded),
            )
    return table


def _say_cheapest(plans: list[rz.reports.Plan]) -> list[str]:
    """Who is the cheapest for which presets."""
    found: dict[str, list[str]] = {}
    for each in plans:
        best = each.quotes[0]
        money = f"{each.work.preset} ${_say_range(best.dollars, rounded)}"
        found.setdefault(f"{best.gpu} of {best.provider}", []).append(money)
    return [f"cheapest: {name}; {', '.join(words)}" for name, words in found.items()]


def _say_here(plans: list[rz.reports.Plan]) -> list[str]:
    """What was measured on this machine, in words."""
    return [
        f"here {each.work.preset} takes {rounded(each.here.hours)} hours: a process for each of"
        f" {each.here.workers} cores evaluates {rounded(each.here.evaluations_per_second)}"
        " positions a second in all"
        for each in plans
        if each.here is not None
    ]


def _say_rules(
    plans: list[rz.reports.Plan],
    prices: rz.reports.Prices,
    *,
    is_spot: bool,
    is_fp16: bool,
    speed: float | None,
) -> list[str]:
    """How the figures came about, a line each."""
    known = prices.speed
    lines = [
        f"hours: (games x choices x sims + {known.learning:g} x samples learned) x time of an"
        " evaluation; without bootstrap and trials"
    ]
    if speed is not None:
        lines += [f"an evaluation: 1/{speed:,g} s, as you say, with every GPU and net"]
    else:
        half = " times its fp16" if is_fp16 else ""
        lines += [
            f"an evaluation: {known.wait:g} us of waiting, then the net's arithmetic at"
            f" {_percent(known.share)} of the GPU's tflops{half}; a guess that --speed replaces"
        ]
    if is_spot:
        least, most = map(_percent, prices.spot)
        lines += [
            f"spot: {least} to {most} cheaper, it is assumed; a run that was taken down goes on"
            " with rulezero train --resume"
        ]
    if not any(each.level for each in plans):
        games = " and ".join(prices.levels.games)
        lines += [f"how strong it gets in how many hours is told for {games} only"]
    return lines


def _say_range(pair: rz.reports.Range, say: Callable[[float], str]) -> str:
    """One number where both are alike."""
    low, high = say(pair[0]), say(pair[1])
    return low if low == high else f"{low}-{high}"


def rounded(number: float) -> str:
    """A number by its first two figures: such a plan knows no more."""
    if number < _LEAST:
        return "0" if number == 0 else f"<{_LEAST}"
    digits = max(0, 1 - math.floor(math.log10(float(f"{number:.1e}"))))
    return f"{float(f'{number:.1e}'):,.{digits}f}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _month(prices: rz.reports.Prices) -> str:
    """December 2025."""
    return f"{prices.day:%B %Y}"
