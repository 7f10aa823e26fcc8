"""Draws the board of any state as SVG, for web pages, documents and notebooks."""

import html
import re
from collections.abc import Iterable

from rulezero._core import Cell, GameError, State
from rulezero.games.drawing import shapes_of
from rulezero.games.view import column_names, looks

_SQUARE = 60  # width of a square, in units of the drawing
_EDGE = 22  # left of and below the board, for row and column names

_STYLE = """
.rz-board .light{fill:#efe0c2}
.rz-board .dark{fill:#c19a6b}
.rz-board .last{fill:#d9c04a;fill-opacity:.55}
.rz-board .name{font:13px sans-serif;fill:#7a7167;text-anchor:middle}
.rz-board .man *{stroke-width:3;stroke-linejoin:round;stroke-linecap:round}
.rz-board .seat0 *{fill:#fbf7ee;stroke:#2b2622}
.rz-board .seat1 *{fill:#3a3430;stroke:#12100e}
.rz-board .man .cut{fill:none}
.rz-board .seat1 .cut{stroke:#cfc5b6}
.rz-board .seat0 .dot{fill:#2b2622;stroke:none}
.rz-board .seat1 .dot{fill:#cfc5b6;stroke:none}
.rz-board .man .ball{fill:#e0662f;stroke:#7a2f10}
.rz-board .man .seam{fill:none;stroke:#7a2f10;stroke-width:2.4}
.rz-board .man .bar{fill:none;stroke:#b3261e;stroke-width:6}
.rz-board .man text{font:bold 44px sans-serif;text-anchor:middle;stroke:none}
.rz-board .seat0 text{fill:#2b2622}
.rz-board .seat1 text{fill:#fbf7ee}
.rz-board .note rect{fill:#fffdf8;stroke:#7a7167}
.rz-board .note text{font:11px sans-serif;fill:#2b2622;text-anchor:middle}
.rz-board .arrow{stroke:#1f7a3f;stroke-width:9;stroke-opacity:.7;stroke-linecap:round;fill:none}
.rz-board .head{fill:#1f7a3f;fill-opacity:.7}
"""


def svg(
    state: State,
    *,
    is_flipped: bool = False,
    since: State | None = None,
    arrows: Iterable[tuple[str, str]] = (),
    size: int = 400,
) -> str:
    """The board of a state as an SVG image, `size` pixels wide.

    Squares that differ from `since` (default: the state before) are marked. `arrows` are pairs of
    squares, ("e2", "e4"). With `is_flipped` seat 1 is at the bottom.
    """
    rows, columns = state.game.facts.board
    before = since or state.before
    cells, past = state.cells(), (before or state).cells()
    pictures, parts = shapes_of(state.game), list[str]()

    def corner(row: int, column: int) -> tuple[int, int]:
        """The upper left corner of a square; rows are counted from the bottom."""
        down = row if is_flipped else rows - 1 - row
        across = columns - 1 - column if is_flipped else column
        return _EDGE + across * _SQUARE, down * _SQUARE

    for row in range(rows):
        for column in range(columns):
            cell, old = cells[rows - 1 - row][column], past[rows - 1 - row][column]
            x, y = corner(row, column)
            shade = "light" if (row + column) % 2 else "dark"
            parts.append(_rectangle(shade, x, y))
            if looks(cell) != looks(old):
                parts.append(_rectangle("last", x, y))
            parts.append(_man(cell, pictures, x, y))
    middle = _SQUARE // 2
    for row in range(rows):
        parts.append(_name(str(row + 1), _EDGE // 2, corner(row, 0)[1] + middle + 5))
    names = column_names(columns)
    for column, name in enumerate(names):
        parts.append(_name(name, corner(0, column)[0] + middle, rows * _SQUARE + 16))
    for pair in arrows:
        ends = [corner(*_square(name, names, rows)) for name in pair]
        parts.append(_arrow(*((x + middle, y + middle) for x, y in ends)))
    width, height = columns * _SQUARE + _EDGE, rows * _SQUARE + _EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rz-board" viewBox="0 0 {width} {height}"'
        f' width="{size}" height="{round(size * height / width)}">'
        f"<style>{_STYLE.strip()}</style>{''.join(parts)}</svg>"
    )


def _rectangle(kind: str, x: int, y: int) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}"/>'


def _name(text: str, x: int, y: int) -> str:
    return f'<text class="name" x="{x}" y="{y}">{html.escape(text)}</text>'


def _man(cell: Cell, pictures: dict[str, str], x: int, y: int) -> str:
    """A man with its note; a man without a picture is drawn as a disc with its symbol."""
    if not cell.man:
        return ""
    picture = pictures.get(cell.man) or pictures.get(cell.man.upper())
    if picture is None:
        symbol = html.escape(cell.man.upper())
        picture = f'<circle cx="50" cy="50" r="36"/><text x="50" y="66">{symbol}</text>'
    scale = _SQUARE / 100
    seat = f"seat{max(cell.seat, 0)}"
    drawn = f'<g class="man {seat}" transform="translate({x} {y}) scale({scale})">{picture}</g>'
    if cell.note:
        width = 8 + 7 * len(cell.note)
        left = x + (_SQUARE - width) / 2
        drawn += (
            f'<g class="note"><rect x="{left}" y="{y + 45}" width="{width}" height="14" rx="5"/>'
            f'<text x="{x + _SQUARE / 2}" y="{y + 56}">{html.escape(cell.note)}</text></g>'
        )
    return drawn


def _square(name: str, columns: list[str], rows: int) -> tuple[int, int]:
    """The (row, column) of a square named as in e2."""
    found = re.fullmatch(r"([a-z])([1-9]\d{0,2})", name)
    if found is None or found[1] not in columns or int(found[2]) > rows:
        raise GameError(f"'{name}' is not a square of the board: name squares as in e2")
    return int(found[2]) - 1, columns.index(found[1])


def _arrow(begin: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (to_x, to_y) = begin, end
    length = max(1.0, ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5)
    across, down = (to_x - x) / length, (to_y - y) / length  # the unit vector
    neck = to_x - 20 * across, to_y - 20 * down
    sides = [(neck[0] + turn * 13 * down, neck[1] - turn * 13 * across) for turn in (1, -1)]
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in [(to_x, to_y), *sides])
    return (
        f'<path class="arrow" d="M{x} {y}L{neck[0]:.1f} {neck[1]:.1f}"/>'
        f'<polygon class="head" points="{points}"/>'
    )
