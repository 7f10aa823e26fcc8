"""What the verbs print on."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

_MOST_WARNINGS = 5
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


def plain_table(console: Console, *columns: str, title: str = "", has_room: bool = True) -> Table:
    """A table for people on a terminal, aligned words in a pipe. A '>' column is flush right.

    With `has_room` a terminal's table stands apart from what is above, below and left of it.
    """
    on_screen = console.is_terminal
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD if on_screen else None,
        pad_edge=False,
        show_edge=has_room,
        header_style="bold" if on_screen else "",
    )
    for name in columns:
        table.add_column(name.lstrip(">"), justify="right" if name.startswith(">") else "left")
    return table


def print_pairs(console: Console, pairs: Iterable[tuple[str, str]]) -> None:
    """Words with what they mean, a line each; on a terminal long ones go on under themselves."""
    known = list(pairs)
    width = max((len(word) for word, _ in known), default=0) + 2
    grid = Table.grid(padding=0)
    grid.add_column(width=width, style="bold")
    for word, meaning in known:
        grid.add_row(Text(word), Text(meaning))
        if not console.is_terminal:
            console.print(f"{word:<{width}}{meaning}", soft_wrap=True, markup=False)
    if console.is_terminal:
        console.print(grid)


class Tell(Protocol):
    """Is told how much is done, of how much, and perhaps a few words."""

    def __call__(self, done: int, total: int, words: str = "") -> None: ...


@contextmanager
def gone_on_with() -> Iterator[None]:
    """Says after Ctrl-C that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        print("stopped: the same command goes on", file=sys.stderr)
        raise


@contextmanager
def counting(name: str) -> Iterator[Tell]:
    """A bar on a terminal's stderr for as long as something is done; nothing elsewhere."""
    console = Console(stderr=True, highlight=False)
    with Progress(
        TextColumn(name),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(name, total=None, words="")

        def tell(done: int, total: int, words: str = "") -> None:
            bar.update(task, completed=done, total=total, words=words)

        yield tell
