"""The 75 planes of EXCHANGE, made slowly and plainly from a position's text.

Follows docs/planes.md word by word. Only the parsing of texts is shared with the reference of
the rules; the reach of men is computed here independently.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from reference import exchange

Planes = npt.NDArray[np.float32]
Square = tuple[int, int]  # file and rank, each 0 to 7; a1 is (0, 0)
Squares = set[Square]
Men = dict[Square, exchange.Man]
Ways = tuple[tuple[int, int], ...]  # directions as (files, ranks)

LETTERS = "KQRBNP"
MAX_HP = {"K": 25, "Q": 10, "R": 13, "B": 10, "N": 11, "P": 7}
BASE_DAMAGE = {"K": 1, "Q": 3, "R": 2, "B": 2, "N": 2, "P": 1}
CHARGES_AT_FIRST = {"K": 3, "R": 5, "B": 3, "N": 5}  # unlimited for all other men
MATERIAL = {"K": 0, "Q": 9, "R": 5, "B": 3, "N": 3, "P": 1}
MOST_MOVES = 27

BOARD = {(file, rank) for rank in range(8) for file in range(8)}
ORTHOGONALS: Ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONALS: Ways = ((1, 1), (1, -1), (-1, 1), (-1, -1))
EIGHT = ORTHOGONALS + DIAGONALS
JUMPS: Ways = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def seen(occupied: Iterable[Square], start: Square, ways: Ways, near: int, far: int) -> Squares:
    """The squares seen at these distances, up to and including the first man met."""
    found = set()
    for files, ranks in ways:
        for distance in range(1, far + 1):
            square = (start[0] + distance * files, start[1] + distance * ranks)
            if square in BOARD and distance >= near:
                found.add(square)
            if square in occupied:
                break
    return found


def forward(man: exchange.Man) -> int:
    """The direction of a pawn's step: 1 or -1 ranks."""
    return 1 if man.side == 0 else -1


def ranks_gained(man: exchange.Man, at: Square) -> int:
    """How far a pawn is from its own side's first rank."""
    return at[1] if man.side == 0 else 7 - at[1]


def moves(men: Men, at: Square) -> Squares:
    """The empty squares a man can move to without striking."""
    man = men[at]
    if man.letter == "P":
        goes_two = ranks_gained(man, at) == 1 or man.advance == 0
        return seen(men, at, ((0, forward(man)),), 1, 2 if goes_two else 1) - set(men)
    ways, far = {
        "K": (EIGHT, 1),
        "Q": (EIGHT, 7),
        "R": (ORTHOGONALS, 7),
        "B": (DIAGONALS, 7),
        "N": (JUMPS, 1),
    }[man.letter]
    return seen(men, at, ways, 1, far) - set(men)


def free_reach(men: Men, at: Square) -> Squares:
    """The squares where an enemy could be struck without charge or cooldown."""
    man = men[at]
    if man.letter == "K":
        return seen(men, at, EIGHT, 1, 1)
    if man.letter == "Q":
        return seen(men, at, EIGHT, 1, 3)
    if man.letter == "R":
        return seen(men, at, EIGHT, 1, 1) | seen(men, at, ORTHOGONALS, 1, 2)
    if man.letter == "B":
        return seen(men, at, DIAGONALS, 2, 3)
    if man.letter == "N":
        return union(seen(men, landing, ORTHOGONALS, 1, 1) for landing in moves(men, at))
    return seen(men, at, ((-1, forward(man)), (1, forward(man))), 1, 1)


def full_reach(men: Men, at: Square) -> Squares:
    """The free reach, with Overextend and Skirmish if they are ready."""
    reach, man = free_reach(men, at), men[at]
    if man.letter == "Q" and is_ready(man):
        others = set(men) - {at}
        reach |= union(seen(others, landing, EIGHT, 1, 3) for landing in moves(men, at))
    if man.letter == "N" and is_ready(man) and seen(men, at, EIGHT, 1, 1) - set(men):
        reach |= seen(men, at, ORTHOGONALS, 1, 1)
    return reach


def union(sets: Iterable[Squares]) -> Squares:
    """All squares of all sets."""
    return {square for squares in sets for square in squares}


def is_ready(man: exchange.Man) -> bool:
    """Whether counters, cooldown and charges allow the man's ability."""
    if man.letter == "P":
        return man.advance == 0
    return man.cooldown == 0 and charge_share(man) > 0


def charge_share(man: exchange.Man) -> float:
    """Charges left, as a share of those at first; 1 if they are unlimited."""
    if man.letter in "QP":
        return 1.0
    assert man.charges is not None
    return man.charges / CHARGES_AT_FIRST[man.letter]


