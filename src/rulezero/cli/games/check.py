"""`rulezero check pieces FILE...` reads piece files and draws how their pieces move.

`rulezero check game GAME` is in check_game.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import groupby
from random import Random
from typing import Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.columns import Columns
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

import rulezero as rz
from rulezero.cli.games.check_game import game
from rulezero.cli.terminal.words import counted

app = typer.Typer(no_args_is_help=True)
app.command("game")(game)

# Squares are (file, rank) from (0, 0), which is a1.
Square = tuple[int, int]
# Whether a piece may go from a square to another one, to capture there or not, with hurdles on
# the board; None if no legal position can show it.
Query = Callable[[rz.pieces.NamedPiece, Square, Square, bool, frozenset[Square]], bool | None]

_BOARD = [(file, rank) for rank in range(8) for file in range(8)]
_MIDDLE = (3, 3)
_POSITIONS = 6  # to ask in before the answer is no: a king's step may be barred in some
_TRIES = 200  # positions to make up, most of them illegal for a piece that attacks everywhere


class Mark(Enum):
    """What is drawn on a square: glyph, the same in ASCII, style and meaning."""

    BOTH = "●", "*", "bold green", "moves and captures"
    MOVE = "○", "o", "cyan", "only moves"
    CAPTURE = "✕", "x", "bold red", "only captures"
    FIRST = "^", "^", "yellow", "only from its starting rank"
    HURDLE = "■", "#", "magenta", "a hurdle"
    UNKNOWN = "?", "?", "dim", "no legal position shows it"

    def text(self, is_ascii: bool) -> Text:
        return Text(self.value[is_ascii], style=self.value[2])


@dataclass(frozen=True)
class Board:
    """A piece in the middle of a board, and what it reaches from there."""

    piece: rz.pieces.NamedPiece
    marks: dict[Square, Mark]
    has_hurdles: bool


@app.callback()
def check() -> None:
    """Check the rules of a game, or files with pieces, before you use them."""


@app.command()
def pieces(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="YAML files with pieces, or the built-in sets standard and custom.",
        ),
    ],
) -> None:
    """Check piece files and draw how every piece in them moves.

    Examples:
      rulezero check pieces my_pieces.yaml
      rulezero check pieces standard custom
    """
    loaded = rz.pieces.read_pieces(files)
    game = rz.pieces.game_with(loaded)
    named = {str(rz.pieces.locate(file)) for file in files}
    shown = [piece for piece in loaded if piece.file in named]
    query = partial(ask, game, loaded)
    draw([board for piece in shown for board in boards(piece, query)], Console())
    typer.echo(f"{counted(len(shown), 'piece')}, no mistake found")


# --- the question --------------------------------------------------------------------------------


def ask(
    game: rz.Game,
    loaded: rz.pieces.PieceSet,
    piece: rz.pieces.NamedPiece,
    origin: Square,
    target: Square,
    captures: bool,
    hurdles: frozenset[Square],
) -> bool | None:
    """A Query answered by the rules of random_chess.

    The other men that a legal position needs stand off every line from origin to target: two
    kings, neither in check, and a man more, so that the game is not drawn for want of material.
    """
    rng = Random(0)
    in_the_way = {origin, target, *hurdles, *_lines_through(piece, origin, target)}
    free = [square for square in _BOARD if square not in in_the_way]
    kinds = [other for other in loaded if not other.royal]
    positions = 0
    for _ in range(_TRIES if kinds and len(free) >= 3 else 0):
        white_king, black_king, idle = rng.sample(free, 3)
        helper, victim = rng.choice(kinds), rng.choice(kinds)
        men = {square: _man(helper, "w") for square in (idle, *hurdles)}
        men |= {white_king: "K"} if not piece.royal else {}
        men |= {black_king: "k", origin: _man(piece, "w")}
        men |= {target: _man(victim, "b")} if captures else {}
        board = _board_field(men)
        try:
            state = game.parse(f"{board} w - - 0 1")
            game.parse(f"{board} b - - 0 1")
        except rz.PositionError:
            continue
        move = _name(origin) + _name(target)
        if any(state.say(action)[:4] == move for action in state.legal):
            return True
        positions += 1
        if positions == _POSITIONS:
            break
    return False if positions else None


def _lines_through(piece: rz.pieces.NamedPiece, origin: Square, target: Square) -> Iterator[Square]:
    for move in piece.moves:
        if move.type != "leap":
            for vector in move.vectors:
                line = _line(origin, vector)
                yield from line if target in line else ()


def _line(origin: Square, vector: tuple[int, int]) -> list[Square]:
    """The squares of the board at the multiples of a vector, as White sees it."""
    steps = [(origin[0] + n * vector[0], origin[1] + n * vector[1]) for n in range(1, 8)]
    return [square for square in steps if square in _BOARD]


def _man(piece: rz.pieces.NamedPiece, colour: str) -> str:
    if len(piece.symbol) == 1 and piece.symbol.isascii() and piece.symbol.isalpha():
        return piece.symbol if colour == "w" else piece.symbol.lower()
    return f"{{{colour}{piece.symbol}}}"


def _board_field(men: dict[Square, str]) -> str:
    rows = []
    for rank in reversed(range(8)):
        squares = [men.get((file, rank), "") for file in range(8)]
        runs = [(is_man, list(run)) for is_man, run in groupby(squares, key=bool)]
        rows.append("".join("".join(run) if is_man else str(len(run)) for is_man, run in runs))
    return "/".join(rows)


def _name(square: Square) -> str:
    return "abcdefgh"[square[0]] + str(square[1] + 1)


# --- boards --------------------------------------------------------------------------------------


def boards(piece: rz.pieces.NamedPiece, query: Query) -> list[Board]:
    """What the piece reaches on an open board, and over hurdles if it hops."""
    marks = _reach(piece, query, _MIDDLE)
    if any(move.initial_only for move in piece.moves):
        home = (_MIDDLE[0], 1 if piece.symbol == "P" else 0)
        for file, rank in _reach(piece, query, home):
            square = (file, rank - home[1] + _MIDDLE[1])
            if square in _BOARD:
                marks.setdefault(square, Mark.FIRST)
    hops = {_hurdles(move): None for move in piece.moves if isinstance(move, rz.pieces.Hop)}
    drawn = [Board(piece, marks, False)] if marks or not hops else []
    for hurdles in hops:
        marks = _reach(piece, query, _MIDDLE, hurdles)
        drawn.append(Board(piece, marks | dict.fromkeys(hurdles, Mark.HURDLE), True))
    return drawn


def _reach(
    piece: rz.pieces.NamedPiece,
    query: Query,
    origin: Square,
    hurdles: frozenset[Square] = frozenset(),
) -> dict[Square, Mark]:
    marks = {}
    for target in _BOARD:
        if target == origin or target in hurdles:
            continue
        moves = query(piece, origin, target, False, hurdles)
        captures = query(piece, origin, target, True, hurdles)
        if moves or captures:
            marks[target] = (
                Mark.BOTH if moves and captures else Mark.MOVE if moves else Mark.CAPTURE
            )
        elif moves is None or captures is None:
            marks[target] = Mark.UNKNOWN
    return marks


def _hurdles(move: rz.pieces.Hop) -> frozenset[Square]:
    """Men for a hop to pass: on every line from the second square on if there is room to land."""
    squares: set[Square] = set()
    for vector in move.vectors:
        line = _line(_MIDDLE, vector)
        first = 1 if len(line) >= 1 + move.hurdles + max(1, move.land) else 0
        squares.update(line[first : first + move.hurdles])
    return frozenset(squares)


# --- drawing -------------------------------------------------------------------------------------


def draw(drawn: list[Board], console: Console) -> None:
    """Prints the boards, side by side as far as the terminal is wide, and the legend."""
    is_ascii = console.options.ascii_only
    console.print(Columns([_panel(board, is_ascii) for board in drawn]))
    used = {mark for board in drawn for mark in board.marks.values()}
    for mark in Mark:
        if mark in used:
            console.print(Text.assemble(" ", mark.text(is_ascii), f" {mark.value[3]}"))


def _panel(board: Board, is_ascii: bool) -> Panel:
    piece = board.piece
    lines = [Text(piece.description)] if piece.description else []
    lines += [Text(rule, style="italic") for rule in piece.rules]
    return Panel(
        Group(_picture(board, is_ascii), *lines),
        title=Text(f"{piece.name}  {piece.symbol}  value {piece.value:g}", style="bold"),
        subtitle="over hurdles" if board.has_hurdles else None,
        width=30,
    )


def _picture(board: Board, is_ascii: bool) -> Text:
    picture = Text()
    for rank in reversed(range(8)):
        picture.append(f"{rank + 1} ", style="dim")
        for file in range(8):
            mark = board.marks.get((file, rank))
            if (file, rank) == _MIDDLE:
                symbol = board.piece.symbol
                symbol = symbol if cell_len(symbol) > 1 else f" {symbol}"
                cell = Text(set_cell_size(symbol, 2), style="reverse bold")
            else:
                cell = mark.text(is_ascii) if mark else Text("." if is_ascii else "·", style="dim")
                cell.pad_left(1)
            picture.append(" ").append(cell)
        picture.append("\n")
    return picture.append("    a  b  c  d  e  f  g  h\n", style="dim")
