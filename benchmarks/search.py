"""Measures the search: against the evaluator alone, against OpenSpiel, on two cores, on disk.

Machines differ and are noisy, so most figures are ratios of sides that take turns: see timing.py.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import onnxruntime
from rich.console import Console
from rich.table import Table

import peer as peers
import selfplay
import storage
import trees
import workers
from rulezero.nets.parity import cpu
from rulezero.version import __version__
from timing import Figure, pin

PARTS = {
    "selfplay": "self-play of a net against its evaluator alone",
    "tree": "the search without a net, against OpenSpiel's in C++",
    "workers": "two workers against one",
    "bot": "self-play of a net, against OpenSpiel's bot in Python",
    "store": "bytes per ply, planes made, memory",
}


class Report(msgspec.Struct, frozen=True):
    """The results of a whole benchmark."""

    machine: dict[str, str]
    figures: list[Figure]
    left_out: list[str]


class Effort(msgspec.Struct, frozen=True):
    """How much is measured."""

    rounds: int = 15  # rounds in which the sides take turns
    seconds: float = 0.5  # length of a turn
    warm_up: int = 12_800  # simulations of self-play before the measurement
    worker_rounds: int = 5
    worker_seconds: float = 2.0
    plies: int = 1_000_000  # in the store
    sharp_plies: int = 20_000


QUICK = Effort(
    rounds=3,
    seconds=0.1,
    warm_up=1_280,
    worker_rounds=2,
    worker_seconds=0.5,
    plies=10_000,
    sharp_plies=1_000,
)


def machine(peer: peers.Peer | None, core: int | None) -> dict[str, str]:
    """The machine and the versions that the figures are for."""
    facts = {
        "cpu": f"{cpu()}, {os.cpu_count()} cores, measured on {'any' if core is None else core}",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "rulezero": __version__,
        "onnxruntime": onnxruntime.__version__,
    }
    return facts | (peer.about if peer else {})


def measure(
    part: str, effort: Effort, folder: Path, peer: peers.Peer | None, cores: list[int]
) -> Iterator[Figure]:
    """The figures of one part."""
    turns = effort.rounds, effort.seconds
    match part:
        case "selfplay":
            yield from selfplay.measure(folder, *turns, effort.warm_up)
        case "tree":
            yield from trees.measure(peer, *turns)
        case "workers":
            if len(cores) > 1 and sys.platform == "linux":
                yield from workers.measure(
                    folder, cores[-2:], effort.worker_rounds, effort.worker_seconds, effort.warm_up
                )
        case "bot":
            yield from trees.measure_bot(peer, folder, *turns, effort.warm_up)
        case "store":
            yield from storage.measure(folder, effort.plies, effort.sharp_plies)


def show(report: Report, console: Console) -> None:
    """Prints a report."""
    console.print("; ".join(f"{name} {fact}" for name, fact in report.machine.items()))
    table = Table(title="medians, with quartiles", title_justify="left")
    table.add_column("what")
    for column in ("number", "from", "to", "wanted"):
        table.add_column(column, justify="right")
    table.add_column("verdict")
    table.add_column("more")
    for figure in report.figures:
        verdict = {None: "", True: "met", False: "missed"}[figure.is_met]
        wanted = "" if figure.wanted is None else f"{'≤' if figure.is_most else '≥'} "
        table.add_row(
            figure.what,
            f"{_written(figure.number.median)} {figure.unit}",
            _written(figure.number.low),
            _written(figure.number.high),
            wanted + ("" if figure.wanted is None else f"{figure.wanted:g}"),
            verdict,
            figure.note,
        )
    console.print(table)
    for line in report.left_out:
        console.print(f"left out: {line}")


def _written(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def main() -> None:
    """Measures the chosen parts and prints the report."""
    parser = argparse.ArgumentParser(description="Measures the speed of the search.")
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="measure this part; may be repeated"
    )
    parser.add_argument("--quick", action="store_true", help="a short run that only tests the code")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--plies", type=int, help="plies in the store (default: a million)")
    parser.add_argument("--rounds", type=int, help="rounds in which sides take turns (default: 15)")
    parser.add_argument(
        "--peers", type=Path, default=peers.FOLDER, help=f"made by {peers.HOW}: %(default)s"
    )
    options = parser.parse_args()
    parts = options.only or list(PARTS)
    effort = QUICK if options.quick else Effort()
    given = {"plies": options.plies, "rounds": options.rounds}
    changes = {name: number for name, number in given.items() if number is not None}
    effort = msgspec.structs.replace(effort, **changes)

    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    core = pin()
    progress = Console(stderr=True)
    figures: list[Figure] = []
    left_out: list[str] = []
    with tempfile.TemporaryDirectory(prefix="rulezero_") as name:
        folder = Path(name)
        peer = None
        if {"tree", "bot"} & set(parts):
            if options.peers.is_dir():
                peer = peers.Peer(options.peers)
            left_out += trees.left_out(peer)
        if "workers" in parts and (len(cores) < 2 or sys.platform != "linux"):
            left_out.append("two workers against one; that needs Linux and two cores")
        for part in parts:
            begin = time.perf_counter()
            progress.print(f"measuring {PARTS[part]}", end=" ... ", highlight=False)
            figures += measure(part, effort, folder, peer, cores)
            progress.print(f"{time.perf_counter() - begin:.0f} s", highlight=False)
        report = Report(machine(peer, core), figures, left_out)
        if peer:
            peer.close()
    if options.json:
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    else:
        show(report, Console(width=None if Console().is_terminal else 160))


if __name__ == "__main__":
    main()
