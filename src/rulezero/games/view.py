"""Draws the board of any state for a terminal, in colour or as plain text.

Rich drops colours if NO_COLOR is set or the output is not a terminal; the board is then drawn as
plain text, so that no information is in the colours alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from rulezero._core import CHANCE, Cell, GameError, State

Names = tuple[str, str]  # what the seats are called

SEAT_COLOURS = ("#ffffff", "#ffb454")
# Dark and light squares, and those that the last choice changed: colours that also differ on
# terminals with 256 or 16 colours.
_SQUARE_COLOURS = ("#303030", "#444444")
_LAST_COLOURS = ("#005f00", "#008700")
_NOTE_COLOUR = "#a9b7c0"
NOBODY = "#9aa5ad"
_SEATS: Names = ("seat 0", "seat 1")


def title(text: str) -> str:
    """The text of a game for people: without the hash of rules in a file."""
    return text.partition(",sha=")[0]


@dataclass(frozen=True)
class Board:
    """A state as a rich renderable: coordinates, men, notes, the last choice and who is next."""

    state: State
    title: str = ""
    since: State | None = None  # differences from it are marked; None: the state before
    is_flipped: bool = False  # seat 1 is at the bottom
    names: Names = _SEATS

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if console.no_color or console.color_system is None:
            yield Text(self.plain(unicode=not options.ascii_only))
            return
        layout = _Layout.of(self)
        if self.title:
            yield Text(self.title, style="bold", no_wrap=True)
        yield from _coloured_rows(layout)
        yield Text(layout.letters, style="dim", no_wrap=True)
        yield _coloured_caption(self.state, self.names, ascii_only=options.ascii_only)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        words = cell_len(self.title), cell_len(caption(self.state, self.names)) + len(" * ") + 1
        width = max(_Layout.of(self).width, *words)
        return Measurement(width, width)

    def plain(self, unicode: bool = True) -> str:
        """The board as lines of text; marked squares are in brackets."""
        layout = _Layout.of(self)
        lines = [self.title] if self.title else []
        for label, row in layout.rows:
            lines.append(label + "".join(_plain_man(layout, square, unicode) for square in row))
            if layout.has_notes:
                notes = "".join(_centred(square.cell.note, layout.cell) for square in row)
                lines.append(" " * len(label) + notes)
        lines += [layout.letters, caption(self.state, self.names)]
        return "\n".join(line.rstrip() for line in lines)


draw = Board  # rz.view.draw(state) returns what rich prints


def plain(state: State, title: str = "", unicode: bool = True) -> str:
    """The state as lines of text; squares that the last choice changed are in brackets."""
    return Board(state, title).plain(unicode)


def caption(state: State, names: Names = _SEATS) -> str:
    """The mover, or how the game ended."""
    if state.outcome is not None:
        return say_result(state.outcome, state.end_reason, names)
    return "the die rolls" if state.mover == CHANCE else f"{names[state.mover]} to move"


def say_result(outcome: float, reason: str | None, names: Names) -> str:
    """How a game ended, by seat 0's outcome: "White wins: checkmate"."""
    winner = _winner(outcome)
    return f"drawn: {reason}" if winner is None else f"{names[winner]} wins: {reason}"


def speaks_san(state: State) -> bool:
    """Whether the game supports SAN, the short move text of chess players."""
    try:
        state.say(state.legal[0], san=True)
    except (GameError, IndexError):
        return False
    return True


def say(state: State, action: int) -> str:
    """A choice as people say it: SAN if the game supports it, else the game's move text."""
    return state.say(action, san=speaks_san(state))


def say_ply(state: State, action: int, names: Names) -> str:
    """Who chose what: "White plays Nf3", "the die shows 3"."""
    who = "the die shows" if state.mover == CHANCE else f"{names[state.mover]} plays"
    return f"{who} {say(state, action)}"


def last_words(state: State) -> str:
    """The move text of the choice that led here, with its die: "d1xd4, die 3"."""
    before = state.before
    if before is None:
        return ""
    words = before.say(state.actions[-1])
    return f"{last_words(before)}, die {words}" if before.mover == CHANCE else words


