"""Diagrams of pieces show what the rules allow."""

from functools import partial
from random import Random

import pytest

from rulezero.cli.games import check
from rulezero.games.pieces import NamedPiece, PieceSet, game_with, read_pieces
from rulezero.games.reach import Diagram, diagrams

CUSTOM = read_pieces(["custom"])


def marks(found: Diagram) -> dict[check.Square, check.Mark]:
    """A diagram as `rulezero check pieces` draws it, with the piece on d4."""
    drawn = {}
    for (right, forward), target in found.targets.items():
        kind = check.Mark.BOTH
        if target.is_first:
            kind = check.Mark.FIRST
        elif not (target.moves and target.captures):
            kind = check.Mark.MOVE if target.moves else check.Mark.CAPTURE
        drawn[right + 3, forward + 3] = kind
    drawn |= {(right + 3, forward + 3): check.Mark.HURDLE for right, forward in found.hurdles}
    return {square: kind for square, kind in drawn.items() if set(square) <= set(range(8))}


def agree(piece: NamedPiece, loaded: PieceSet) -> None:
    """The diagrams of a piece have the squares that the rules of the game allow."""
    asked = check.boards(piece, partial(check.ask, game_with(loaded), loaded))
    for board, found in zip(asked, diagrams(piece, 4), strict=True):
        known = {at: mark for at, mark in board.marks.items() if mark is not check.Mark.UNKNOWN}
        shown = marks(found)
        assert {at: shown.get(at) for at in known} == known
        assert set(shown) <= set(board.marks)


@pytest.mark.parametrize("piece", [*CUSTOM], ids=lambda piece: str(piece.id))
def test_shipped_pieces(piece: NamedPiece) -> None:
    """All pieces of the package."""
    agree(piece, CUSTOM)


@pytest.mark.parametrize("seed", range(12))
def test_random_pieces(seed: int) -> None:
    """Pieces with random moves that do not reach beyond the hurdles."""
    dice = Random(seed)
    moves = []
    for _ in range(dice.randint(1, 3)):
        vectors = [[dice.randint(-2, 2), dice.choice([-1, 1, 2])] for _ in range(3)]
        unique = [each for at, each in enumerate(vectors) if each not in vectors[:at]]
        only = dice.choice(["", "move_only: true, ", "capture_only: true, "])
        kind = dice.choice([f"leap, vectors: {unique}", f"slide, range: 2, directions: {unique}"])
        moves.append(f"    - {{{only}type: {kind}}}\n")
    text = "mine:\n  name: Mine\n  symbol: Y\n  value: 1\n  moves:\n" + "".join(moves)
    loaded = read_pieces(own=text)
    agree(loaded.find("mine"), loaded)


def test_far_leaps_have_larger_boards() -> None:
    """A board has room for the farthest leap."""
    text = "far:\n  name: Far\n  symbol: Y\n  value: 1\n  moves:\n"
    text += "    - {type: leap, vectors: [[7, 0]]}\n"
    (found,) = diagrams(read_pieces(own=text).find("far"))
    assert (found.radius, list(found.targets)) == (7, [(7, 0)])
