"""A slow reference for Ultimate Random Chess: any back rank, 960 castling, men given by patterns.

Everything is computed naively, on a dict from square to man: each pseudo-legal move is made on a
copy of the board, and a king is attacked if an enemy capture on that copy takes it. With
`two_square_castling` the same code plays orthodox chess.

Squares are (file, rank), both 0..7, so e4 is (4, 3). Colour 0 is White, colour 1 is Black.
Castling sides are named by the board's edge: "h" (O-O) and "a" (O-O-O).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

FILES = "abcdefgh"
PROMOTIONS = "QRBN"
KING_FILE_AFTER = {"h": 6, "a": 2}
ROOK_FILE_AFTER = {"h": 5, "a": 3}

Square = tuple[int, int]


class PositionError(ValueError):
    """The text is not a position of this game."""


@dataclass(frozen=True)
class Pattern:
    """One way of moving; the vectors are [right, forward], and forward flips for Black."""

    kind: str  # "slide" | "leap" | "hop"
    vectors: tuple[tuple[int, int], ...]
    range: int | None = None  # slide: steps, None = unlimited
    hurdles: int = 1  # hop: how many men are passed
    land: int | None = None  # hop: squares beyond the last hurdle, None = any
    move_only: bool = False
    capture_only: bool = False
    initial_only: bool = False


@dataclass(frozen=True)
class Piece:
    """A kind of man: its symbol, upper case, and everything it can do."""

    symbol: str
    patterns: tuple[Pattern, ...]


def leaps(right: int, forward: int) -> tuple[tuple[int, int], ...]:
    """The vector with all its reflections and quarter turns, without duplicates."""
    both_ways_round = ((right, forward), (forward, right))
    return tuple(
        sorted({(x * i, y * j) for x, y in both_ways_round for i in (1, -1) for j in (1, -1)})
    )


ORTHOGONALS = leaps(1, 0)
DIAGONALS = leaps(1, 1)
QUEEN_LINES = ORTHOGONALS + DIAGONALS

KNIGHT = Pattern("leap", leaps(2, 1))
CAMEL = Pattern("leap", leaps(3, 1))
ZEBRA = Pattern("leap", leaps(3, 2))
BISHOP = Pattern("slide", DIAGONALS)
ROOK = Pattern("slide", ORTHOGONALS)
QUEEN = Pattern("slide", QUEEN_LINES)
PAWN = (
    Pattern("leap", ((0, 1),), move_only=True),
    Pattern("slide", ((0, 1),), range=2, move_only=True, initial_only=True),
    Pattern("leap", ((-1, 1), (1, 1)), capture_only=True),
)
CANNON = (
    Pattern("slide", ORTHOGONALS, move_only=True),
    Pattern("hop", ORTHOGONALS, hurdles=1, capture_only=True),
)

STANDARD: dict[str, Piece] = {
    "P": Piece("P", PAWN),
    "N": Piece("N", (KNIGHT,)),
    "B": Piece("B", (BISHOP,)),
    "R": Piece("R", (ROOK,)),
    "Q": Piece("Q", (QUEEN,)),
    "K": Piece("K", (Pattern("leap", QUEEN_LINES),)),
}

CUSTOM: dict[str, Piece] = {
    "O": Piece("O", (Pattern("slide", QUEEN_LINES, range=2),)),  # boulder
    "A": Piece("A", (KNIGHT, BISHOP)),  # archbishop
    "S": Piece("S", (CAMEL,)),  # camel
    "+": Piece("+", (CAMEL, BISHOP)),  # pope
    "C": Piece("C", (KNIGHT, ROOK)),  # chancellor
    "M": Piece("M", (KNIGHT, QUEEN)),  # amazon
    "Z": Piece("Z", (ZEBRA,)),  # zebra
    "NN": Piece("NN", (Pattern("slide", leaps(2, 1)),)),  # nightrider
    "G": Piece("G", (Pattern("hop", QUEEN_LINES, hurdles=1, land=1),)),  # grasshopper
    "X": Piece("X", CANNON),  # cannon
}


@dataclass(frozen=True)
class Man:
    """A man on the board."""

    colour: int
    piece: Piece

    @property
    def symbol(self) -> str:
        """The symbol of its kind."""
        return self.piece.symbol


def piece_with_symbol(symbol: str, pieces: dict[str, Piece]) -> Piece:
    """The kind of man that the symbol means; symbols that differ only in case are the same."""
    for piece in pieces.values():
        if piece.symbol.upper() == symbol.upper():
            return piece
    raise PositionError(f"no piece has the symbol {symbol!r}")


Board = dict[Square, Man]
Rights = dict[tuple[int, str], int]  # (colour, side) -> file of the castling rook


@dataclass(frozen=True)
class Move:
    """A move; when castling, `target` is the square of the castling rook."""

    origin: Square
    target: Square
    promotion: str = ""  # symbol of the new man
    castling: str = ""  # "h" or "a"
    is_en_passant: bool = False


# Squares


def square_name(square: Square) -> str:
    """The square as text, (4, 3) as "e4"."""
    return f"{FILES[square[0]]}{square[1] + 1}"


def is_on_board(square: Square) -> bool:
    """Whether both coordinates are on the board."""
    return 0 <= square[0] <= 7 and 0 <= square[1] <= 7


def squares_along(origin: Square, step: tuple[int, int]) -> Iterator[Square]:
    """The squares at each multiple of the step, nearest first, as far as the board goes."""
    square = (origin[0] + step[0], origin[1] + step[1])
    while is_on_board(square):
        yield square
        square = (square[0] + step[0], square[1] + step[1])


def back_rank(colour: int) -> int:
    """The rank on which this colour's king starts."""
    return 0 if colour == 0 else 7