def _winner(outcome: float) -> int | None:
    return None if outcome == 0 else int(outcome < 0)


@dataclass(frozen=True)
class _Square:
    cell: Cell
    is_light: bool
    is_last: bool


@dataclass(frozen=True)
class _Layout:
    """What both drawings share: squares with their labels, and their width."""

    rows: list[tuple[str, list[_Square]]]  # from the top, each with its label
    cell: int  # width of a square, in characters
    has_notes: bool
    letters: str  # the line of column names

    @property
    def width(self) -> int:
        return cell_len(self.rows[0][0]) + self.cell * len(self.rows[0][1])

    @classmethod
    def of(cls, board: Board) -> "_Layout":
        state = board.state
        cells = state.cells()
        since = board.since or state.before
        past = since.cells() if since else cells
        height, columns = state.game.facts.board
        margin = len(str(height)) + 1
        rows = []
        for at, (now, then) in enumerate(zip(cells, past, strict=True)):
            number = height - at
            squares = [
                _Square(cell, (number + column) % 2 == 0, looks(cell) != looks(old))
                for column, (cell, old) in enumerate(zip(now, then, strict=True))
            ]
            rows.append((f"{number:>{margin - 1}} ", squares))
        drawn = [text for row in cells for cell in row for text in (_shown(cell), cell.note)]
        width = max(1, *map(cell_len, drawn)) + 2
        names = column_names(columns)
        if board.is_flipped:
            rows = [(label, squares[::-1]) for label, squares in reversed(rows)]
            names.reverse()
        letters = " " * margin + "".join(_centred(name, width) for name in names)
        has_notes = any(cell.note for row in cells for cell in row)
        return cls(rows, width, has_notes, letters)


def looks(cell: Cell) -> tuple[str, int, str]:
    """Everything that is shown of a square: its man, the man's seat, and the note."""
    return cell.man, cell.seat, cell.note


def column_names(columns: int) -> list[str]:
    """Letters from a on, or numbers if there are more than 26 columns."""
    return [chr(ord("a") + at) if columns <= 26 else str(at + 1) for at in range(columns)]


def _shown(cell: Cell) -> str:
    """The man as it is drawn: seat 1's are lower case, or end in ' if there is no case."""
    if cell.seat != 1:
        return cell.man
    return cell.man.lower() if cell.man.upper() != cell.man.lower() else f"{cell.man}'"


def _centred(text: str, width: int) -> str:
    space = max(width - cell_len(text), 0)
    return " " * (space // 2) + text + " " * (space - space // 2)


def _plain_man(layout: _Layout, square: _Square, unicode: bool) -> str:
    man = _shown(square.cell) or ("·" if unicode else ".")
    return _centred(f"[{man}]" if square.is_last else man, layout.cell)


def _coloured_rows(layout: _Layout) -> Iterator[Text]:
    for label, row in layout.rows:
        men, notes = Text(label, style="dim", no_wrap=True), Text(" " * len(label), no_wrap=True)
        for square in row:
            ground = (_LAST_COLOURS if square.is_last else _SQUARE_COLOURS)[square.is_light]
            seat = square.cell.seat
            colour = SEAT_COLOURS[seat] if seat in (0, 1) else NOBODY
            men.append(
                _centred(_shown(square.cell), layout.cell), f"not dim bold {colour} on {ground}"
            )
            notes.append(_centred(square.cell.note, layout.cell), f"{_NOTE_COLOUR} on {ground}")
        yield men
        if layout.has_notes:
            yield notes


def _coloured_caption(state: State, names: Names, ascii_only: bool) -> Text:
    seat = state.mover if state.outcome is None else _winner(state.outcome)
    line = Text(caption(state, names), no_wrap=True)
    if seat is not None and seat != CHANCE:
        dot = "*" if ascii_only else "●"
        # On a dark square's colour, as white would be invisible on a white terminal.
        return Text.assemble(
            (f" {dot} ", f"{SEAT_COLOURS[seat]} on {_SQUARE_COLOURS[0]}"), " ", line
        )
    return line
