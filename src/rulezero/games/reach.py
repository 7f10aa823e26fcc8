"""Where a piece goes on a board that is empty but for hurdles, as its text says."""

from collections.abc import Iterator
from dataclasses import dataclass

from rulezero.games.pieces import Hop, Leap, Move, NamedPiece, Slide

Square = tuple[int, int]  # steps to the right and forward from the piece
_NEAR = 4  # squares that a diagram has on each side, if nothing leads farther


@dataclass(frozen=True)
class Target:
    """A square that a piece reaches."""

    moves: bool
    captures: bool
    is_first: bool  # only from its start rank


@dataclass(frozen=True)
class Diagram:
    """A piece in the middle of a board and what it reaches; the board is 2 radius + 1 wide."""

    radius: int
    targets: dict[Square, Target]
    hurdles: frozenset[Square]


def diagrams(piece: NamedPiece, radius: int | None = None) -> list[Diagram]:
    """What the piece reaches on an open board, and over hurdles for each kind of its hops."""
    leaps = [steps for move in piece.moves for vector in move.vectors for steps in vector]
    radius = radius or max(_NEAR, *map(abs, leaps))
    hops = {_hurdles(move, radius): None for move in piece.moves if isinstance(move, Hop)}
    plain = Diagram(radius, targets(piece, radius), frozenset())
    drawn = [plain] if plain.targets or not hops else []
    return drawn + [Diagram(radius, targets(piece, radius, each), each) for each in hops]


def targets(
    piece: NamedPiece, radius: int, hurdles: frozenset[Square] = frozenset()
) -> dict[Square, Target]:
    """The squares that the piece reaches, with men standing on the hurdles."""
    found: dict[Square, Target] = {}
    for move in sorted(piece.moves, key=lambda move: move.initial_only):
        moves, captures = not move.capture_only, not move.move_only
        for square in _ends(move, radius, hurdles):
            old = found.get(square)
            if old is None:
                found[square] = Target(moves, captures, move.initial_only)
            elif old.is_first == move.initial_only:
                found[square] = Target(
                    old.moves or moves, old.captures or captures, move.initial_only
                )
    return found


def _ends(move: Move, radius: int, hurdles: frozenset[Square]) -> Iterator[Square]:
    for vector in move.vectors:
        line = _line(vector, radius)
        match move:
            case Leap():
                yield from (square for square in line[:1] if square not in hurdles)
            case Slide():
                yield from _free(line[: move.range or None], hurdles)
            case Hop():
                yield from _beyond(move, line, hurdles)


def _beyond(move: Hop, line: list[Square], hurdles: frozenset[Square]) -> Iterator[Square]:
    """The squares of a line where a hop over the hurdles ends."""
    passed = [at for at, square in enumerate(line) if square in hurdles][: move.hurdles]
    if len(passed) == move.hurdles:
        free = list(_free(line[passed[-1] + 1 :], hurdles))
        yield from free[move.land - 1 : move.land] if move.land else free


def _free(line: list[Square], hurdles: frozenset[Square]) -> Iterator[Square]:
    """The squares of a line before its first hurdle."""
    for square in line:
        if square in hurdles:
            return
        yield square


def _line(vector: Square, radius: int) -> list[Square]:
    steps = [(n * vector[0], n * vector[1]) for n in range(1, radius + 1)]
    return [square for square in steps if max(map(abs, square)) <= radius]


def _hurdles(move: Hop, radius: int) -> frozenset[Square]:
    """Men for a hop to pass: on every line from the second square on if there is room to land."""
    squares: set[Square] = set()
    for vector in move.vectors:
        line = _line(vector, radius)
        first = 1 if len(line) >= 1 + move.hurdles + max(1, move.land) else 0
        squares.update(line[first : first + move.hurdles])
    return frozenset(squares)
