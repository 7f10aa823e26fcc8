"""Monster Chess, written slowly and plainly from its rules, to check a fast implementation.

White's legal turns are found by listing every pair of half-moves. python-chess is used only as a
board: for the placement of men, their moves without regard to king safety, and attacked squares.
It gets no castling rights (castling is implemented here), makes no moves (its `push` flips the
side), and gets an en-passant square only where this game allows one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import chess

START = "rnbqkbnr/pppppppp/8/8/8/8/2PPPP2/4K3 w kq - 0 1"
TURN_LIMIT = 150


class PositionError(ValueError):
    """The text is not a position; the message says what is wrong."""


@dataclass(frozen=True)
class Castling:
    """One way in which Black can castle.

    rook_from, rook_to  the rook's squares; the king goes from e8 to `king_to`
    unattacked          the king's own square, those it crosses, and its target
    empty               every square between king and rook
    """

    rook_from: chess.Square
    rook_to: chess.Square
    king_to: chess.Square
    unattacked: tuple[chess.Square, ...]
    empty: tuple[chess.Square, ...]


CASTLINGS = {
    "k": Castling(
        rook_from=chess.H8,
        rook_to=chess.F8,
        king_to=chess.G8,
        unattacked=(chess.E8, chess.F8, chess.G8),
        empty=(chess.F8, chess.G8),
    ),
    "q": Castling(
        rook_from=chess.A8,
        rook_to=chess.D8,
        king_to=chess.C8,
        unattacked=(chess.E8, chess.D8, chess.C8),
        empty=(chess.D8, chess.C8, chess.B8),
    ),
}
BLACK_KING = chess.Piece(chess.KING, chess.BLACK)
BLACK_ROOK = chess.Piece(chess.ROOK, chess.BLACK)


@dataclass(frozen=True, eq=False)
class State:
    """A position. The game has no repetition rule, so its history is the text itself.

    board    men, side to move, usable en-passant square; never modified
    rights   Black's castling rights: "", "k", "q" or "kq"
    number   the sixth field: one more after each black move
    pending  whether White has made the first half of its turn and owes the second
    """

    board: chess.Board
    rights: str
    number: int
    pending: bool

    @classmethod
    def start(cls) -> State:
        """The first position."""
        return cls.parse(START)

    @classmethod
    def parse(cls, text: str) -> State:
        """The position of a text."""
        fields = text.split()
        if len(fields) not in (6, 7):
            raise PositionError(f"{len(fields)} fields, not 6 (or 7 with a pending second half)")
        men_field, side_field, rights_field, passed_field, halfmove_field, number_field = fields[:6]

        board = read_men(men_field)
        if side_field not in ("w", "b"):
            raise PositionError(f"the side is neither w nor b: {side_field!r}")
        board.turn = side_field == "w"

        pending = len(fields) == 7
        if pending and fields[6] != "+":
            raise PositionError(f"the seventh field is not +: {fields[6]!r}")
        if pending and board.turn == chess.BLACK:
            raise PositionError("+ with Black to move: only White has a second half")

        rights = read_rights(rights_field, board)
        if pending and passed_field != "-":
            raise PositionError("an en-passant square together with +")
        board.ep_square = read_passed_square(passed_field, board)

        if not re.fullmatch(r"[0-9]+", halfmove_field):
            raise PositionError(f"the fifth field is not a number: {halfmove_field!r}")
        if not re.fullmatch(r"[0-9]{1,9}", number_field) or int(number_field) < 1:
            raise PositionError(f"the sixth field is not a number from 1: {number_field!r}")
        number = int(number_field)

        for loser in (chess.WHITE, chess.BLACK):
            if board.king(loser) is None:
                return finished(board, loser, number)
        return cls(board, rights, number, pending)

    @property
    def text(self) -> str:
        """FEN, with `+` as a seventh field while White's second half is pending."""
        passed = self.board.ep_square
        fields = [
            self.board.board_fen(),
            "w" if self.board.turn == chess.WHITE else "b",
            self.rights or "-",
            "-" if passed is None else chess.square_name(passed),
            "0",
            str(self.number),
        ]
        return " ".join([*fields, "+"] if self.pending else fields)

    @property
    def mover(self) -> int:
        """0 if White is to move, 1 if Black is."""
        return 0 if self.board.turn == chess.WHITE else 1

    @property
    def legal(self) -> list[str]:
        """The texts of the legal plies, sorted; empty when the game is over."""
        return list(self._plies)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.end_reason is not None

    @property
    def outcome(self) -> float | None:
        """White's result, 1, 0 or -1; None if the game is not over."""
        if not self.is_over:
            return None
        if self.board.king(chess.BLACK) is None:
            return 1.0
        if self.board.king(chess.WHITE) is None:
            return -1.0
        return 0.0

    @property
    def end_reason(self) -> str | None:
        """`king`, `150 turns` or `no action`; None if the game is not over."""
        if self.decision is not None:
            return self.decision
        return None if self._plies else "no action"

    def apply(self, move: str) -> State:
        """The position after a legal ply."""
        if move not in self.legal:
            raise ValueError(f"{move!r} is not legal in {self.text!r}")
        played = chess.Move.from_uci(move)
        mover = self.board.turn
        enemy = not mover
        board = after(self.board, played)
        number = self.number + 1 if mover == chess.BLACK else self.number

        if board.king(enemy) is None:
            return finished(board, enemy, number)
        rights = surviving_rights(self.rights, played)
        if mover == chess.WHITE and not self.pending:
            return State(board, rights, number, pending=True)
        board.turn = enemy
        passed = passed_square(self.board, played)
        if passed is not None and can_be_taken_by_pawn(board, passed):
            board.ep_square = passed
        return State(board, rights, number, pending=False)

    @property
    def _turns_played(self) -> int:
        """The number of turns so far: a pair of white moves is one, and a black move is one."""
        return 2 * (self.number - 1) + (1 if self.board.turn == chess.BLACK else 0)

    @property
    def decision(self) -> str | None:
        """The reason for an end that does not depend on the plies, in the order of the rules."""
        if self.board.king(chess.WHITE) is None or self.board.king(chess.BLACK) is None:
            return "king"
        if self._turns_played >= TURN_LIMIT:
            return "150 turns"
        return None

    @cached_property
    def _plies(self) -> tuple[str, ...]:
        """The legal plies, sorted; none when the game has been decided."""
        if self.decision is not None:
            return ()
        if self.board.turn == chess.WHITE and not self.pending:
            return tuple(sorted({turn[0] for turn in legal_turns(self)}))
        return tuple(sorted(lone_plies(self)))


