"""`rulezero train`: a recipe from nothing to a net that plays."""

import re
import shlex
from typing import Annotated, Any

import typer

import rulezero as rz
from rulezero.cli.terminal.distill_watch import DistillWatch
from rulezero.cli.terminal.estimates import say_estimate
from rulezero.cli.terminal.interrupted import ends_soon
from rulezero.cli.terminal.options import RECIPE, Changes, FleetText, Workers
from rulezero.cli.terminal.watch import Watch


def train(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE", help="Recipe (see `rulezero games`), or a .yaml file of your own."
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="PRESET",
            help="Size: tiny (seconds), small (up to an hour), medium, full, or another preset of"
            " the recipe.",
            show_default="small",
            rich_help_panel=RECIPE,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "--output-dir",
            metavar="DIR",
            help="Folder of the run (default: runs/RECIPE_PRESET_N).",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Resume the run in this folder. --iterations N extends it. --set and the short"
            " names below change its future iterations.",
        ),
    ] = None,
    changes: Changes = None,
    workers: Workers = 0,
    fleet: FleetText = "local",
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the settings and the estimated hours, and stop."),
    ] = False,
    *,
    given: dict[str, Any],
) -> None:
    """Train a net by a recipe: rounds of self-play, fitting and evaluation, which can be resumed.

    Settings that you leave out are those of the recipe.

    Examples:
      rulezero train razzle --preset tiny --out runs/first
      rulezero train connect4 --set fit.batch=256 --iterations 10 --dry-run
      rulezero train --resume runs/first --iterations 20
    """
    if (recipe is None) == (resume is None):
        raise typer.BadParameter("give a recipe, or --resume with the folder of a run")
    if resume is not None:
        if out is not None or preset is not None:
            raise typer.BadParameter("--resume stays in its folder: leave --out and --preset out")
        before = rz.config.read(rz.open_run(resume).config())
        experiment = rz.config.with_changes(before, changes or [])
    else:
        assert recipe is not None
        experiment = rz.experiment(recipe, "small" if preset is None else preset, changes or [])
    experiment = rz.flags.changed(experiment, given)
    if dry_run:
        rz.runs.check(experiment, workers)
        typer.echo(experiment.text)
        typer.echo("# measuring parts of the run, which takes up to 30 seconds")
        found = rz.runs.expect(experiment, workers=workers)
        typer.echo(f"# the net has {found.parameters:,} parameters")
        for line in say_estimate(found):
            typer.echo(f"# {line}")
        return
    run = rz.runs.place(experiment, out) if resume is None else rz.open_run(resume)
    if resume is not None and run.progress().is_done and experiment == before:
        run.check_nets(run.progress())
        typer.echo(
            f"the run in {run.path} is finished, after {experiment.iterations} iterations; its best"
            f" net is {run.progress().best}. To go on: --iterations N, with a larger number"
        )
        return

    def words() -> str:
        if not run.exists:
            return "stopped before the run began"
        return f"stopped; continue with: {_again(run, fleet)}"

    try:
        with ends_soon(words), watching(experiment) as watch:
            if resume is not None:
                rz.resume(
                    run.path, changes=experiment, workers=workers, fleet=fleet, listener=watch
                )
            else:
                rz.train(experiment, out=run.path, workers=workers, fleet=fleet, listener=watch)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    typer.echo(f"the run is in {run.path}; its best net is {run.progress().best}")


def _again(run: rz.Run, fleet: str) -> str:
    """The command that continues a run on the same fleet. A token is never a part of it."""
    fleet = re.sub("token=(?!@)[^,]*", "token=@FILE", fleet)
    words = ["rulezero", "train", "--resume", str(run.path)]
    return shlex.join([*words, "--fleet", fleet] if fleet != "local" else words)


def watching(experiment: rz.Experiment) -> Watch:
    """Who tells how a run goes."""
    is_distilled = isinstance(experiment.regime, rz.regimes.Distill)
    return DistillWatch(experiment) if is_distilled else Watch(experiment)
