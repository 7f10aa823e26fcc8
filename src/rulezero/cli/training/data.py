"""`rulezero data`: what recorded games come to, and the same for other programs."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import RECIPE, Changes, Json, Trusted, given_once
from rulezero.cli.terminal.records import OfGame, OfPurpose, OfSource, Selection
from rulezero.cli.terminal.screen import (
    counting,
    open_console,
    plain_table,
    print_json,
    print_pairs,
    warn,
)
from rulezero.cli.terminal.words import counted

app = typer.Typer(no_args_is_help=True)

_LARGE = 1e9  # bytes that people are told of beforehand
_LARGEST_NPZ = 2e9  # bytes that are held in memory
_MOST_SOURCES = 5

_PLACES = "Store, run's folder, or .jsonl or .pgn file, with the games."
_Place = Annotated[Path, typer.Argument(metavar="STORE", help=_PLACES)]


@app.callback()
def data() -> None:
    """Summarise recorded games, or write them for other programs."""


@app.command()
def summary(
    path: _Place,
    game: OfGame = None,
    purpose: OfPurpose = None,
    source: OfSource = None,
    trusted: Trusted = False,
    as_json: Json = False,
) -> None:
    """Count games, how they ended, and what the searches that played them found.

    Examples:
      rulezero data summary games
      rulezero data summary runs/first --purpose self-play
    """
    selection = Selection(path, game=game, purpose=purpose, source=source, trusted=trusted)
    summaries = rz.data.summarise(selection, selection.report)
    if not summaries:
        raise selection.nothing()
    selection.warn()
    console = open_console()
    for number, each in enumerate(summaries):
        if as_json:
            print_json(each)
            continue
        if number:
            console.print()
        show(each, console)


@app.command()
def process(
    to: Annotated[
        Path, typer.Option("--to", "--output-dir", metavar="DIR", help="Folder to create.")
    ],
    path: Annotated[
        Path | None, typer.Argument(metavar="STORE", help=_PLACES, show_default=False)
    ] = None,
    raw_dir: Annotated[
        Path | None, typer.Option(metavar="STORE", help="Same as the argument STORE.")
    ] = None,
    augment: Annotated[
        bool,
        typer.Option("--augment/--no-augment", help="Add the mirror image of each position."),
    ] = True,
    seed: Annotated[int, typer.Option(help="Random seed of the split.")] = 42,
    split: Annotated[
        str,
        typer.Option(
            metavar="A/B/C", help="Percentages of games for training, validation and test."
        ),
    ] = "80/10/10",
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPE",
            help="Write the targets and weights of this recipe or .yaml file, and skip the plies"
            " that it skips (default: every ply, with the recorded policy and result).",
            rich_help_panel=RECIPE,
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="PRESET",
            help="Preset of the recipe.",
            show_default="small",
            rich_help_panel=RECIPE,
        ),
    ] = None,
    changes: Changes = None,
    game: OfGame = None,
    purpose: OfPurpose = None,
    source: OfSource = None,
    trusted: Trusted = False,
) -> None:
    """Write training examples as numpy arrays, split by game.

    Examples:
      rulezero data process games --to arrays
      rulezero data process runs/first --recipe razzle --to arrays
    """
    games = given_once(path, raw_dir, ("STORE", "--raw-dir"))
    if recipe is None and (preset or changes):
        raise typer.BadParameter("--preset and --set change a recipe: name it with --recipe")
    options = rz.arrays.ArrayOptions(augment=augment, seed=seed, split=read_split(split))
    taught = None
    if recipe is not None:
        taught = rz.experiment(recipe, preset or "small", changes or [])
        words = " ".join([recipe, taught.preset, *(changes or [])])
        options = msgspec.structs.replace(options, recipe=words)
    rz.arrays.check_place(to)
    if taught is not None and game is None:
        game = rz.load(taught.game).text
    selection = Selection(games, game=game, purpose=purpose, source=source, trusted=trusted)
    if next(iter(selection), None) is None:
        raise selection.nothing()
    survey = rz.arrays.survey(
        selection,
        lesson_of=None if taught is None else rz.steps.lessons(taught, selection.notes()),
        trusted=trusted,
        report=selection.report,
    )
    selection.warn()
    for half in rz.arrays.unfinished(to):
        warn([f"'{half}' is unfinished: delete it, unless a process is still writing it"])
    size = survey.bytes(options)
    rz.arrays.check_room(size, to)
    if size > _LARGE:
        typer.echo(f"{to} will have {size / 1e9:.1f} GB", err=True)
    with counting("writing") as tell:
        made = rz.arrays.write(selection, survey, to, options, tell)
    for name, share in zip(rz.arrays.SPLITS, options.split, strict=True):
        if share and not made.splits[name].games:
            warn([f"no game fell to '{name}': take more games, or another --seed or --split"])
    show_arrays(made, to, open_console())


@app.command("export")
def export_games(
    path: _Place,
    to: Annotated[Path, typer.Option(metavar="FILE", help="File to create: .jsonl, .pgn or .npz.")],
    game: OfGame = None,
    purpose: OfPurpose = None,
    source: OfSource = None,
    trusted: Trusted = False,
) -> None:
    """Write games as JSON lines or PGN, or a small store as one .npz file.

    Examples:
      rulezero data export games --to games.jsonl
      rulezero data export games --purpose human --to games.pgn
    """
    if to.exists():
        raise rz.RecordError(f"'{to}' exists already: choose another name")
    selection = Selection(path, game=game, purpose=purpose, source=source, trusted=trusted)
    plies: Counter[str] = Counter()
    for record in selection:
        plies[record.game] += record.plies
    if not plies:
        raise selection.nothing()
    selection.warn()
    if to.suffix.lower() == ".npz":
        _check_npz(plies, to, trusted)
    try:
        games = rz.data.export(selection, to, trusted=trusted)
    except rz.RulezeroError as error:
        if selection.current is None:
            raise
        raise rz.RecordError(f"record {selection.current.id}: {error}") from error
    typer.echo(f"{counted(games, 'game')} in {to}")


def read_split(text: str) -> tuple[float, float, float]:
    """Per cent to train, validate and test with, of 80/10/10."""
    try:
        train, val, test = map(float, text.split("/"))
    except ValueError:
        train = val = test = -1
    if not (min(train, val, test) >= 0 and abs(train + val + test - 100) < 1e-6):
        raise typer.BadParameter(
            f"a split is three numbers that sum to 100, such as 80/10/10, not '{text}'",
            param_hint="'--split'",
        )
    return train, val, test


def _check_npz(plies: Counter[str], to: Path, trusted: bool) -> None:
    """Says what does not fit into one file of arrays."""
    if len(plies) > 1:
        raise rz.RecordError(
            f"one .npz has one game, and here are {', '.join(plies)}: name one with --game"
        )
    ((text, number),) = plies.items()
    facts = rz.data.game_of(text, trusted=trusted).facts
    channels, rows, columns = facts.planes
    size = 4 * number * (channels * rows * columns + facts.slots)
    if size > _LARGEST_NPZ:
        raise rz.RecordError(
            f"'{to}' would need {size / 1e9:.1f} GB of memory: write it piece by piece with"
            " rulezero data process"
        )


def show(found: rz.data.Summary, console: Console) -> None:
    """Prints a summary."""
    bold = "bold" if console.is_terminal else ""
    size = f"{counted(found.results.games, 'game')}, {found.plies:,} plies"
    heading = f"{rz.view.title(found.game)}: {size}"
    console.print(Text(heading, bold), soft_wrap=True)
    print_pairs(
        console, [("purposes", say_counts(found.purposes)), ("sources", say_counts(found.sources))]
    )
    console.print()
    counts = ">games", ">seat 0 wins", ">draws", ">seat 1 wins"
    ends = plain_table(console, "ended by", *counts, has_room=False)
    for reason, results in found.ends.items():
        ends.add_row(Text(reason), *_numbers(results))
    if len(found.ends) > 1:
        ends.add_row("all", *_numbers(found.results), style=bold)
    console.print(ends)
    console.print()
    figures = ">games", ">plies", ">seat 0", ">draws", ">seat 1", ">value", ">spread"
    table = plain_table(console, ">generation", *figures, has_room=False)

    def row(
        name: str, plies: int, results: rz.data.Results, values: rz.data.Values, style: str = ""
    ) -> None:
        games, *ended = _numbers(results)
        table.add_row(name, games, f"{plies:,}", *ended, *_say_values(values), style=style)

    for each in found.generations:
        number = "-" if each.number is None else str(each.number)
        row(number, each.plies, each.results, each.values)
    if len(found.generations) > 1:
        row("all", found.plies, found.results, found.values, bold)
    console.print(table)


def say_counts(counts: dict[str, int]) -> str:
    """Counts by name, the most frequent first: "self-play 60, gate 4"."""
    first = [f"{name} {number:,}" for name, number in list(counts.items())[:_MOST_SOURCES]]
    more = len(counts) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


def _numbers(results: rz.data.Results) -> list[str]:
    """Games, and whose they are; nothing where all of them are open."""
    cells = [f"{results.games:,}"]
    ended = (results.seat_0_wins, results.draws, results.seat_1_wins)
    return cells + [f"{n:,}" if results.unknown < results.games else "" for n in ended]


def _say_values(values: rz.data.Values) -> tuple[str, str]:
    if values.mean is None or values.spread is None:
        return "-", "-"
    return f"{values.mean:+.3f}", f"{values.spread:.3f}"


def show_arrays(made: rz.arrays.Meta, to: Path, console: Console) -> None:
    """Prints what was written."""
    mirrored = f", {made.mirrored:,} of them mirrored" if made.mirrored else ""
    games = f"{counted(made.games, 'game')} of {rz.view.title(made.game)}"
    words = f"{to}: {made.positions:,} positions{mirrored}, of {games}"
    console.print(Text(words), soft_wrap=True)
    table = plain_table(console, "split", ">games", ">positions", has_room=False)
    for name, part in made.splits.items():
        table.add_row(name, f"{part.games:,}", f"{part.positions:,}")
    console.print(table)