def legal_turns(state: State) -> list[tuple[str, ...]]:
    """All legal turns of White, sorted: pairs of plies, or one ply that captures the king.

    All pairs are listed. If any turn is good, only the good ones are legal, else all are. A first
    half after which White has no second one is in no pair, so it is never legal.
    """
    if state.board.turn != chess.WHITE or state.pending:
        raise ValueError(f"not the start of White's turn: {state.text!r}")
    if state.decision is not None:
        return []
    good_turns: list[tuple[str, ...]] = []
    other_turns: list[tuple[str, ...]] = []
    for first in half_moves(state.board, state.rights):
        between = after(state.board, first)
        if between.king(chess.BLACK) is None:
            good_turns.append((first.uci(),))
            continue
        # `after` has cleared the en-passant square: the second half cannot capture en passant.
        for second in half_moves(between, surviving_rights(state.rights, first)):
            turn = (first.uci(), second.uci())
            if is_good(after(between, second), chess.WHITE):
                good_turns.append(turn)
            else:
                other_turns.append(turn)
    return sorted(good_turns or other_turns)


def lone_plies(state: State) -> list[str]:
    """The legal plies that end a turn: black moves, or White's second halves."""
    mover = state.board.turn
    moves = list(half_moves(state.board, state.rights))
    good_moves = [move for move in moves if is_good(after(state.board, move), mover)]
    return [move.uci() for move in good_moves or moves]


def is_good(board: chess.Board, mover: chess.Color) -> bool:
    """Whether the mover has just captured the enemy king or leaves its own king unattacked."""
    enemy = not mover
    if board.king(enemy) is None:
        return True
    own_king = board.king(mover)
    assert own_king is not None
    return not board.is_attacked_by(enemy, own_king)


def half_moves(board: chess.Board, rights: str) -> Iterator[chess.Move]:
    """All moves of the side to move, ignoring king safety except in castling."""
    yield from board.generate_pseudo_legal_moves()
    if board.turn == chess.BLACK:
        yield from castling_moves(board, rights)


def castling_moves(board: chess.Board, rights: str) -> Iterator[chess.Move]:
    """Black's castling, as two-square moves of the king."""
    for right in rights:
        castling = CASTLINGS[right]
        is_blocked = any(board.piece_at(square) is not None for square in castling.empty)
        is_watched = any(
            board.is_attacked_by(chess.WHITE, square) for square in castling.unattacked
        )
        if not is_blocked and not is_watched:
            yield chess.Move(chess.E8, castling.king_to)


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """A new board with the men moved and no en-passant square; the side to move is the same."""
    moved = board.copy(stack=False)
    moved.ep_square = None
    man = moved.remove_piece_at(move.from_square)
    assert man is not None

    if man.piece_type == chess.PAWN:
        is_diagonal = chess.square_file(move.from_square) != chess.square_file(move.to_square)
        if is_diagonal and board.piece_at(move.to_square) is None:
            # En passant: the captured pawn stands beside the capturer, on the target's file.
            moved.remove_piece_at(
                chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
            )
        if move.promotion is not None:
            man = chess.Piece(move.promotion, man.color)

    if man == BLACK_KING and move.from_square == chess.E8:
        for castling in CASTLINGS.values():
            # No king's step reaches c8 or g8 from e8, so this is castling.
            if move.to_square == castling.king_to:
                moved.remove_piece_at(castling.rook_from)
                moved.set_piece_at(castling.rook_to, BLACK_ROOK)

    moved.set_piece_at(move.to_square, man)
    return moved