def forward(colour: int) -> int:
    """The change of rank, 1 or -1, of this colour's pawns."""
    return 1 if colour == 0 else -1


# Patterns


def slide_landings(
    board: Board, origin: Square, step: tuple[int, int], limit: int | None
) -> Iterator[Square]:
    """The landing squares up to and including the first man met, at most `limit` of them."""
    for count, square in enumerate(squares_along(origin, step), start=1):
        if limit is not None and count > limit:
            return
        yield square
        if square in board:
            return


def hop_landings(
    board: Board, origin: Square, step: tuple[int, int], hurdles: int, land: int | None
) -> Iterator[Square]:
    """The landing squares beyond the hurdles, up to and including the next man met."""
    hurdles_passed = 0
    distance_beyond = 0
    for square in squares_along(origin, step):
        if hurdles_passed < hurdles:
            if square in board:
                hurdles_passed += 1
            continue
        distance_beyond += 1
        if land is None or distance_beyond == land:
            yield square
        if square in board:
            return


def landings(board: Board, origin: Square, pattern: Pattern) -> Iterator[Square]:
    """The squares that the man can reach by this pattern, empty or not."""
    man = board[origin]
    if pattern.initial_only:
        rank_of_its_kind = back_rank(man.colour)
        if man.symbol == "P":
            rank_of_its_kind += forward(man.colour)
        if origin[1] != rank_of_its_kind:
            return
    for right, ahead in pattern.vectors:
        step = (right, ahead * forward(man.colour))
        if pattern.kind == "slide":
            yield from slide_landings(board, origin, step, pattern.range)
        elif pattern.kind == "leap":
            yield from slide_landings(board, origin, step, 1)
        elif pattern.kind == "hop":
            yield from hop_landings(board, origin, step, pattern.hurdles, pattern.land)
        else:
            raise ValueError(f"a pattern is a slide, a leap or a hop, not {pattern.kind!r}")


def capture_reach(board: Board, origin: Square) -> set[Square]:
    """The squares on which the man could take a hostile man if one stood there."""
    patterns = [pattern for pattern in board[origin].piece.patterns if not pattern.move_only]
    return {square for pattern in patterns for square in landings(board, origin, pattern)}


def move_reach(board: Board, origin: Square) -> set[Square]:
    """The squares to which the man could move if they were empty."""
    patterns = [pattern for pattern in board[origin].piece.patterns if not pattern.capture_only]
    return {square for pattern in patterns for square in landings(board, origin, pattern)}


def captures(board: Board, origin: Square) -> set[Square]:
    """The squares of the hostile men that the man can take."""
    colour = board[origin].colour
    return {
        square
        for square in capture_reach(board, origin)
        if square in board and board[square].colour != colour
    }


def king_square(board: Board, colour: int) -> Square:
    """The square of this colour's king."""
    for square, man in board.items():
        if man.symbol == "K" and man.colour == colour:
            return square
    raise PositionError("a king is missing")


