"""The display of a run on the terminal: lines for what is done, above the current progress."""

import math
import time

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.screen import progress_bar

_PHASES = {"generate": "playing", "fit": "learning", "evaluate": "measuring"}


class Watch(rz.Listener):
    """Prints what a run does; a terminal also has a progress bar and the latest figures below."""

    def __init__(self, experiment: rz.Experiment, console: Console | None = None) -> None:
        self._experiment = experiment
        self._console = console or Console(stderr=True, highlight=False)
        self._bar = progress_bar(self._console)
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

    def played(
        self, task: rz.play.Task, tally: rz.stats.Tally, games: int, total: int, sims: int
    ) -> None:
        seconds = max(time.monotonic() - self._began, 1e-3)
        words = f"{task.purpose}, {games / seconds:.1f} games/s, {sims / seconds:,.0f} sims/s"
        self._bar.update(self._task, completed=games, total=total, words=words)

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        hidden = ("total", "illegal", "moves_left")
        shown = [name for name in losses if name not in hidden]
        words = ", ".join(f"{name} {losses[name]:.3f}" for name in shown)
        self._bar.update(self._task, completed=step, total=steps, words=words)

    def logged(self, entry: rz.log.Entry) -> None:
        self._moment.take(entry)
        if words := say_entry(entry):
            style = "yellow" if isinstance(entry, rz.log.WarningEntry) else ""
            self._console.print(Text(words, style), soft_wrap=True)

    def _below(self) -> Group:
        return Group(*(Text(line, "dim", no_wrap=True) for line in self._moment.lines), self._bar)


class _Moment:
    """Where a run stands: the newest figure of each kind."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations
        self._newest: dict[str, str] = {}
        self._ends: list[float] = []  # of the last iterations: seconds since the run began
        self._verdict: rz.log.VerdictEntry | None = None  # the newest
        self._last = (0.0, 0.0)  # the newest line: seconds since the run began, and when it came

    @property
    def lines(self) -> list[str]:
        """The newest figures, a line for each kind, and the time."""
        order = ("strength", "losses", "draws")
        lines = [self._newest[name] for name in order if name in self._newest]
        return lines if self._verdict is None else [*lines, self._say_time(self._verdict)]

    def take(self, entry: rz.log.Entry) -> None:
        """Takes note of a line of the log."""
        self._last = (entry.seconds_so_far, time.monotonic())
        if isinstance(entry, rz.log.GamesEntry) and entry.is_training:
            self._newest["draws"] = say_draws(entry)
        elif isinstance(entry, rz.log.GamesEntry) and entry.purpose == "rating":
            self._newest["strength"] = f"{_say_rating(entry)}, after iteration {entry.iteration}"
        elif isinstance(entry, rz.log.FitEntry) and entry.held_out:
            self._newest["losses"] = _say_held_out(entry.held_out)
        elif isinstance(entry, rz.log.VerdictEntry):
            self._verdict = entry
            self._ends = [*self._ends[-3:], entry.seconds_so_far]

    def _say_time(self, entry: rz.log.VerdictEntry) -> str:
        """The time since the run began, at this moment, and the time that is left."""
        end, done = self._ends[-1], entry.iteration + 1
        measured = len(self._ends) - 1
        pace = (end - self._ends[0]) / measured if measured else end / done
        so_far, since = self._last
        now = so_far + time.monotonic() - since
        left = max(0.0, pace * (self._iterations - entry.iteration) - (now - end))
        return (
            f"{rz.reports.say_duration(now)} so far, about {rz.reports.say_duration(left)} left;"
            f" {entry.cores:.1f} of {rz.cores()} cores were busy"
        )


def say_entry(entry: rz.log.Entry) -> str:
    """A line of the log in words; "" for a summary."""
    number = f"{entry.iteration:>4}  "
    if isinstance(entry, rz.log.GamesEntry):
        if not entry.is_training:
            return f"{number}{entry.purpose}: {_say_rating(entry)}"
        return (
            f"{number}{entry.purpose}: {entry.games} games, {entry.plies} plies,"
            f" {entry.sims_per_second:,.0f} sims/s; {_say_sides(entry)}, {say_draws(entry)}"
            + "".join(f"\n      {line}" for line in say_figures(entry.figures))
        )
    if isinstance(entry, rz.log.FitEntry):
        words = f"{number}fit: {entry.steps} steps, {entry.samples_per_second:,.0f} samples/s"
        words += "".join(f", {name} {loss:.3f}" for name, loss in entry.extra.items())
        return words + (f"; {_say_held_out(entry.held_out)}" if entry.held_out else "")
    if isinstance(entry, rz.log.VerdictEntry):
        left = "rejected" if entry.is_tried else "not tried against the best"
        reason = f": {entry.reason}" if entry.reason else ""
        return f"{number}{entry.net} is {'the best now' if entry.is_promoted else left}{reason}"
    if isinstance(entry, rz.log.ChangeEntry):
        return f"{number}changed: {', '.join(f'{key}={new}' for key, new in entry.keys.items())}"
    return f"warning: {entry.words}" if isinstance(entry, rz.log.WarningEntry) else ""


def _say_sides(entry: rz.log.GamesEntry) -> str:
    """The score of the first seat, and of the first player where the two are different."""
    words = f"first seat {entry.first_seat:.0%}"
    a, b = (player.partition(":")[0] for player in (entry.a, entry.b))
    return words if entry.a == entry.b else f"{words}, {a} {entry.score:.0%} against {b}"


def say_figures(figures: rz.GameFigures) -> list[str]:
    """Figures of games beyond their results, a line each."""
    lines = []
    if usage := figures.usage:
        parts = [
            f"{name.replace('_', ' ')} {_amount(getattr(usage, name))} ({_wanted(least, most)})"
            for name, (least, most) in rz.USAGE_TARGETS.items()
        ]
        lines.append(f"used: {', '.join(parts)}; rewards add {usage.rewards_added:.2f} on average")
    if len(tiers := figures.tiers) > 1:
        parts = [f"{tier}: {found.black} of {found.games}" for tier, found in tiers.items()]
        lines.append(f"Black wins by tier: {', '.join(parts)}")
    return lines


def _amount(number: float) -> str:
    return f"{number:.0%}" if number <= 1 else f"{number:.0f}"


def _wanted(least: float, most: float) -> str:
    """Where a figure should be: above the least, below the most, or between them."""
    if most == 1:
        return f"> {_amount(least)}"
    return f"< {_amount(most)}" if least == 0 else f"{_amount(least)}-{_amount(most)}"


def say_draws(entry: rz.log.GamesEntry) -> str:
    """Draws by their causes: draws 12% (repetition 20, 200 turns 11)."""
    causes = ", ".join(f"{cause} {count}" for cause, count in entry.draws.items())
    return f"draws {entry.draw_share:.0%}" + (f" ({causes})" if causes else "")


def _say_rating(entry: rz.log.GamesEntry) -> str:
    words = f"{entry.score:.1%} against {entry.b}, Elo {entry.elo.elo:+.0f}"
    if entry.different is None or entry.different == entry.games:
        return words
    return f"{words}, {entry.different} different games of {entry.games}"


def _say_held_out(held_out: rz.Measures) -> str:
    net, constant = held_out.net, held_out.constant
    if math.isnan(net.policy):  # a perceptron
        return f"held out: value {net.value:.5f} (best constant {constant.value:.5f})"
    return (
        f"held out: policy {net.policy:.3f} (best constant {constant.policy:.3f}),"
        f" value {net.value:.3f} (best constant {constant.value:.3f}), legal {net.legal_mass:.0%}"
    )
