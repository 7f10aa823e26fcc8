"""A run as people watch it: lines for what is done, and below them what is going on."""

import math
import time
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from rulezero.fleet.runner import cores
from rulezero.play.task import Task
from rulezero.stats.tally import Tally
from rulezero.train.experiment import Experiment
from rulezero.train.games.exchange import TARGETS
from rulezero.train.listener import Listener

_PHASES = {"generate": "playing", "fit": "learning", "evaluate": "measuring"}


class Watch(Listener):
    """Prints what a run does; on a terminal, a bar and the figures of the moment move below."""

    def __init__(self, experiment: Experiment, console: Console | None = None) -> None:
        self._experiment = experiment
        self._console = console or Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._bar.add_task("starting", total=None, words="")
        self._moment = _Moment(experiment.iterations)
        self._live = Live(console=self._console, transient=True, get_renderable=self._below)
        self._began = time.monotonic()

    def __enter__(self) -> "Watch":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def begin(self, iteration: int, phase: str) -> None:
        self._began = time.monotonic()
        name = f"{iteration} of {self._experiment.iterations} {_PHASES[phase]}"
        self._bar.remove_task(self._task)  # a bar that is reset keeps its total
        self._task = self._bar.add_task(name, total=None, words="")

    def played(self, task: Task, tally: Tally, games: int, total: int, sims: int) -> None:
        seconds = max(time.monotonic() - self._began, 1e-3)
        words = f"{task.purpose}, {games / seconds:.1f} games/s, {sims / seconds:,.0f} sims/s"
        self._bar.update(self._task, completed=games, total=total, words=words)

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        told = [f"{name} {losses[name]:.3f}" for name in ("policy", "value") if name in losses]
        words = ", ".join(told)
        self._bar.update(self._task, completed=step, total=steps, words=words)

    def logged(self, entry: dict[str, Any]) -> None:
        self._moment.take(entry)
        if words := say_entry(entry):
            self._console.print(Text(words), soft_wrap=True)

    def warned(self, words: str) -> None:
        self._console.print(Text(f"smells: {words}", "yellow"), soft_wrap=True)

    def _below(self) -> Group:
        return Group(*(Text(line, "dim", no_wrap=True) for line in self._moment.lines), self._bar)


class _Moment:
    """Where a run stands: the newest figure of each kind."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations
        self._newest: dict[str, str] = {}
        self._ends: list[float] = []  # of iterations: seconds since the run began

    @property
    def lines(self) -> list[str]:
        """As few lines as say it."""
        order = ("strength", "losses", "draws", "time")
        return [self._newest[name] for name in order if name in self._newest]

    def take(self, entry: dict[str, Any]) -> None:
        """A line of the log."""
        if entry["kind"] == "games" and entry["purpose"] in ("self-play", "bootstrap"):
            self._newest["draws"] = say_draws(entry)
        elif entry["kind"] == "games" and entry["purpose"] == "rating":
            self._newest["strength"] = f"{_say_rating(entry)}, after iteration {entry['iteration']}"
        elif entry["kind"] == "fit" and entry.get("held_out"):
            self._newest["losses"] = _say_held_out(entry["held_out"])
        elif entry["kind"] == "verdict":
            self._newest["time"] = self._say_time(entry)

    def _say_time(self, entry: dict[str, Any]) -> str:
        now, done = entry["seconds_so_far"], entry["iteration"] + 1
        self._ends = [*self._ends[-3:], now]
        measured = len(self._ends) - 1
        pace = (now - self._ends[0]) / measured if measured else now / done
        left = pace * (self._iterations - entry["iteration"])
        return (
            f"{_minutes(now)} so far, about {_minutes(left)} left;"
            f" {entry['cores']:.1f} of {cores()} cores were busy"
        )


def say_entry(entry: dict[str, Any]) -> str:
    """A line of the log in words; nothing for those that are only for programs."""
    number = f"{entry['iteration']:>4}  "
    if entry["kind"] == "games" and entry["purpose"] in ("self-play", "bootstrap"):
        rate = entry["sims"] / max(entry["seconds"], 1e-3)
        return (
            f"{number}{entry['purpose']}: {entry['games']} games, {entry['plies']} plies,"
            f" {rate:,.0f} sims/s; {_say_sides(entry)}, {say_draws(entry)}"
            + "".join(f"\n      {line}" for line in say_figures(entry.get("figures", {})))
        )
    if entry["kind"] == "games":
        return f"{number}{entry['purpose']}: {_say_rating(entry)}"
    if entry["kind"] == "fit":
        rate = entry["samples"] / max(entry["seconds"], 1e-3)
        words = f"{number}fit: {entry['steps']} steps, {rate:,.0f} samples/s"
        return words + (f"; {_say_held_out(entry['held_out'])}" if entry.get("held_out") else "")
    if entry["kind"] == "verdict":
        left = "rejected" if entry["is_tried"] else "not tried against the best"
        return f"{number}{entry['net']} is {'the best now' if entry['is_promoted'] else left}"
    return ""


def _say_sides(entry: dict[str, Any]) -> str:
    """Who won how much: the first seat, and the first of two players where they are different."""
    words = f"first seat {entry['first_seat']:.0%}"
    a, b = (entry[who].partition(":")[0] for who in "ab")
    return words if entry["a"] == entry["b"] else f"{words}, {a} {entry['score']:.0%} against {b}"


def say_figures(figures: dict[str, Any]) -> list[str]:
    """What is worth knowing of games besides their results, a line each."""
    lines = []
    if usage := figures.get("usage"):
        parts = [
            f"{name.replace('_', ' ')} {_amount(usage[name])} ({_wanted(least, most)})"
            for name, (least, most) in TARGETS.items()
        ]
        lines.append(f"used: {', '.join(parts)}; {usage['clipped']:.0%} of rewards clipped")
    if len(tiers := figures.get("tiers", {})) > 1:
        parts = [
            f"{tier}: {counts['black']} of {sum(counts.values())}" for tier, counts in tiers.items()
        ]
        lines.append(f"Black wins by tier: {', '.join(parts)}")
    return lines


def _amount(number: float) -> str:
    return f"{number:.0%}" if number <= 1 else f"{number:.0f}"


def _wanted(least: float, most: float) -> str:
    """Where a figure should be: above the least, below the most, or between them."""
    if most == 1:
        return f"> {_amount(least)}"
    return f"< {_amount(most)}" if least == 0 else f"{_amount(least)}-{_amount(most)}"


def say_draws(entry: dict[str, Any]) -> str:
    """Draws by their causes: draws 12% (repetition 20, 200 turns 11)."""
    causes = {cause: end["draws"] for cause, end in entry["ends"].items() if end["draws"]}
    share = sum(causes.values()) / max(entry["games"], 1)
    most = sorted(causes.items(), key=lambda each: -each[1])
    named = ", ".join(f"{cause} {count}" for cause, count in most)
    return f"draws {share:.0%}" + (f" ({named})" if named else "")


def _say_rating(entry: dict[str, Any]) -> str:
    return f"{entry['score']:.1%} against {entry['b']}, Elo {entry['elo']['elo']:+.0f}"


def _say_held_out(held_out: dict[str, Any]) -> str:
    net, constant = held_out["net"], held_out["constant"]
    if math.isnan(net["policy"]):  # a perceptron
        return f"held out: value {net['value']:.5f} (constant {constant['value']:.4f})"
    parts = [
        f"{name} {net[name]:.3f} (constant {constant[name]:.2f})" for name in ("policy", "value")
    ]
    return f"held out: {', '.join(parts)}, legal {net['legal_mass']:.0%}"


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