def surviving_rights(rights: str, move: chess.Move) -> str:
    """The rights left after a move; a right is lost if its king or rook moves or is captured."""
    touched = (move.from_square, move.to_square)
    return "".join(
        right
        for right in rights
        if chess.E8 not in touched and CASTLINGS[right].rook_from not in touched
    )


def passed_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """The square that a pawn's double step on this board passes over, else None."""
    if board.piece_type_at(move.from_square) != chess.PAWN:
        return None
    if abs(move.to_square - move.from_square) != 16:
        return None
    return (move.from_square + move.to_square) // 2


def can_be_taken_by_pawn(board: chess.Board, square: chess.Square) -> bool:
    """Whether a pawn of the side to move can capture on the square."""
    ready = board.attackers(board.turn, square) & board.pieces(chess.PAWN, board.turn)
    return bool(ready)


def finished(board: chess.Board, loser: chess.Color, number: int) -> State:
    """The state after a king's capture, in the only form that its text can have."""
    final = board.copy(stack=False)
    final.turn = loser
    final.ep_square = None
    return State(final, rights="", number=number, pending=False)


def read_men(field: str) -> chess.Board:
    """A board with the men of the first field: one or two kings, no pawn on rank 1 or 8."""
    rows = field.split("/")
    if len(rows) != 8:
        raise PositionError(f"the board has {len(rows)} ranks, not 8: {field!r}")
    for rank, row in zip(range(8, 0, -1), rows, strict=True):
        if not re.fullmatch(r"[KQRBNPkqrbnp1-8]*", row):
            raise PositionError(f"rank {rank} has a letter that is no man or number: {row!r}")
        if re.search(r"[1-8][1-8]", row):
            raise PositionError(f"rank {rank} has two numbers in a row: {row!r}")
        squares = sum(int(letter) if letter.isdigit() else 1 for letter in row)
        if squares != 8:
            raise PositionError(f"rank {rank} has {squares} squares, not 8: {row!r}")
        if rank in (1, 8) and "p" in row.lower():
            raise PositionError(f"a pawn on rank {rank}: {row!r}")
    if field.count("K") > 1 or field.count("k") > 1:
        raise PositionError("two kings of one colour")
    if field.count("K") + field.count("k") == 0:
        raise PositionError("no king at all")
    board = chess.Board(None)
    board.set_board_fen(field)
    return board


def read_rights(field: str, board: chess.Board) -> str:
    """Black's castling rights of the third field, each with its king and rook in place."""
    if field == "-":
        return ""
    if "K" in field or "Q" in field:
        raise PositionError(f"White never castles: {field!r}")
    if field not in ("k", "q", "kq", "qk"):
        raise PositionError(f"the castling field is none of k, q, kq, -: {field!r}")
    for right in field:
        if board.piece_at(chess.E8) != BLACK_KING:
            raise PositionError(f"right {right} without the black king on e8")
        rook_from = CASTLINGS[right].rook_from
        if board.piece_at(rook_from) != BLACK_ROOK:
            raise PositionError(
                f"right {right} without a black rook on {chess.square_name(rook_from)}"
            )
    return "".join(sorted(field))


def read_passed_square(field: str, board: chess.Board) -> chess.Square | None:
    """The en-passant square of the fourth field, None where no pawn of the mover can use it.

    A pawn of the other side must just have passed it: it stands one step beyond, and the square
    itself and the one that it came from are empty.
    """
    if field == "-":
        return None
    if not re.fullmatch(r"[a-h][1-8]", field):
        raise PositionError(f"the en-passant field is neither a square nor -: {field!r}")
    passed = chess.parse_square(field)
    # A black pawn steps from rank 7 over rank 6, a white one from rank 2 over rank 3.
    rank, onward = (6, -8) if board.turn == chess.WHITE else (3, 8)
    if chess.square_rank(passed) + 1 != rank:
        raise PositionError(f"no pawn can just have passed {field}: not on rank {rank}")
    if board.piece_at(passed + onward) != chess.Piece(chess.PAWN, not board.turn):
        raise PositionError(f"no pawn has just passed {field}")
    if board.piece_at(passed) is not None or board.piece_at(passed - onward) is not None:
        raise PositionError(f"no pawn can just have passed {field}: its way is not empty")
    return passed if can_be_taken_by_pawn(board, passed) else None
