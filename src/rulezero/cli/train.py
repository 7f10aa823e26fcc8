"""`rulezero train`: a recipe from nothing to a net that plays."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from rulezero import config, runs
from rulezero.cli.options import Changes, Preset, Workers
from rulezero.config import Experiment
from rulezero.play.tally import Tally
from rulezero.play.task import Task
from rulezero.train.listener import Listener

if TYPE_CHECKING:
    from rulezero.train.estimate import Estimate


def train(
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe, or a .yaml file; rulezero games lists them.")
    ] = None,
    preset: Preset = "small",
    out: Annotated[
        str | None, typer.Option("--out", "--output-dir", metavar="DIR", help="The run's folder.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="DIR", help="Go on with a run where it was stopped.")
    ] = None,
    changes: Changes = None,
    workers: Workers = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done.")
    ] = False,
) -> None:
    """Train a net by a recipe: play, fit, evaluate, and again."""
    if (recipe is None) == (resume is None):
        raise typer.BadParameter("give a recipe, or --resume with the folder of a run")
    if resume is not None:
        if changes or out is not None:
            raise typer.BadParameter("--resume goes on with a run as it is: no --set, no --out")
        experiment = config.read(runs.open_run(resume).config())
    else:
        assert recipe is not None
        experiment = config.load(recipe, preset, changes or [])
    if dry_run:
        typer.echo(experiment.text)
        for line in say_estimate(runs.expect(experiment, workers=workers)):
            typer.echo(f"# {line}")
        return
    run = runs.place(experiment, out) if resume is None else runs.open_run(resume)
    with _Display(experiment) as display:
        try:
            if resume is not None:
                runs.resume(run.path, workers=workers, listener=display)
            else:
                runs.train(experiment, out=run.path, workers=workers, listener=display)
        except KeyboardInterrupt:
            typer.echo(f"stopped; rulezero train --resume {run.path} goes on", err=True)
            raise typer.Exit(130) from None
    typer.echo(f"the run is in {run.path}; its best net is {run.progress().best}")


def say_estimate(expected: "Estimate") -> list[str]:
    """What an experiment will cost here, in words."""
    return [
        f"the net has {expected.parameters:,} parameters",
        f"here a worker evaluates {expected.positions_per_second:,.0f} positions a second,"
        f" and the learner learns from {expected.samples_per_second:,.0f}",
        f"a game has about {expected.choices_per_game:.0f} choices (in random play) with"
        f" {expected.sims_per_choice:.0f} simulations each",
        f"expected: {expected.hours:,.1f} hours, trials not counted",
    ]


class _Display(Listener):
    """The loop as people watch it: lines for what is done, and below them what is going on."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._bar.add_task("", words="")
        self._live = Live(self._bar, console=self._console, transient=True)
        self._began = time.monotonic()
        self._iteration = 0

    def __enter__(self) -> "_Display":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def begin(self, iteration: int, phase: str) -> None:
        self._iteration = iteration
        self._began = time.monotonic()
        last = self._experiment.iterations
        name = {"generate": "playing", "fit": "learning", "evaluate": "measuring"}[phase]
        self._bar.reset(self._task, description=f"{iteration} of {last} {name}", words="")

    def played(self, task: Task, tally: Tally, games: int, total: int) -> None:
        seconds = max(time.monotonic() - self._began, 1e-3)
        words = f"{task.purpose}, {games / seconds:.1f} games/s"
        self._bar.update(self._task, completed=games, total=total, words=words)

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        words = f"policy {losses['policy']:.3f}, value {losses['value']:.3f}"
        self._bar.update(self._task, completed=step, total=steps, words=words)

    def logged(self, entry: dict[str, Any]) -> None:
        if words := say_entry(entry):
            self._console.print(Text(words), soft_wrap=True)

    def warned(self, words: str) -> None:
        self._console.print(Text(f"smells: {words}", "yellow"), soft_wrap=True)


def say_entry(entry: dict[str, Any]) -> str:
    """A line of the log in words; nothing for those that are only for programs."""
    number = f"{entry['iteration']:>4}  "
    if entry["kind"] == "games" and entry["purpose"] in ("self-play", "bootstrap"):
        draws = sum(end["draws"] for end in entry["ends"].values())
        rate = entry["sims"] / max(entry["seconds"], 1e-3)
        return (
            f"{number}{entry['purpose']}: {entry['games']} games, {entry['plies']} plies,"
            f" {rate:,.0f} sims/s; first seat {entry['first_seat']:.0%},"
            f" draws {draws / max(entry['games'], 1):.0%}"
        )
    if entry["kind"] == "games":
        estimate = entry["elo"]
        return (
            f"{number}{entry['purpose']} against {entry['b']}: {entry['score']:.1%},"
            f" Elo {estimate['elo']:+.0f}"
        )
    if entry["kind"] == "fit":
        return number + _say_fit(entry)
    if entry["kind"] == "verdict":
        return f"{number}{entry['net']} is {'the best now' if entry['is_promoted'] else 'rejected'}"
    return ""


def _say_fit(entry: dict[str, Any]) -> str:
    words = f"fit: {entry['steps']} steps, {entry['samples'] / entry['seconds']:,.0f} samples/s"
    held_out = entry.get("held_out")
    if not held_out:
        return words
    net, constant = held_out["net"], held_out["constant"]
    parts = [
        f"{name} {net[name]:.3f} (constant {constant[name]:.3f})" for name in ("policy", "value")
    ]
    return f"{words}; held out: {', '.join(parts)}, legal mass {net['legal_mass']:.0%}"
