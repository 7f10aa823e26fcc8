"""A slow and plain solver of Monster Chess endgames, to check a fast one.

There is no castling, no black pawn and so no en passant, and no draw after 150 turns. White to
begin a turn, White with its second half pending and Black to move are three stages. A verdict is

    +n  White captures the black king in its n-th turn from here; a turn begun counts as the first
    -n  Black captures the white king with its n-th move from here
     0  drawn: play without end, or a side without a move

The winner takes the shortest way, the loser the longest. Verdicts are computed in two ways:

  * `Table` fills arrays with one axis per man. All verdicts are 0 at first. Sweep k gives those
    of the game that is drawn after k rounds. After a sweep without changes they are final.
  * `Solution.by_rules` lists the moves of one position from the rules, White's turn as pairs, and
    takes the best verdict of the positions after them. Only true verdicts agree with it everywhere:
    a verdict +-n needs a move to a nearer end (by induction the win is real), and a 0 cannot
    stand if all moves lead to wins. So `Solution.check` is a proof if it is run on all positions
    of a table and of the tables after captures and promotions; otherwise it is a sample.

The two share only the geometry in `Board`. Boards smaller than 8x8 can be solved completely.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Men: TypeAlias = dict[int, str]  # letters by square, White's in upper case
Array: TypeAlias = npt.NDArray[Any]  # an axis per man, in the order of a table's letters

LETTERS = "KQRBNPkqrbn"  # the order of a table's axes
PROMOTIONS = "QRBN"
START, PENDING, BLACK = STAGES = ("start", "pending", "black")
_SIDES = {START: "w - - 0 1", PENDING: "w - - 0 1 +", BLACK: "b - - 0 1"}  # fields of a FEN

ORTHOGONALS = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
WAYS = {
    "K": ORTHOGONALS + DIAGONALS,
    "Q": ORTHOGONALS + DIAGONALS,
    "R": ORTHOGONALS,
    "B": DIAGONALS,
    "N": JUMPS,
}

# Scores order verdicts for a mover: n turns to its own win are WIN - n, to the other's n - WIN.
# The score of a position after a move is raised by GOOD if the rules prefer the move. If the best
# score is not raised, there was no preferred move. Without any move, the score is NONE.
WIN = 2000
GOOD = 8192
NONE = -32768


@dataclass(frozen=True)
class Board:
    """A board whose squares are numbered from a1 along the ranks: 0 to files * ranks - 1."""

    files: int = 8
    ranks: int = 8

    @property
    def squares(self) -> range:
        return range(self.files * self.ranks)

    @property
    def last_rank(self) -> list[int]:
        """The squares on which white pawns promote."""
        return [square for square in self.squares if square // self.files == self.ranks - 1]

    @property
    def pawnless(self) -> list[int]:
        """The squares without pawns: those of the first and the last rank."""
        return [square for square in self.squares if square // self.files in (0, self.ranks - 1)]

    def step(self, square: int, way: tuple[int, int]) -> int | None:
        """The square one (files, ranks) step away, or None beyond the edge."""
        file = square % self.files + way[0]
        rank = square // self.files + way[1]
        if 0 <= file < self.files and 0 <= rank < self.ranks:
            return rank * self.files + file
        return None

    def lines(self, kind: str, square: int) -> list[list[int]]:
        """For each direction of a man (not a pawn), the squares it passes, the nearest first."""
        lines = []
        for way in WAYS[kind]:
            line = []
            target = self.step(square, way)
            while target is not None:
                line.append(target)
                target = self.step(target, way) if kind in "QRB" else None
            lines.append(line)
        return lines

    def pushes(self, square: int) -> list[int]:
        """The squares ahead of a white pawn: two from rank 2, if the second is not on the last."""
        files, rank = self.files, square // self.files
        if rank in (0, self.ranks - 1):
            return []
        is_double = rank == 1 and rank + 2 < self.ranks - 1
        return [square + files, square + 2 * files] if is_double else [square + files]

    def slants(self, square: int) -> list[int]:
        """The squares on which a white pawn captures."""
        if square in self.pawnless:
            return []
        targets = (self.step(square, way) for way in ((-1, 1), (1, 1)))
        return [target for target in targets if target is not None]


# ---------------------------------------------------------------------------- one position


def moves(board: Board, men: Men, is_white: bool) -> Iterator[tuple[Men, str]]:
    """The men after each move of a side, ignoring king safety, and the captured man or ''."""
    for start, letter in men.items():
        if letter.isupper() != is_white:
            continue
        for target in _targets(board, men, start):
            captured = men.get(target, "")
            is_promotion = letter == "P" and target in board.last_rank
            for kind in PROMOTIONS if is_promotion else letter:
                after = {square: man for square, man in men.items() if square != start}
                after[target] = kind
                yield after, captured


def _targets(board: Board, men: Men, start: int) -> Iterator[int]:
    """The squares to which a man can move or on which it can capture."""
    letter = men[start]
    if letter == "P":
        for target in board.pushes(start):
            if target in men:
                break
            yield target
        for target in board.slants(start):
            if target in men and men[target].islower():
                yield target
        return
    for line in board.lines(letter.upper(), start):
        for target in line:
            if target not in men:
                yield target
                continue
            if men[target].isupper() != letter.isupper():
                yield target
            break


def is_attacked(board: Board, men: Men, is_white: bool) -> bool:
    """Whether one move of the other side would capture this side's king."""
    king = "K" if is_white else "k"
    return any(captured == king for _, captured in moves(board, men, not is_white))


