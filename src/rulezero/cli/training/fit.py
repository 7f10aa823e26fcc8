"""`rulezero fit`: a net from the games of a store."""

from typing import Annotated, Any

import typer

import rulezero as rz
from rulezero.cli.terminal.options import Changes, Preset, given_once, net_option
from rulezero.cli.terminal.screen import counting, open_console, plain_table

_LABELS = {  # of the figures on held-out positions
    "total": "loss",
    "policy": "policy cross-entropy (nats)",
    "value": "value loss",
    "value_mse": "squared error of the value",
    "value_mae": "absolute error of the value",
    "top1": "likeliest move is the search's",
    "winner": "winner predicted correctly",
    "legal_mass": "probability on legal moves",
}
FLAGS = ("epochs", "batch_size", "lr", "nproc", "target", "no_augment")  # that a fit by itself has


def fit(
    recipe: Annotated[
        str,
        typer.Option(
            metavar="RECIPE", help="Recipe, or .yaml file, that defines the net and the fit."
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to", "--model-dir", metavar="NET", help="File of the new net, without a suffix."
        ),
    ],
    store: Annotated[
        str | None,
        typer.Argument(metavar="STORE", help="Store with the games.", show_default=False),
    ] = None,
    data_dir: Annotated[
        str | None, typer.Option(metavar="STORE", help="Same as the argument STORE.")
    ] = None,
    net: Annotated[
        str | None, net_option("Net whose weights to start from (default: random weights).", None)
    ] = None,
    preset: Preset = "small",
    changes: Changes = None,
    *,
    given: dict[str, Any],
) -> None:
    """Fit a net to recorded games.

    Examples:
      rulezero fit games --recipe razzle --to nets/first
      rulezero fit games --recipe razzle --net runs/first --epochs 2 --to next
    """
    games = given_once(store, data_dir, ("STORE", "--data-dir"))
    experiment = rz.flags.changed(rz.experiment(recipe, preset, changes or []), given)
    with counting("learning") as tell:
        done = rz.fit(
            experiment,
            games,
            to,
            net=net,
            tell=lambda step, steps, losses: tell(step, steps, f"loss {losses['total']:.3f}"),
        )
    typer.echo(f"{to}: {done.steps} steps, {done.samples:,} samples in {done.seconds:.1f} s")
    if done.held_out is not None:
        show_measures(done.held_out)


def show_measures(measures: rz.Measures) -> None:
    """Prints figures on held-out positions beside those of the best constant."""
    console = open_console()
    table = plain_table(console, "held out", ">net", ">best constant", has_room=False)
    for name in measures.net.__struct_fields__:
        figures = getattr(measures.net, name), getattr(measures.constant, name)
        table.add_row(_LABELS[name], *(f"{figure:.4f}" for figure in figures))
    console.print(table)
    console.print(f"{measures.positions} positions that were never trained on")