def is_in_check(board: Board, colour: int) -> bool:
    """Whether some enemy capture would take this colour's king."""
    king = king_square(board, colour)
    return any(
        king in captures(board, origin) for origin, man in board.items() if man.colour != colour
    )


# Positions


@dataclass(frozen=True)
class Position:
    """What decides the legal moves; `pieces` are the kinds of man in the game."""

    board: Board
    mover: int
    rights: Rights
    en_passant: Square | None
    pieces: dict[str, Piece]

    @property
    def key(self) -> object:
        """Equal exactly for positions that count as repetitions of each other."""
        men = frozenset((square, man.colour, man.symbol) for square, man in self.board.items())
        return men, self.mover, frozenset(self.rights.items()), self.en_passant


def is_legal(position: Position, move: Move) -> bool:
    """Whether a pseudo-legal move leaves the mover's king safe."""
    return not is_in_check(board_after(position, move), position.mover)


def legal_moves(position: Position) -> list[Move]:
    """All moves that the rules allow in the position, ignoring draws."""
    return [move for move in pseudo_legal_moves(position) if is_legal(position, move)]


def pseudo_legal_moves(position: Position) -> Iterator[Move]:
    """All moves of the mover's men, including those that leave the king attacked."""
    board = position.board
    for origin, man in board.items():
        if man.colour != position.mover:
            continue
        quiet_targets = {square for square in move_reach(board, origin) if square not in board}
        for target in quiet_targets | captures(board, origin):
            if man.symbol == "P" and target[1] == back_rank(1 - man.colour):
                for promotion in PROMOTIONS:
                    yield Move(origin, target, promotion=promotion)
            else:
                yield Move(origin, target)
    yield from en_passant_moves(position)
    for side in "ha":
        if (position.mover, side) in position.rights and castling_is_possible(position, side):
            rook = (position.rights[position.mover, side], back_rank(position.mover))
            yield Move(king_square(board, position.mover), rook, castling=side)


def en_passant_moves(position: Position) -> Iterator[Move]:
    """The en-passant captures, including those that leave the king attacked."""
    target = position.en_passant
    if target is None:
        return
    for origin, man in position.board.items():
        is_own_pawn = man.symbol == "P" and man.colour == position.mover
        if is_own_pawn and target in capture_reach(position.board, origin):
            yield Move(origin, target, is_en_passant=True)


def files_between(start: int, end: int) -> list[int]:
    """The files from start to end, both included."""
    return list(range(min(start, end), max(start, end) + 1))


def castling_is_possible(position: Position, side: str) -> bool:
    """Whether the path is free, the king is not in check, and no square on its path is attacked.

    Whether the king is safe afterwards is tested as for any other move.
    """
    rank = back_rank(position.mover)
    king = king_square(position.board, position.mover)
    rook = (position.rights[position.mover, side], rank)
    lifted = dict(position.board)
    king_man = lifted.pop(king)
    del lifted[rook]

    king_files = files_between(king[0], KING_FILE_AFTER[side])
    rook_files = files_between(rook[0], ROOK_FILE_AFTER[side])
    if any((file, rank) in lifted for file in king_files + rook_files):
        return False

    if is_in_check(position.board, position.mover):
        return False

    # The king leaves its square unless that is already its square after castling.
    crossed_or_landed_on = [
        file for file in king_files if file != king[0] or file == KING_FILE_AFTER[side]
    ]
    # A man on a square does not change which men reach that square, so the king can be put on each
    # one to see whether it would be taken.
    return not any(
        is_in_check({**lifted, (file, rank): king_man}, position.mover)
        for file in crossed_or_landed_on
    )


def board_after(position: Position, move: Move) -> Board:
    """The board after the move."""
    board = dict(position.board)
    man = board.pop(move.origin)
    if move.castling:
        rank = back_rank(man.colour)
        rook = board.pop(move.target)
        board[KING_FILE_AFTER[move.castling], rank] = man
        board[ROOK_FILE_AFTER[move.castling], rank] = rook
        return board
    if move.is_en_passant:
        del board[passed_pawn_square(position.mover, move.target)]
    if move.promotion:
        man = Man(man.colour, piece_with_symbol(move.promotion, position.pieces))
    board[move.target] = man
    return board


