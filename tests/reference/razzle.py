"""Razzle Dazzle, written slowly and plainly from its rules, to check a fast implementation.

Nothing here is tuned. The board is a string of 56 letters in the order of the squares, a1 first:

    8 | 49 50 51 52 53 54 55        N  a man of seat 0 that may receive the ball
    7 | 42 43 44 45 46 47 48        B  the carrier of seat 0
    6 | 35 36 37 38 39 40 41        T  a man of seat 0 that may not receive
    5 | 28 29 30 31 32 33 34        n b t  the same for seat 1
    4 | 21 22 23 24 25 26 27        .  an empty square
    3 | 14 15 16 17 18 19 20
    2 |  7  8  9 10 11 12 13        seat 0 plays towards rank 8,
    1 |  0  1  2  3  4  5  6        seat 1 towards rank 1
         a  b  c  d  e  f  g
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

FILES = 7
RANKS = 8
SQUARES = FILES * RANKS
EMPTY = "."

MEN = ("NBT", "nbt")  # the letters of each seat
RECEIVER = ("N", "n")  # a man that may receive
CARRIER = ("B", "b")
BARRED = ("T", "t")  # a man that has passed and has not made a knight move since
FAR_RANK = (RANKS - 1, 0)
SIDE = ("w", "b")

TURN_LIMIT = 200
END_TURN = "end"
START = "1nnbnn1/7/7/7/7/7/7/1NNBNN1 w - - 0"

KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
QUEEN_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


class PositionError(ValueError):
    """The text is not a position; the message says what is wrong."""


def square_name(square: int) -> str:
    """`a1` for 0 up to `g8` for 55."""
    return "abcdefg"[square % FILES] + str(square // FILES + 1)


def square_number(name: str) -> int:
    """The number of a square whose name is known to be valid."""
    return (int(name[1]) - 1) * FILES + "abcdefg".index(name[0])


def step(square: int, direction: tuple[int, int]) -> int | None:
    """The square one (file, rank) step away, or None beyond the edge."""
    file = square % FILES + direction[0]
    rank = square // FILES + direction[1]
    if 0 <= file < FILES and 0 <= rank < RANKS:
        return rank * FILES + file
    return None


def are_neighbours(one: int, other: int) -> bool:
    """Whether `other` is one of the up to eight squares around `one`."""
    return any(step(one, direction) == other for direction in QUEEN_STEPS)


def replaced(board: str, letters: dict[int, str]) -> str:
    """The board with some squares set to new letters."""
    return "".join(letters.get(square, letter) for square, letter in enumerate(board))


def board_text(board: str) -> str:
    """The first field of the text: ranks from the eighth down, runs of empty squares counted."""
    ranks = [board[rank * FILES : (rank + 1) * FILES] for rank in reversed(range(RANKS))]
    return "/".join(re.sub(r"\.+", lambda run: str(len(run.group())), rank) for rank in ranks)


def read_board(text: str) -> str:
    """The 56 letters of a first field; the men are not counted here."""
    rows = text.split("/")
    if len(rows) != RANKS:
        raise PositionError(f"the board has {len(rows)} ranks, not {RANKS}: {text!r}")
    ranks = []
    for number, row in zip(range(RANKS, 0, -1), rows, strict=True):
        if not re.fullmatch(r"[NBTnbt1-7]*", row):
            raise PositionError(f"rank {number} has a letter that is no man or number: {row!r}")
        if re.search(r"[1-7][1-7]", row):
            raise PositionError(f"rank {number} has two numbers in a row: {row!r}")
        rank = re.sub(r"[1-7]", lambda digit: EMPTY * int(digit.group()), row)
        if len(rank) != FILES:
            raise PositionError(f"rank {number} has {len(rank)} squares, not {FILES}: {row!r}")
        ranks.append(rank)
    return "".join(reversed(ranks))


def ball_is_home(board: str, seat: int) -> bool:
    """Whether this seat's ball is on its far rank, so that the seat has won."""
    return board.index(CARRIER[seat]) // FILES == FAR_RANK[seat]