def wait(man: exchange.Man) -> float:
    """How long the man must wait for its ability: 0 if it is ready, at most 1."""
    if man.letter == "P":
        return man.advance / 2
    return 1.0 if charge_share(man) == 0 else man.cooldown / 3


def is_shielded(men: Men, at: Square) -> bool:
    """Whether another ready rook of the man's side would share a hit on it."""
    return any(
        square in men
        and men[square].letter == "R"
        and men[square].side == men[at].side
        and is_ready(men[square])
        for square in seen(men, at, ORTHOGONALS, 1, 3)
    )


def is_passed(men: Men, at: Square) -> bool:
    """Whether no enemy pawn is ahead of the pawn on its file or a neighbouring one."""
    return not any(
        man.letter == "P"
        and man.side != men[at].side
        and abs(square[0] - at[0]) <= 1
        and (square[1] - at[1]) * forward(men[at]) > 0
        for square, man in men.items()
    )


def king_distance(one: Square, other: Square) -> int:
    """The number of king steps between two squares."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def centre(square: Square) -> float:
    """1 in the middle, falling by a third from ring to ring, 0 on the edge."""
    return min(*square, 7 - square[0], 7 - square[1]) / 3


def strikes(men: Men, at: Square, target: Square) -> list[Men]:
    """The board at the moment of each strike that the man on `at` can make at the target."""
    man, boards = men[at], []
    if man.letter != "N" and target in free_reach(men, at):
        boards.append(men)
    if man.letter == "N" and target in full_reach(men, at):
        if is_ready(man) and target in seen(men, at, ORTHOGONALS, 1, 1):
            boards.append(men)
        boards += [
            moved(men, at, landing)
            for landing in moves(men, at)
            if target in seen(men, landing, ORTHOGONALS, 1, 1)
        ]
    if man.letter == "Q" and is_ready(man):
        for landing in moves(men, at):
            board = moved(men, at, landing)
            if target in seen(board, landing, EIGHT, 1, 3):
                boards.append(board)
    return boards


def moved(men: Men, at: Square, to: Square) -> Men:
    """The board after a man has moved to a square."""
    return {(to if square == at else square): man for square, man in men.items()}


class Canvas:
    """Planes to fill; all values are 0 at first."""

    def __init__(self) -> None:
        self.values = np.zeros((75, 8, 8))  # [channel, rank, file]

    def put(self, channel: int, square: Square, value: float = 1.0) -> None:
        """Write one value."""
        self.values[channel, square[1], square[0]] = value

    def mark(self, channel: int, squares: Iterable[Square]) -> None:
        """Write 1 on all these squares."""
        for square in squares:
            self.put(channel, square)

    def fill(self, channel: int, value: float) -> None:
        """Write the same value everywhere."""
        self.values[channel] = value


def planes(text: str, repetitions: int = 1) -> Planes:
    """The planes of a position at its occurrence number `repetitions`: [75, 8, 8], in [0, 1].

    Row 0 is rank 1, column 0 is file a, for both sides.
    """
    state = exchange.State.parse(text)
    if state.pending is not None:
        raise ValueError(f"a pending die has no planes: {text}")
    men = {(square % 8, square // 8): man for square, man in state.men.items()}
    canvas = Canvas()
    paint_men(canvas, men)
    paint_counts(canvas, men, state, repetitions)
    paint_reach(canvas, men, state)
    paint_tactics(canvas, men, state)
    return canvas.values.astype(np.float32)


def paint_men(canvas: Canvas, men: Men) -> None:
    """Fills the channels of men: 0 to 23, 25, 39, 40, 54 to 56, 58, 61, 64, 65, 69, 72."""
    kings = {man.side: at for at, man in men.items() if man.letter == "K"}
    for at, man in men.items():
        row = LETTERS.index(man.letter)
        canvas.put(6 * man.side + row, at)
        canvas.put(12 + row, at, man.hp / MAX_HP[man.letter])
        canvas.put(18 + row, at, wait(man))
        canvas.put(58, at, charge_share(man))
        canvas.put(61, at, float(man.promoted))
        canvas.put(64 + man.side, at, float(is_shielded(men, at)))
        if man.letter == "R":
            canvas.put(25, at, float(is_ready(man)))
        if man.letter == "P":
            canvas.put(39 + man.side, at, ranks_gained(man, at) / 7)
            canvas.put(54 + man.side, at, float(is_passed(men, at)))
            canvas.put(69, at, ranks_gained(man, at) / 7)
        if 1 - man.side in kings:
            canvas.put(72, at, (8 - king_distance(at, kings[1 - man.side])) / 7)
    pawn_files = {at[0] for at, man in men.items() if man.letter == "P"}
    canvas.mark(56, (square for square in BOARD if square[0] not in pawn_files))


def paint_counts(canvas: Canvas, men: Men, state: exchange.State, repetitions: int) -> None:
    """Fills the channels with one value for all squares: 24, 26 to 33, 59, 70."""
    viewer = state.side
    sides = [[man for man in men.values() if man.side == side] for side in (0, 1)]
    hit_points = [sum(man.hp for man in side) for side in sides]
    material = [sum(MATERIAL[man.letter] for man in side) for side in sides]
    canvas.fill(24, float(state.decree[viewer] > 0))
    canvas.fill(26, float(viewer == 0))
    canvas.fill(27, float(viewer == 0))
    canvas.fill(28, state.ply / 300)
    canvas.fill(29, min(1, state.no_damage / 30))
    canvas.fill(30, min(1, repetitions / 3))
    canvas.fill(31, hit_points[0] / sum(hit_points))
    canvas.fill(32, len(sides[0]) / len(men))
    canvas.fill(33, (max(-1, min(1, (material[0] - material[1]) / 39)) + 1) / 2)
    canvas.fill(59, state.decree[viewer] / 2)
    canvas.fill(70, state.decree[1 - viewer] / 2)


def paint_reach(canvas: Canvas, men: Men, state: exchange.State) -> None:
    """Fills the channels of moves and strikes: 34 to 38, 41 to 53, 57, 62, 63, 73."""
    free = {at: free_reach(men, at) for at in men}
    own = [[at for at in men if men[at].side == side] for side in (0, 1)]
    attacks = [union(free[at] for at in own[side]) for side in (0, 1)]
    for side in (0, 1):
        enemy = 1 - side
        zone = {
            square
            for king in own[side]
            if men[king].letter == "K"
            for square in BOARD
            if king_distance(king, square) <= 1
        }
        attackers = sum(not free[at].isdisjoint(zone) for at in own[enemy])
        canvas.mark(34 + side, attacks[side])
        canvas.mark(37 + side, zone)
        for square in zone:
            canvas.put(50 + side, square, min(1, attackers / 8))
        for at in own[side]:
            threats = sum(at in free[other] for other in own[enemy])
            canvas.put(41 + side, at, len(moves(men, at)) / MOST_MOVES)
            canvas.put(43 + side, at, min(1, threats / 4))
            canvas.put(46 + side, at, float(at in attacks[enemy] - attacks[side]))
            canvas.put(48 + side, at, float(at in attacks[side]))
        canvas.mark(52 + side, union(moves(men, at) for at in own[side]) - attacks[enemy])
        all_attacks = union(full_reach(men, at) for at in own[enemy])
        canvas.mark(62 + side, all_attacks & set(own[side]))
    canvas.mark(36, attacks[0] & attacks[1])
    for square in attacks[state.side]:
        canvas.put(45, square, centre(square))
    canvas.mark(73, attacks[state.side] - attacks[1 - state.side])
    for square in BOARD:
        balance = 0.0
        for at, man in men.items():
            if square in free[at]:
                damage = BASE_DAMAGE[man.letter] + 3.5 + bonus(state, man.side)
                balance += damage if man.side == 0 else -damage
        canvas.put(57, square, max(0, min(1, 0.5 + balance / 40)))


def bonus(state: exchange.State, side: int) -> int:
    """What Royal Decree adds to the side's dice."""
    return 2 if state.decree[side] > 0 else 0