def passed_pawn_square(mover: int, en_passant: Square) -> Square:
    """The square of the pawn that the mover takes en passant."""
    return en_passant[0], en_passant[1] - forward(mover)


def rights_after(position: Position, move: Move) -> Rights:
    """The rights whose king and rook have neither moved nor been taken."""
    king_has_moved = position.board[move.origin].symbol == "K"
    rights: Rights = {}
    for (colour, side), file in position.rights.items():
        rook = (file, back_rank(colour))
        if king_has_moved and colour == position.mover:
            continue
        if rook not in (move.origin, move.target):
            rights[colour, side] = file
    return rights


def without_idle_en_passant(position: Position) -> Position:
    """The position, without its en-passant square if no legal capture uses it."""
    if any(is_legal(position, move) for move in en_passant_moves(position)):
        return position
    return replace(position, en_passant=None)


# Text


def is_ascii_letter(symbol: str) -> bool:
    """Whether the symbol is one letter of the English alphabet."""
    return len(symbol) == 1 and symbol.isascii() and symbol.isalpha()


def man_text(man: Man) -> str:
    """The man's text in the board field."""
    if is_ascii_letter(man.symbol):
        return man.symbol if man.colour == 0 else man.symbol.lower()
    return f"{{{'wb'[man.colour]}{man.symbol}}}"


def board_text(board: Board) -> str:
    """The board field, rank 8 first."""
    rows = []
    for rank in range(7, -1, -1):
        row = ""
        empty = 0
        for file in range(8):
            if (file, rank) not in board:
                empty += 1
                continue
            row += (str(empty) if empty else "") + man_text(board[file, rank])
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/".join(rows)


def files_further_out(file: int, side: str) -> range:
    """The files between this one and the edge of that side."""
    return range(file + 1, 8) if side == "h" else range(file)


def is_rook(board: Board, square: Square, colour: int) -> bool:
    """Whether a rook of this colour is on the square."""
    return square in board and board[square].symbol == "R" and board[square].colour == colour


def rights_text(board: Board, rights: Rights) -> str:
    """The castling field: K or Q for an outermost rook, else the letter of the rook's file."""
    text = ""
    for colour in (0, 1):
        for side in "ha":
            if (colour, side) not in rights:
                continue
            file = rights[colour, side]
            is_outermost = not any(
                is_rook(board, (further, back_rank(colour)), colour)
                for further in files_further_out(file, side)
            )
            letter = {"h": "K", "a": "Q"}[side] if is_outermost else FILES[file].upper()
            text += letter if colour == 0 else letter.lower()
    return text or "-"


def parse_board(text: str, pieces: dict[str, Piece]) -> Board:
    """The men of the board field."""
    board: Board = {}
    rows = text.split("/")
    if len(rows) != 8:
        raise PositionError(f"the board has {len(rows)} ranks, not 8")
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file = 0
        rest = row
        while rest:
            if rest[0] in "12345678":
                file += int(rest[0])
                rest = rest[1:]
                continue
            if rest[0] == "{":
                token, closing, rest = rest[1:].partition("}")
                if not closing or token[:1] not in ("w", "b"):
                    raise PositionError(f"braces hold w or b and a symbol, not {token!r}")
                colour, symbol = "wb".index(token[0]), token[1:]
            else:
                if not is_ascii_letter(rest[0]):
                    raise PositionError(f"no man is written {rest[0]!r}")
                colour, symbol = (0 if rest[0].isupper() else 1), rest[0]
                rest = rest[1:]
            if file < 8:
                board[file, rank] = Man(colour, piece_with_symbol(symbol, pieces))
            file += 1
        if file != 8:
            raise PositionError(f"rank {rank + 1} has {file} squares, not 8")
    return board


def check_men(board: Board) -> None:
    """Raises unless each side has one king and no pawn is on the first or last rank."""
    for colour in (0, 1):
        kings = [man for man in board.values() if man.symbol == "K" and man.colour == colour]
        if len(kings) != 1:
            raise PositionError(f"{('White', 'Black')[colour]} has {len(kings)} kings, not one")
    for square, man in board.items():
        if man.symbol == "P" and square[1] in (0, 7):
            raise PositionError(f"a pawn stands on {square_name(square)}")


