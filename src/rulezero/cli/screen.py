"""What the verbs print on."""

from rich import box
from rich.console import Console
from rich.table import Table

_PIPED_WIDTH = 200  # nobody sees a pipe's edge: lines stay whole


def open_console() -> Console:
    """A console on stdout: as wide as the terminal, or wide enough for anything in a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPED_WIDTH)


def plain_table(console: Console, *columns: str, title: str = "") -> Table:
    """A table for people on a terminal, aligned words in a pipe. A '>' column is flush right."""
    on_screen = console.is_terminal
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD if on_screen else None,
        pad_edge=False,
        header_style="bold" if on_screen else "",
    )
    for name in columns:
        table.add_column(name.lstrip(">"), justify="right" if name.startswith(">") else "left")
    return table
