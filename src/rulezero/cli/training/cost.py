"""`rulezero cost`: what a recipe costs on rented GPUs."""

import datetime
import math
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.estimates import say_estimate
from rulezero.cli.terminal.options import RECIPE, Changes, Json, Workers
from rulezero.cli.terminal.screen import counting, open_console, plain_table, print_json, warn

_SHOWN = 4  # presets, the largest ones
_LEAST = 0.1  # hours or dollars worth telling


def cost(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE", help="Recipe (see `rulezero games`), or a .yaml file of your own."
        ),
    ],
    presets: Annotated[
        list[str] | None,
        typer.Option(
            "--preset",
            metavar="PRESET",
            help="Preset of the recipe. Can be repeated.",
            show_default="last four",
            rich_help_panel=RECIPE,
        ),
    ] = None,
    changes: Changes = None,
    spot: Annotated[
        bool,
        typer.Option(
            "--spot",
            help="Use the prices of spot instances, which the provider may stop at any time.",
        ),
    ] = False,
    fp16: Annotated[
        bool, typer.Option("--fp16", help="Assume that nets are computed in half precision.")
    ] = False,
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Evaluations per second that you have measured, in place of an estimate.",
        ),
    ] = None,
    here: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Estimate the hours on this machine, too, as `rulezero train --dry-run` does.",
        ),
    ] = False,
    workers: Workers = 0,
    file: Annotated[
        str | None,
        typer.Option(
            "--prices",
            metavar="FILE",
            help="YAML file with your prices (default: the built-in list).",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate what a recipe costs on rented GPUs: hours and prices of each preset and offer.

    Examples:
      rulezero cost random_chess --preset full
      rulezero cost razzle --preset small --measure
    """
    if speed is not None and not (math.isfinite(speed) and speed > 0):
        raise typer.BadParameter(f"--speed is evaluations a second, more than 0, not {speed:g}")
    if speed is not None and fp16:
        raise typer.BadParameter("--speed says it all: leave --fp16 out")
    prices = rz.reports.offers.newest() if file is None else rz.reports.offers.read(file)
    names = presets or rz.config.presets_of(recipe)[-_SHOWN:]
    experiments = [rz.experiment(recipe, name, changes or []) for name in dict.fromkeys(names)]
    estimates: list[rz.runs.Estimate | None] = [None] * len(experiments)
    if here:
        with counting("measuring") as tell:
            for at, experiment in enumerate(experiments):
                tell(at, len(experiments), experiment.preset)
                estimates[at] = rz.runs.expect(experiment, workers=workers)
    plans = [
        rz.cost(experiment, prices, is_spot=spot, is_fp16=fp16, speed=speed, here=found)
        for experiment, found in zip(experiments, estimates, strict=True)
    ]
    month = f"{prices.day:%B %Y}"
    if prices.is_old(datetime.date.today()):
        warn([f"the prices are from {month}, over a year ago: give newer ones with --prices"])
    if as_json:
        asked = {"recipe": recipe, "date": prices.date, "spot": spot, "fp16": fp16, "speed": speed}
        print_json({**asked, "plans": plans})
        return
    console = open_console()
    console.print(f"{recipe}, at the prices of {month}", markup=False)
    has_quotes = any(each.quotes for each in plans)
    for table in (_work(console, plans), *([_quotes(console, plans)] if has_quotes else [])):
        console.print()
        console.print(table)
    console.print()
    rules = _say_rules(plans, prices, is_spot=spot, is_fp16=fp16, speed=speed)
    lines = [*_say_nets(plans), *_say_cheapest(plans), *_say_here(plans)]
    for line in [*lines, *(rules if has_quotes else [])]:
        console.print(line, markup=False)


def _work(console: Console, plans: list[rz.reports.Plan]) -> Table:
    """What each preset does, part by part, and where that is computed."""
    columns = ["preset", "part", ">games", ">choices", ">sims", ">samples", ">computed on"]
    table = plain_table(console, *columns, has_room=False)
    for each in plans:
        for number, part in enumerate(each.work.counts):
            asked = part.evaluations / part.choices if part.choices else 0
            table.add_row(
                Text(each.work.preset, "" if number else "bold"),
                part.part,
                f"{part.games:,}" if part.games else "",
                f"{part.choices / part.games:.0f}" if part.games else "",
                f"{asked:,.0f}" if asked else "",
                f"{part.samples:,.0f}" if part.samples else "",
                part.device if each.quotes else "CPU",
            )
    return table


def _say_nets(plans: list[rz.reports.Plan]) -> list[str]:
    """How large each net is, and how strong it is expected to become."""
    return [
        f"{each.work.preset}: a net of {each.work.parameters / 1e6:,.2f} M weights"
        + (f"; expected: {each.level.name}, {each.level.result}" if each.level else "")
        for each in plans
    ]


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
        if not each.quotes:
            continue
        best = each.quotes[0]
        money = f"{each.work.preset} ${_say_range(best.dollars, rounded)}"
        found.setdefault(f"{best.gpu} of {best.provider}", []).append(money)
    return [f"cheapest: {name}; {', '.join(words)}" for name, words in found.items()]


def _say_here(plans: list[rz.reports.Plan]) -> list[str]:
    """What was measured on this machine, in words."""
    return [
        f"{each.work.preset} on this machine: {line}"
        for each in plans
        if each.here is not None
        for line in say_estimate(each.here)
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
        " evaluation; players without a net run on the CPU, whose hours only --measure counts",
        "sims: how often nets are asked for a choice, both players' mean; games are of the length"
        + (" that was measured here" if plans[0].here else " that is typical of the game"),
    ]
    if speed is not None:
        lines += [f"an evaluation: 1/{speed:,g} s, as you say, with every GPU and net"]
    else:
        half = " times its fp16" if is_fp16 else ""
        lines += [
            f"an evaluation: {known.wait:g} us of waiting, then the net's arithmetic at"
            f" {100 * known.share:.4g} % of the GPU's tflops{half}; a guess that --speed replaces"
        ]
    if is_spot:
        least, most = (f"{100 * share:.4g} %" for share in prices.spot)
        lines += [
            f"spot: {least} to {most} cheaper (assumed); rulezero train --resume continues a run"
            " whose instance was taken away"
        ]
    if not any(each.level for each in plans):
        games = " and ".join(prices.levels.games)
        lines += [f"expected strength by hours is known only for {games}"]
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