def parse_rights(text: str, board: Board, two_square_castling: bool) -> Rights:
    """The rights of the castling field, in X-FEN or Shredder-FEN letters, in any order."""
    rights: Rights = {}
    for letter in "" if text == "-" else text:
        colour = 0 if letter.isupper() else 1
        rank = back_rank(colour)
        king = king_square(board, colour)
        if king[1] != rank:
            raise PositionError(f"right {letter!r}, but the king is not on its back rank")
        if letter in "KQkq":
            side = "h" if letter in "Kk" else "a"
            rooks = [
                file
                for file in files_further_out(king[0], side)
                if is_rook(board, (file, rank), colour)
            ]
            if not rooks:
                raise PositionError(f"right {letter!r}, but no rook on that side of the king")
            file = max(rooks) if side == "h" else min(rooks)
        elif letter in FILES + FILES.upper():
            file = FILES.index(letter.lower())
            side = "h" if file > king[0] else "a"
            if not is_rook(board, (file, rank), colour):
                raise PositionError(f"right {letter!r}, but no rook on that file")
        else:
            raise PositionError(f"no castling right is written {letter!r}")
        if (colour, side) in rights:
            raise PositionError(f"right {letter!r} names a side twice")
        if two_square_castling and (king[0], file) not in ((4, 7), (4, 0)):
            raise PositionError(f"right {letter!r}, but king or rook not on its orthodox square")
        rights[colour, side] = file
    if not text:
        raise PositionError("the castling field is empty")
    return rights


def parse_en_passant(text: str, board: Board, mover: int) -> Square | None:
    """The en-passant square; None if no enemy pawn can just have passed it."""
    if text == "-":
        return None
    if len(text) != 2 or text[0] not in FILES or text[1] not in "12345678":
        raise PositionError(f"the en-passant field is {text!r}, neither a square nor -")
    file, rank = FILES.index(text[0]), int(text[1]) - 1
    enemy = 1 - mover
    origin_rank = back_rank(enemy) + forward(enemy)
    passed = passed_pawn_square(mover, (file, rank))
    if rank != origin_rank + forward(enemy):
        return None
    if (file, rank) in board or (file, origin_rank) in board or passed not in board:
        return None
    is_enemy_pawn = board[passed].symbol == "P" and board[passed].colour == enemy
    return (file, rank) if is_enemy_pawn else None


def parse_counter(text: str, least: int) -> int:
    """The whole number of a counter field."""
    if not (text.isascii() and text.isdecimal()) or int(text) < least:
        raise PositionError(f"a counter is {text!r}, not a number from {least}")
    return int(text)


# States


