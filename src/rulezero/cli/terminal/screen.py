"""What the verbs print on."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import msgspec
import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from rulezero.cli.terminal.interrupted import ends_soon

_MOST_WARNINGS = 5
_SECONDS_BETWEEN_LINES = 30.0  # of progress, where no bar can be drawn
_PIPED_WIDTH = 200  # nobody sees a pipe's edge: lines stay whole


def open_console() -> Console:
    """A console on stdout: as wide as the terminal, or wide enough for anything in a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPED_WIDTH)


def warn(problems: Sequence[str]) -> None:
    """Says on stderr what is wrong, a line each; of many the first."""
    for problem in problems[:_MOST_WARNINGS]:
        print(f"rulezero: warning: {problem}", file=sys.stderr)
    if len(problems) > _MOST_WARNINGS:
        print(f"rulezero: warning: {len(problems) - _MOST_WARNINGS} more", file=sys.stderr)


def print_json(value: object) -> None:
    """Prints a value as one line of JSON; settings are objects by their keys."""
    typer.echo(msgspec.json.encode(value, enc_hook=dict).decode())


def plain_table(console: Console, *columns: str, has_room: bool = True) -> Table:
    """A table for people on a terminal, aligned words in a pipe. A '>' column is flush right.

    With `has_room` a terminal's table stands apart from what is above, below and left of it.
    """
    on_screen = console.is_terminal
    table = Table(
        box=box.SIMPLE_HEAD if on_screen else None,
        pad_edge=False,
        show_edge=has_room,
        header_style="bold" if on_screen else "",
    )
    for name in columns:
        table.add_column(name.lstrip(">"), justify="right" if name.startswith(">") else "left")
    return table


def print_pairs(console: Console, pairs: Sequence[tuple[str, str]], width: int = 0) -> None:
    """Words with what they mean, a line each; on a terminal long ones wrap under themselves.

    The first column is `width` letters wide, or wider if a word needs it.
    """
    width = max([width, *(len(word) + 2 for word, _ in pairs)])
    grid = Table.grid(padding=0)
    grid.add_column(width=width, style="bold")
    for word, meaning in pairs:
        grid.add_row(Text(word), Text(meaning))
        if not console.is_terminal:
            console.print(f"{word:<{width}}{meaning}", soft_wrap=True, markup=False)
    if console.is_terminal:
        console.print(grid)


class Tell(Protocol):
    """Takes how much is done, of how much, and perhaps a few words, or what makes them."""

    def __call__(self, done: int, total: int, words: str | Callable[[], str] = "") -> None: ...


@contextmanager
def gone_on_with() -> Iterator[None]:
    """Says after Ctrl-C that nothing is lost."""
    with ends_soon(lambda: "stopped: the same command goes on"):
        yield


def progress_bar(console: Console) -> Progress:
    """A bar whose tasks have a description and a field `words`; nothing but on a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def counting(name: str, *, lines_of: str = "") -> Iterator[Tell]:
    """A bar on a terminal's stderr for as long as something is done.

    Elsewhere nothing, unless `lines_of` says what is counted: then a line every half minute.
    """
    console = Console(stderr=True, highlight=False)
    printed = time.monotonic()
    with progress_bar(console) as bar:
        task = bar.add_task(name, total=None, words="")

        def tell(done: int, total: int, words: str | Callable[[], str] = "") -> None:
            nonlocal printed
            is_due = lines_of and time.monotonic() - printed > _SECONDS_BETWEEN_LINES
            if not (console.is_terminal or is_due):
                return
            words = words if isinstance(words, str) else words()
            bar.update(task, completed=done, total=total, words=words)
            if not console.is_terminal:
                printed = time.monotonic()
                line = f"{done} of {total} {lines_of}: {words}"
                console.print(line, soft_wrap=True, markup=False)

        yield tell