def paint_tactics(canvas: Canvas, men: Men, state: exchange.State) -> None:
    """Fills the channels of both sides' possible next actions: 60, 66 to 68, 71, 74."""
    viewer, plus = state.side, bonus(state, state.side)
    own = [at for at in men if men[at].side == viewer]
    enemies = [at for at in men if men[at].side != viewer]
    for at in enemies:
        canvas.put(71, at, float(is_ready(men[at])))
        canvas.put(74, at, charge_share(men[at]))
    for at in own:
        man, reach = men[at], full_reach(men, at)
        targets = reach.intersection(enemies)
        if plus:
            canvas.put(60, at, float(bool(reach)))
            canvas.put(68, at, float(bool(targets)))
        if man.letter == "B" and is_ready(man):
            for ally in seen(men, at, DIAGONALS, 1, 3).intersection(own):
                missing = MAX_HP[men[ally].letter] - men[ally].hp
                if missing > 0:
                    healed = sum(min(face + plus, missing) for face in range(1, 7))
                    canvas.put(66, ally, healed / (6 * missing))
        damage = BASE_DAMAGE[man.letter] + 1 + plus
        for target in targets:
            if men[target].letter == "K":
                canvas.put(67, target)
            for board in strikes(men, at, target):
                suffered = damage // 2 if is_shielded(board, target) else damage
                if suffered >= men[target].hp:
                    canvas.put(67, target)
        if man.letter == "P":
            canvas.mark(67, (to for to in moves(men, at) if ranks_gained(man, to) == 7))