@dataclass(frozen=True)
class State:
    """A position with the history that the repetition rule needs.

    board        56 letters, see the top of the file
    mover        the seat that acts now
    landing      where the enemy's knight move landed if that was the last turn, else None
    in_chain     whether the mover has already passed in this turn
    turn         turns ended so far
    turn_starts  repetition keys of every start of a turn so far, this one included
    """

    board: str
    mover: int
    landing: int | None
    in_chain: bool
    turn: int
    turn_starts: tuple[str, ...]

    @classmethod
    def start(cls) -> State:
        """The first position."""
        return cls.parse(START)

    @classmethod
    def parse(cls, text: str) -> State:
        """The position of a text, with a history that begins here."""
        fields = text.split()
        if len(fields) != 5:
            raise PositionError(f"{len(fields)} fields, not 5 (board side landing chain turn)")
        board_field, side_field, landing_field, chain_field, turn_field = fields

        board = read_board(board_field)
        for seat in (0, 1):
            men = sum(board.count(letter) for letter in MEN[seat])
            if men != 5:
                raise PositionError(f"seat {seat} has {men} men, not 5")
            carriers = board.count(CARRIER[seat])
            if carriers != 1:
                raise PositionError(f"seat {seat} has {carriers} carriers, not 1")
        if ball_is_home(board, 0) and ball_is_home(board, 1):
            raise PositionError("both balls lie on their far ranks")

        if side_field not in SIDE:
            raise PositionError(f"the side is neither w nor b: {side_field!r}")
        mover = SIDE.index(side_field)

        landing: int | None = None
        if landing_field != "-":
            if not re.fullmatch(r"[a-g][1-8]", landing_field):
                raise PositionError(
                    f"the landing square is neither a square nor -: {landing_field!r}"
                )
            landing = square_number(landing_field)
            if board[landing] not in MEN[1 - mover]:
                raise PositionError(f"no enemy man on the landing square {landing_field}")

        if chain_field not in ("p", "-"):
            raise PositionError(f"the chain field is neither p nor -: {chain_field!r}")

        if not re.fullmatch(r"[0-9]{1,9}", turn_field):
            raise PositionError(f"the turn is not a number: {turn_field!r}")

        position = cls(board, mover, landing, chain_field == "p", int(turn_field), ())
        if position.in_chain:
            return position  # not the start of a turn, so nothing to repeat yet
        return position._beginning_a_turn()

    @property
    def text(self) -> str:
        """Board, side, landing square, `p` in mid-chain, turn number."""
        chain = "p" if self.in_chain else "-"
        return f"{self._repetition_key} {chain} {self.turn}"

    @property
    def legal(self) -> list[str]:
        """The texts of the legal actions, sorted; empty when the game is over."""
        if self.decision is not None:
            return []
        return list(self._actions)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.end_reason is not None

    @property
    def outcome(self) -> float | None:
        """Seat 0's result, 1, 0 or -1; None if the game is not over."""
        if not self.is_over:
            return None
        if self.end_reason != "ball":
            return 0.0
        return 1.0 if ball_is_home(self.board, 0) else -1.0

    @property
    def end_reason(self) -> str | None:
        """`ball`, `repetition`, `200 turns` or `no action`; None if the game is not over."""
        if self.decision is not None:
            return self.decision
        return None if self._actions else "no action"

    def apply(self, move: str) -> State:
        """The position after a legal action."""
        if move not in self.legal:
            raise ValueError(f"{move!r} is not legal in {self.text!r}")
        if move == END_TURN:
            return self._after_turn(self.board, landing=None)
        if "-" in move:
            source, target = (square_number(name) for name in move.split("-"))
            board = replaced(self.board, {source: BARRED[self.mover], target: CARRIER[self.mover]})
            return State(board, self.mover, self.landing, True, self.turn, self.turn_starts)
        source, target = square_number(move[:2]), square_number(move[2:])
        board = replaced(self.board, {source: EMPTY, target: RECEIVER[self.mover]})
        return self._after_turn(board, landing=target)

    def _after_turn(self, board: str, landing: int | None) -> State:
        """The start of the other seat's turn."""
        return State(
            board, 1 - self.mover, landing, False, self.turn + 1, self.turn_starts
        )._beginning_a_turn()

    def _beginning_a_turn(self) -> State:
        """This position with its own key added to the history."""
        turn_starts = (*self.turn_starts, self._repetition_key)
        return State(self.board, self.mover, self.landing, self.in_chain, self.turn, turn_starts)

    @property
    def _repetition_key(self) -> str:
        """Men, balls, eligibility, side and landing square; not the turn number."""
        landing = "-" if self.landing is None else square_name(self.landing)
        return f"{board_text(self.board)} {SIDE[self.mover]} {landing}"

    @property
    def decision(self) -> str | None:
        """The reason for an end that does not depend on the actions, in the order of the rules."""
        if ball_is_home(self.board, 0) or ball_is_home(self.board, 1):
            return "ball"
        if not self.in_chain and self.turn_starts.count(self._repetition_key) >= 3:
            return "repetition"
        if self.turn >= TURN_LIMIT:
            return "200 turns"
        return None

    @cached_property
    def _actions(self) -> tuple[str, ...]:
        """The mover's actions, sorted, even if the game is already decided."""
        passes = self._passes()
        if self.in_chain:
            return tuple(sorted([*passes, END_TURN]))
        if self._is_pressed and passes:
            return tuple(sorted(passes))
        return tuple(sorted(passes + self._knight_moves()))

    @property
    def _is_pressed(self) -> bool:
        """Whether the enemy's last turn was a knight move to a square around the mover's ball."""
        ball = self.board.index(CARRIER[self.mover])
        return self.landing is not None and are_neighbours(ball, self.landing)

    def _knight_moves(self) -> list[str]:
        """Every knight move of a man without the ball to an empty square."""
        moves = []
        for source, letter in enumerate(self.board):
            if letter not in (RECEIVER[self.mover], BARRED[self.mover]):
                continue
            for direction in KNIGHT_STEPS:
                target = step(source, direction)
                if target is not None and self.board[target] == EMPTY:
                    moves.append(square_name(source) + square_name(target))
        return moves

    def _passes(self) -> list[str]:
        """Every pass: in each direction to the first man met, if it is own and may receive."""
        ball = self.board.index(CARRIER[self.mover])
        passes = []
        for direction in QUEEN_STEPS:
            met = step(ball, direction)
            while met is not None and self.board[met] == EMPTY:
                met = step(met, direction)
            if met is not None and self.board[met] == RECEIVER[self.mover]:
                passes.append(f"{square_name(ball)}-{square_name(met)}")
        return passes