@dataclass(frozen=True, eq=False)
class State:
    """A position with its counters and the keys of all positions since its history began."""

    position: Position
    halfmove_clock: int  # plies since the last capture or pawn move
    move_number: int
    past_keys: tuple[object, ...]  # the current position's key is the last one
    two_square_castling: bool

    @classmethod
    def parse(cls, text: str, pieces: dict[str, Piece], two_square_castling: bool = False) -> State:
        """The state of the text, without any history; raises PositionError if the text is wrong."""
        fields = text.split()
        if not 4 <= len(fields) <= 6:
            raise PositionError(f"a position has 4 to 6 fields, not {len(fields)}")
        board = parse_board(fields[0], pieces)
        check_men(board)
        if fields[1] not in ("w", "b"):
            raise PositionError(f"the side to move is {fields[1]!r}, neither w nor b")
        mover = "wb".index(fields[1])
        rights = parse_rights(fields[2], board, two_square_castling)
        en_passant = parse_en_passant(fields[3], board, mover)
        clock, number = fields[4:] + ["0", "1"][len(fields) - 4 :]
        if is_in_check(board, 1 - mover):
            raise PositionError("the side not to move is in check")
        position = without_idle_en_passant(Position(board, mover, rights, en_passant, pieces))
        return cls(
            position,
            parse_counter(clock, 0),
            parse_counter(number, 1),
            (position.key,),
            two_square_castling,
        )

    @property
    def text(self) -> str:
        """The six fields in their canonical form."""
        position = self.position
        return " ".join(
            (
                board_text(position.board),
                "wb"[position.mover],
                rights_text(position.board, position.rights),
                "-" if position.en_passant is None else square_name(position.en_passant),
                str(self.halfmove_clock),
                str(self.move_number),
            )
        )

    @property
    def mover(self) -> int:
        """The seat to move: 0 is White, 1 is Black."""
        return self.position.mover

    @property
    def legal(self) -> list[str]:
        """The legal moves as text, sorted; none when the game is over."""
        return [] if self.is_over else sorted(self._moves_by_text)

    def apply(self, move: str) -> State:
        """The state after a legal move, with one more position in its history."""
        chosen = self._legal_move(move)
        before = self.position
        man = before.board[chosen.origin]
        en_passant = None
        if man.symbol == "P" and abs(chosen.target[1] - chosen.origin[1]) == 2:
            en_passant = (chosen.origin[0], chosen.origin[1] + forward(man.colour))

        position = without_idle_en_passant(
            Position(
                board_after(before, chosen),
                1 - before.mover,
                rights_after(before, chosen),
                en_passant,
                before.pieces,
            )
        )
        is_progress = man.symbol == "P" or self._is_capture(chosen)
        return replace(
            self,
            position=position,
            halfmove_clock=0 if is_progress else self.halfmove_clock + 1,
            move_number=self.move_number + before.mover,
            past_keys=(*self.past_keys, position.key),
        )

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.end_reason is not None

    @property
    def outcome(self) -> float | None:
        """The result for White, 1, 0 or -1; None if the game is not over."""
        if self.end_reason is None:
            return None
        if self.end_reason != "checkmate":
            return 0.0
        return -1.0 if self.mover == 0 else 1.0

    @cached_property
    def end_reason(self) -> str | None:
        """The reason for the end; None if the game is not over."""
        if not self._moves_by_text:
            return "checkmate" if is_in_check(self.position.board, self.mover) else "stalemate"
        if self.halfmove_clock >= 100:
            return "fifty moves"
        if self.past_keys.count(self.past_keys[-1]) >= 3:
            return "repetition"
        symbols = sorted(man.symbol for man in self.position.board.values())
        if symbols in (["K", "K"], ["B", "K", "K"], ["K", "K", "N"]):
            return "material"
        return None

    def san(self, move: str) -> str:
        """The legal move in standard algebraic notation."""
        chosen = self._legal_move(move)
        return self._san_without_check(chosen) + self._check_mark(self.apply(move))

    @cached_property
    def _moves_by_text(self) -> dict[str, Move]:
        """The moves that the rules allow, even if the game is already drawn."""
        return {self._move_text(move): move for move in legal_moves(self.position)}

    def _move_text(self, move: Move) -> str:
        target = move.target
        if move.castling and self.two_square_castling:
            target = (KING_FILE_AFTER[move.castling], target[1])
        return square_name(move.origin) + square_name(target) + move.promotion.lower()

    def _legal_move(self, text: str) -> Move:
        if text not in self.legal:
            raise ValueError(f"{text!r} is not a legal move in {self.text!r}")
        return self._moves_by_text[text]

    def _is_capture(self, move: Move) -> bool:
        takes_on_target = move.target in self.position.board and not move.castling
        return takes_on_target or move.is_en_passant

    def _san_without_check(self, move: Move) -> str:
        if move.castling:
            return {"h": "O-O", "a": "O-O-O"}[move.castling]
        symbol = self.position.board[move.origin].symbol
        taking = "x" if self._is_capture(move) else ""
        target = square_name(move.target)
        if symbol == "P":
            promotion = f"={move.promotion}" if move.promotion else ""
            return (FILES[move.origin[0]] if taking else "") + taking + target + promotion
        letters = symbol if is_ascii_letter(symbol) else f"{{{symbol}}}"
        return letters + self._disambiguation(move) + taking + target

    def _disambiguation(self, move: Move) -> str:
        """The file, rank or square of the man, if equal men can also go to the target."""
        board = self.position.board
        rivals = [
            other.origin
            for other in self._moves_by_text.values()
            if other.target == move.target
            and not other.castling
            and other.origin != move.origin
            and board[other.origin] == board[move.origin]
        ]
        origin = square_name(move.origin)
        if not rivals:
            return ""
        if all(rival[0] != move.origin[0] for rival in rivals):
            return origin[0]
        if all(rival[1] != move.origin[1] for rival in rivals):
            return origin[1]
        return origin

    @staticmethod
    def _check_mark(after: State) -> str:
        if after.end_reason == "checkmate":
            return "#"
        return "+" if is_in_check(after.position.board, after.mover) else ""
