"""The value of a position, as a bar and in numbers."""

from rich.text import Text

from rulezero.games.view import NOBODY, SEAT_COLOURS, Names
from rulezero.stats.wdl import likely

_WIDTH = 32
_GROUND = "#303030"  # white would vanish on a white terminal


def bar(value: float, draw: float | None, names: Names, *, ascii_only: bool = False) -> Text:
    """Shares of seat 0's wins, draws and seat 1's wins; the value is seat 0's, in [-1, 1]."""
    won, drawn, lost = likely(value, draw)
    first, second = round(_WIDTH * won), round(_WIDTH * lost)
    letters = "#=-" if ascii_only else "█▒░"
    middle = max(0, _WIDTH - first - second)
    numbers = f"  {signed(value)} for {names[0]}"
    if drawn >= 0.005:
        numbers += f", {100 * drawn:.0f} % draws"
    return Text.assemble(
        f"{names[0]} ",
        (letters[0] * first, f"{SEAT_COLOURS[0]} on {_GROUND}"),
        (letters[1] * middle, f"{NOBODY} on {_GROUND}"),
        (letters[2] * (_WIDTH - first - middle), f"{SEAT_COLOURS[1]} on {_GROUND}"),
        f" {names[1]}{numbers}",
        no_wrap=True,
    )


def signed(value: float) -> str:
    """The value with its sign; a hair below 0 is +0.00."""
    return f"{round(value, 2) + 0.0:+.2f}"
