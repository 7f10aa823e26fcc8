"""Symmetries map legal moves to legal moves: a mirrored position has the mirrored moves."""

from collections.abc import Callable

import pytest

import rulezero as rz
from support import samples

FILES = "abcdefgh"
Turn = Callable[[str], str]


def rows_of(text: str) -> list[str]:
    """The board's rows from the top, one character per square, '.' for an empty one."""
    board = text.split(" ")[0]
    for digit in "12345678":
        board = board.replace(digit, "." * int(digit))
    return board.split("/")


def board_of(rows: list[str]) -> str:
    """The board field of rows as `rows_of` returns them."""
    board = "/".join(rows)
    for digit in range(8, 0, -1):
        board = board.replace("." * digit, str(digit))
    return board


def mirror_files(width: int) -> Turn:
    """A function that mirrors the files of all square names in a word."""
    names = FILES[:width]
    return lambda word: word.translate(str.maketrans(names, names[::-1]))


def turn_ranks(word: str) -> str:
    """The word with the ranks of all square names flipped."""
    return word.translate(str.maketrans("12345678", "87654321"))


def mirror_connect4(text: str) -> str:
    return f"{board_of([row[::-1] for row in rows_of(text)])} {text.split(' ')[1]}"


def mirror_razzle(text: str) -> str:
    _, side, landing, chain, turn = text.split(" ")
    board = board_of([row[::-1] for row in rows_of(text)])
    return f"{board} {side} {mirror_files(7)(landing)} {chain} {turn}"


def swap_razzle(text: str) -> str:
    """The text with the seats swapped and the board upside down."""
    _, side, landing, chain, turn = text.split(" ")
    board = board_of(rows_of(text)[::-1]).swapcase()
    return f"{board} {'wb'[side == 'w']} {turn_ranks(landing)} {chain} {turn}"


def mirror_chess_move(move: str) -> str:
    """The move with mirrored files; a promotion's letter is not a file and stays."""
    return mirror_files(8)(move[:4]) + move[4:]


def mirror_monster(text: str) -> str:
    """The text with mirrored files, for positions without castling rights."""
    board, side, _, square, *rest = text.split(" ")
    board = board_of([row[::-1] for row in rows_of(text)])
    return " ".join([board, side, "-", mirror_files(8)(square), *rest])


def swap_exchange(text: str) -> str:
    """The text with the colours swapped and the board upside down."""
    _, side, decree, quiet, ply, details, *die = text.split(" ")
    board = board_of(rows_of(text)[::-1]).swapcase()
    turned = sorted(
        (turn_ranks(part.split("=")[0]) + "=" + part.split("=")[1] for part in details.split(",")),
        key=lambda part: (part[1], part[0]),
    ) if details != "-" else ["-"]  # fmt: skip
    decree = "/".join(reversed(decree.split("/")))
    words = [board, "wb"[side == "w"], decree, quiet, ply, ",".join(turned)]
    return " ".join([*words, *(f"die:{turn_ranks(part[4:])}" for part in die)])


def swap_chess(text: str) -> str:
    """The text with the colours swapped and the board upside down."""
    _, side, rights, square, *counters = text.split(" ")
    board = board_of(rows_of(text)[::-1]).swapcase()
    rights = "".join(sorted(rights.swapcase(), key="KQkq-".index))
    square = turn_ranks(square) if square != "-" else square
    return " ".join([board, "wb"[side == "w"], rights, square, *counters])


SYMMETRIES: list[tuple[str, Turn, Turn, int]] = [
    ("connect4", mirror_connect4, mirror_files(7), 1),
    ("razzle", mirror_razzle, mirror_files(7), 1),
    ("razzle", swap_razzle, turn_ranks, -1),
    ("exchange", swap_exchange, turn_ranks, -1),
    ("chess", swap_chess, turn_ranks, -1),
    ("monster", mirror_monster, mirror_chess_move, 1),
]


@pytest.mark.parametrize(
    ("name", "turn", "turn_move", "sign"),
    SYMMETRIES,
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_symmetry_maps_legal_to_legal(name: str, turn: Turn, turn_move: Turn, sign: int) -> None:
    """The image has the images of the moves, the same end reason, and the outcome times `sign`."""
    game = rz.load(name)
    turned = 0
    for state in samples.states(name):
        if name == "monster" and state.text.split(" ")[2] != "-":
            continue
        here, there = game.parse(state.text), game.parse(turn(state.text))
        moves = [here.say(action) for action in here.legal]
        if here.mover != rz.CHANCE:
            moves = [move if move in ("end", "decree") else turn_move(move) for move in moves]
        assert sorted(moves) == sorted(map(there.say, there.legal)), state.text
        assert here.end_reason == there.end_reason
        if here.outcome is not None:
            assert there.outcome == sign * here.outcome
        turned += 1
    assert turned > 50