# ---------------------------------------------------------------------------- all positions


class Table:
    """The positions with certain men, each in an axis of its own, and their verdicts.

    start, pending, black  White's scores at the three stages
    valid                  no two men on a square, no pawn on the first rank or the last
    safe                   the white king is unattacked
    black_safe             the black king is unattacked
    can_move               White has a move, king safety ignored
    can_end_well           one move of White's completes a good turn
    """

    def __init__(self, letters: str, solver: Solver) -> None:
        self.letters = letters
        self.solver = solver
        self.board = solver.board
        count = len(self.board.squares)
        self.shape = (count,) * len(letters)
        self.sides = {
            True: [man for man, letter in enumerate(letters) if letter.isupper()],
            False: [man for man, letter in enumerate(letters) if letter.islower()],
        }
        self.sweeps = 0
        self.valid = np.ones(self.shape, dtype=bool)
        for one, other in combinations(range(len(letters)), 2):
            for square in self.board.squares:
                self.valid[_where({one: square, other: square})] = False
        for man in self._pawns:
            self.valid[_where({man: self.board.pawnless})] = False

        self.safe = ~self._is_attacked(is_white=True)
        self.black_safe = ~self._is_attacked(is_white=False)
        nothing = np.zeros(self.shape, dtype=bool)
        self.can_move = self._best(
            True, self._landings(True, lambda table: ~np.zeros_like(table.valid), True, nothing)
        )
        self.can_end_well = self._best(
            True, self._landings(True, lambda table: table.safe, True, nothing)
        )
        self.start, self.pending, self.black = (
            np.zeros(self.shape, dtype=np.int16) for _ in STAGES
        )
        self._solve()

    @property
    def _pawns(self) -> list[int]:
        return [man for man, letter in enumerate(self.letters) if letter == "P"]

    def verdicts(self, stage: str) -> npt.NDArray[np.int16]:
        """Verdicts by the squares of the men; also 0 where `valid` is False."""
        scores: npt.NDArray[np.int16] = getattr(self, stage)
        shown = np.where(scores > 0, WIN - scores, np.where(scores < 0, -WIN - scores, 0))
        return shown.astype(np.int16)

    def _solve(self) -> None:
        """Sweeps until no score changes. In sweep k, Black's scores use White's of sweep k - 1."""
        nothing = np.full(self.shape, NONE, dtype=np.int16)
        after_first, after_second, after_black = (
            self._landings(is_white, arrival, GOOD + WIN - 1, nothing)
            for is_white, arrival in ((True, _first), (True, _second), (False, _reply))
        )
        is_changed = True
        while is_changed:
            before = self.start, self.pending, self.black
            np.copyto(after_black, _reply(self), where=self.valid)
            self.black = -self._chosen(False, after_black)
            np.copyto(after_second, _second(self), where=self.valid)
            self.pending = self._chosen(True, after_second)
            np.copyto(after_first, _first(self), where=self.valid)
            self.start = self._chosen(True, after_first)
            after = self.start, self.pending, self.black
            is_changed = not all(map(np.array_equal, before, after))
            self.sweeps += 1
            assert self.sweeps < WIN // 2

    def _chosen(self, is_white: bool, landings: Array) -> Array:
        """The mover's scores for its best legal move; 0, a draw, where it has no move."""
        best = self._best(is_white, landings)
        best = np.where(best > GOOD // 2, best - GOOD, np.where(best == NONE, 0, best))
        return np.where(self.valid, best, 0).astype(np.int16)

    def _is_attacked(self, is_white: bool) -> Array:
        """Whether a side's king could be captured by one move."""
        king = self.letters.index("K" if is_white else "k")
        landings = np.zeros(self.shape, dtype=bool)
        for man in self.sides[not is_white]:
            for square in self.board.squares:
                landings[_where({man: square, king: square})] = True
        return self._best(not is_white, landings)

    def _landings(
        self, is_white: bool, arrival: Callable[[Table], Array], won: object, nothing: Array
    ) -> Array:
        """The value of a move for its side, by the squares of the men just after it.

        In these arrays, a capture is two men of different sides on one square, and a promotion is
        a pawn on the last rank; their values come from other tables. `nothing` is the value of an
        impossible move, `won` of the king's capture, and `arrival` gives those of a table.
        """
        own, other = self.sides[is_white], self.sides[not is_white]
        landings = np.where(self.valid, arrival(self), nothing)
        for man in set(self._pawns) & set(own):
            for square in self.board.last_rank:
                landings[_where({man: square})] = False if landings.dtype == bool else NONE
            for kind in PROMOTIONS:
                promoted = self._other(arrival, {man: kind})
                for square in self.board.last_rank:
                    cells = _where({man: square})
                    landings[cells] = np.maximum(landings[cells], promoted[cells])
        for man in own:
            for victim in other:
                for square in self.board.squares:
                    landings[_where({man: square, victim: square})] = won
                if self.letters[victim] in "Kk":
                    continue
                rest_man = man - (victim < man)
                is_pawn = self.letters[man] == "P"
                rest = self._other(arrival, {victim: ""})
                promoted_rests = [
                    self._other(arrival, {victim: "", man: kind}) for kind in PROMOTIONS if is_pawn
                ]
                for square in self.board.squares:
                    is_promotion = is_pawn and square in self.board.last_rank
                    cells = _where({rest_man: square})
                    choices = [a[cells] for a in (promoted_rests if is_promotion else [rest])]
                    worth = np.maximum.reduce(choices)
                    landings[_where({man: square, victim: square})] = worth
        for one, two in combinations(own, 2):
            for square in self.board.squares:
                cells = _where({one: square, two: square})
                landings[cells] = nothing[cells]
        return landings

    def _other(self, arrival: Callable[[Table], Array], changes: dict[int, str]) -> Array:
        """Values of the positions with men changed or removed, with axes in this table's order."""
        letters = [changes.get(man, letter) for man, letter in enumerate(self.letters)]
        letters = [letter for letter in letters if letter]
        order = sorted(range(len(letters)), key=lambda man: LETTERS.index(letters[man]))
        table = self.solver.table("".join(letters[man] for man in order))
        return arrival(table).transpose([order.index(man) for man in range(len(letters))])

    def _best(self, is_white: bool, landings: Array) -> Array:
        """The highest value of a side's moves, ignoring king safety; without a move, the lowest."""
        lowest = False if landings.dtype == bool else NONE
        best = np.full_like(landings, lowest)
        axes = range(len(self.letters) - 1)  # of the men that do not move
        for man in self.sides[is_white]:
            kind = self.letters[man].upper()
            enemies = [axis - (axis > man) for axis in self.sides[not is_white]]
            there = np.ascontiguousarray(np.moveaxis(landings, man, 0))
            found = np.full_like(there, lowest)
            for square in self.board.squares:
                here = found[square]
                if kind == "P":
                    lines = [self.board.pushes(square)]
                else:
                    lines = self.board.lines(kind, square)
                for line in lines:
                    worth = np.full_like(here, lowest)  # the best value from this target on
                    for target in reversed(line):
                        if kind != "P":
                            _block(worth, axes, target, lowest)  # a man here blocks the rest
                        np.maximum(worth, there[target], out=worth)
                        if kind == "P":
                            _block(worth, axes, target, lowest)  # pawns cannot capture ahead
                    np.maximum(here, worth, out=here)
                for target in self.board.slants(square) if kind == "P" else ():
                    for enemy in enemies:
                        cells = _where({enemy: target})
                        here[cells] = np.maximum(here[cells], there[target][cells])
            np.maximum(best, np.moveaxis(found, 0, man), out=best)
        return best


def _where(squares: dict[int, int] | dict[int, list[int]]) -> tuple[Any, ...]:
    """The index of the cells with these men on these squares and other men anywhere."""
    return tuple(squares.get(man, slice(None)) for man in range(max(squares) + 1))


def _block(worth: Array, axes: Iterable[int], square: int, lowest: int) -> None:
    """Sets to `lowest` all cells in which any man stands on the square."""
    for axis in axes:
        worth[_where({axis: square})] = lowest


@cache
def _row(letters: tuple[str, ...]) -> str:
    """A rank of a FEN: its letters, "" for no man, with gaps as numbers."""
    row, gap = "", 0
    for letter in letters:
        gap += not letter
        if letter:
            row, gap = f"{row}{gap or ''}{letter}", 0
    return f"{row}{gap or ''}"


def _first(table: Table) -> Array:
    """White's values after a first half: preferred if a good turn can follow, NONE if none can."""
    preferred = np.where(table.can_end_well, GOOD, 0).astype(np.int16)
    return np.where(table.can_move, preferred + table.pending, np.int16(NONE))


def _second(table: Table) -> Array:
    """White's values after a second half: preferred if the white king is then unattacked."""
    preferred = np.where(table.safe, GOOD, 0).astype(np.int16)
    return preferred + table.black - (table.black > 0)  # a win takes one more turn


def _reply(table: Table) -> Array:
    """Black's values after its move: preferred if the black king is then unattacked."""
    preferred = np.where(table.black_safe, GOOD, 0).astype(np.int16)
    return preferred - table.start - (table.start < 0)


# ---------------------------------------------------------------------------- answers


class Solver:
    """The tables of one board, made on demand and cached."""

    def __init__(self, board: Board | None = None) -> None:
        self.board = board or Board()
        self.tables: dict[str, Table] = {}

    def table(self, letters: str) -> Table:
        """The table of these men, in the order of LETTERS."""
        if letters not in self.tables:
            self.tables[letters] = Table(letters, self)
        return self.tables[letters]

    def solve(self, men: str) -> Solution:
        """The solution for men such as `KPvKQ`."""
        white, separator, black = men.partition("v")
        letters = "".join(sorted(white + black.lower(), key=LETTERS.index))
        if separator != "v" or letters.count("K") != 1 or letters.count("k") != 1:
            raise ValueError(f"{men!r} is not like KPvKQ")
        return Solution(self, letters)


def solve(men: str, files: int = 8, ranks: int = 8) -> Solution:
    """The solution for men such as `KPvKQ`, and for the men after captures and promotions."""
    return Solver(Board(files, ranks)).solve(men)


@dataclass(frozen=True)
class Solution:
    """Verdicts for certain men; verdicts for other men of the board are solved on demand."""

    solver: Solver
    letters: str

    def __post_init__(self) -> None:
        self.solver.table(self.letters)

    @property
    def board(self) -> Board:
        return self.solver.board

    @property
    def table(self) -> Table:
        """The arrays: `table.verdicts(stage)` and `table.valid`, axes as in `letters`."""
        return self.solver.table(self.letters)

    def verdict(self, fen: str) -> int:
        """The verdict on a FEN with both kings; castling, en passant and counters are ignored."""
        return self._look_up(*self.parse(fen))

    def by_rules(self, fen: str) -> int:
        """The verdict derived from the rules and the verdicts on the positions after the turn."""
        return self._judge(*self.parse(fen))

    def positions(self) -> Iterator[tuple[str, int]]:
        """Every position with exactly these men as a text, with its verdict."""
        shown = {stage: self.table.verdicts(stage) for stage in STAGES}
        for squares in map(tuple, np.argwhere(self._once)):
            men = dict(zip(map(int, squares), self.letters, strict=True))
            placed = self._placed(men)
            for stage in STAGES:
                yield f"{placed} {_SIDES[stage]}", int(shown[stage][squares])

    def counts(self) -> dict[tuple[str, int], int]:
        """The number of positions for each stage and each sign of the verdict."""
        counts: dict[tuple[str, int], int] = {}
        for stage in STAGES:
            signs = Counter(np.sign(self.table.verdicts(stage)[self._once]).tolist())
            counts |= {(stage, sign): signs[sign] for sign in (1, 0, -1)}
        return counts

    def longest(self, sign: int, stage: str) -> tuple[int, str]:
        """The longest verdict of this sign, and a position with it; (0, '') if there is none."""
        lengths = sign * self.table.verdicts(stage) * self._once
        if lengths.max() <= 0:
            return 0, ""
        squares = map(int, np.unravel_index(lengths.argmax(), lengths.shape))
        men = dict(zip(squares, self.letters, strict=True))
        return sign * int(lengths.max()), self.text(men, stage)

    def check(self, most: int | None = None, seed: int = 0) -> int:
        """Compares `most` random positions, or all, with the rules; returns their number."""
        cells = np.flatnonzero(self._once)
        wanted: Sequence[int] = range(len(cells) * len(STAGES))
        if most is not None and most < len(wanted):
            wanted = random.Random(seed).sample(wanted, most)
        for number in wanted:
            cell, stage = cells[number // len(STAGES)], STAGES[number % len(STAGES)]
            squares = map(int, np.unravel_index(cell, self.table.shape))
            men = dict(zip(squares, self.letters, strict=True))
            said, found = self._look_up(men, stage), self._judge(men, stage)
            assert said == found, f"{self.text(men, stage)}: {said}, by the rules {found}"
        return len(wanted)

    def check_symmetry(self) -> None:
        """Compares with mirrored files; without pawns also ranks, and the diagonal if square."""
        grid = np.array(self.board.squares).reshape(self.board.ranks, self.board.files)
        views = [grid[:, ::-1]]
        if "P" not in self.letters:
            views.append(grid[::-1])
            if self.board.files == self.board.ranks:
                views.append(grid.T)
        for stage in STAGES:
            verdicts = self.table.verdicts(stage)
            for view in views:
                mirrored = verdicts[np.ix_(*[view.ravel()] * len(self.letters))]
                assert np.array_equal(verdicts, mirrored), (self.letters, stage)

    def text(self, men: Men, stage: str) -> str:
        """The position as a FEN, with a seventh field `+` while the second half is pending."""
        return f"{self._placed(men)} {_SIDES[stage]}"

    def _placed(self, men: Men) -> str:
        """The first field of a FEN."""
        files = self.board.files
        rows = [str(files)] * self.board.ranks
        for rank in {square // files for square in men}:
            first = rank * files
            rows[-1 - rank] = _row(tuple(men.get(first + file, "") for file in range(files)))
        return "/".join(rows)

    def parse(self, fen: str) -> tuple[Men, str]:
        """The men and the stage."""
        fields = fen.split()
        rows = fields[0].split("/")
        men = {}
        for rank, row in enumerate(reversed(rows)):
            file = 0
            for letter in row:
                if letter.isdecimal():
                    file += int(letter)
                else:
                    men[rank * self.board.files + file] = letter
                    file += 1
            if file != self.board.files:
                raise ValueError(f"{fen!r}: rank {rank + 1} does not have {self.board.files} files")
        letters = list(men.values())
        if len(rows) != self.board.ranks or letters.count("K") != 1 or letters.count("k") != 1:
            raise ValueError(f"{fen!r}: not {self.board.ranks} ranks with one king a side")
        if not set(letters) <= set(LETTERS):
            raise ValueError(f"{fen!r}: there may be no men but {LETTERS}")
        if any(men.get(square) == "P" for square in self.board.pawnless):
            raise ValueError(f"{fen!r}: a pawn on the first rank or the last")
        stage = BLACK if fields[1] == "b" else PENDING if fields[6:] == ["+"] else START
        return men, stage

    @cached_property
    def _once(self) -> npt.NDArray[np.bool_]:
        """Valid cells; of equal men only the order with ascending squares."""
        once = self.table.valid.copy()
        squares = np.indices(self.table.shape, sparse=True)
        for man in range(1, len(self.letters)):
            if self.letters[man] == self.letters[man - 1]:
                once &= squares[man - 1] < squares[man]
        return once

    def _look_up(self, men: Men, stage: str) -> int:
        ordered = sorted(men, key=lambda square: LETTERS.index(men[square]))
        table = self.solver.table("".join(men[square] for square in ordered))
        score = int(getattr(table, stage)[tuple(ordered)])
        if score == 0:
            return 0
        return WIN - score if score > 0 else -WIN - score

    def _judge(self, men: Men, stage: str) -> int:
        """The best verdict of the good turns or moves, or of all if none is good."""
        if stage == START:
            turns = list(self._pairs(men))
        elif stage == PENDING:
            turns = list(self._endings(men))
        else:
            turns = list(self._replies(men))
        legal = [verdict for is_good, verdict in turns if is_good]
        if not legal:
            legal = [verdict for _, verdict in turns]
        if not legal:
            return 0
        choose = min if stage == BLACK else max
        return choose(legal, key=lambda verdict: 1 / verdict if verdict else 0.0)

    def _pairs(self, men: Men) -> Iterator[tuple[bool, int]]:
        """For each turn of White: whether it is good, and its verdict."""
        for halfway, captured in moves(self.board, men, is_white=True):
            if captured == "k":
                yield True, 1
            else:
                yield from self._endings(halfway)

    def _endings(self, men: Men) -> Iterator[tuple[bool, int]]:
        """For each second half of a turn: whether it is good, and its verdict."""
        for after, captured in moves(self.board, men, is_white=True):
            if captured == "k":
                yield True, 1
            else:
                verdict = self._look_up(after, BLACK)
                is_good = not is_attacked(self.board, after, is_white=True)
                yield is_good, verdict + 1 if verdict > 0 else verdict

    def _replies(self, men: Men) -> Iterator[tuple[bool, int]]:
        """For each move of Black: whether it is good, and its verdict."""
        for after, captured in moves(self.board, men, is_white=False):
            if captured == "K":
                yield True, -1
            else:
                verdict = self._look_up(after, START)
                is_good = not is_attacked(self.board, after, is_white=False)
                yield is_good, verdict - 1 if verdict < 0 else verdict
