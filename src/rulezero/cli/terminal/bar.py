"""The value of a position, as a bar and in numbers."""

from rich.console import Console
from rich.text import Text

import rulezero as rz

_WIDTH = 32
_GROUND = "#303030"  # white would vanish on a white terminal


def print_value(console: Console, thought: rz.data.Thought, names: rz.view.Names) -> None:
    """Prints shares of seat 0's wins, draws and seat 1's wins, if the thought has a value."""
    if thought.value is None:
        return
    won, drawn, lost = rz.stats.likely(thought.value, thought.draw)
    first, second = round(_WIDTH * won), round(_WIDTH * lost)
    letters = "#=-" if console.options.ascii_only else "█▒░"
    middle = max(0, _WIDTH - first - second)
    numbers = f"  {signed(thought.value)} for {names[0]}"
    if drawn >= 0.005:
        numbers += f", {100 * drawn:.0f} % draws"
    bar = Text.assemble(
        f"{names[0]} ",
        (letters[0] * first, f"{rz.view.SEAT_COLOURS[0]} on {_GROUND}"),
        (letters[1] * middle, f"{rz.view.NOBODY} on {_GROUND}"),
        (letters[2] * (_WIDTH - first - middle), f"{rz.view.SEAT_COLOURS[1]} on {_GROUND}"),
        f" {names[1]}{numbers}",
        no_wrap=True,
    )
    console.print(bar)


def signed(value: float) -> str:
    """The value with its sign; a hair below 0 is +0.00."""
    return f"{round(value, 2) + 0.0:+.2f}"
