"""Planes and slots of chess and random_chess, compared with planes computed from texts."""

import random

import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz

Planes = npt.NDArray[np.float32]
STANDARD = ["P", "N", "B", "R", "Q", "K"]
CUSTOM = ["O", "NN", "S", "Z", "A", "C", "M", "+", "G", "X"]  # in the order of custom.yaml


def men_of(text: str) -> list[tuple[str, int, int, int]]:
    """(symbol, seat, rank, file) of every man, read from the board field."""
    men = []
    for rank, row in zip(range(7, -1, -1), text.split(" ")[0].split("/"), strict=True):
        file = 0
        while row:
            if row[0].isdigit():
                file += int(row[0])
                row = row[1:]
                continue
            if row[0] == "{":
                inside, row = row[1:].split("}", 1)
                men.append((inside[1:], "wb".index(inside[0]), rank, file))
            else:
                men.append((row[0].upper(), int(row[0].islower()), rank, file))
                row = row[1:]
            file += 1
    return men


def remade(state: rz.State, kinds: list[str], absolute: bool) -> Planes:
    """The planes that docs/planes.md describes, computed from texts and repetition counts only."""
    viewer = 0 if absolute else state.mover
    width = 2 * len(kinds) + 2
    planes = np.zeros((8 * width + 7, 8, 8), np.float32)
    earlier: rz.State | None = state
    for step in range(8):
        if earlier is None:
            break
        for symbol, seat, rank, file in men_of(earlier.text):
            plane = step * width + kinds.index(symbol) + (0 if seat == viewer else len(kinds))
            planes[plane, rank if viewer == 0 else 7 - rank, file] = 1
        planes[step * width + width - 2] = earlier.times >= 2
        planes[step * width + width - 1] = earlier.times >= 3
        earlier = earlier.before
    _, side, rights, _, clock, number = state.text.split(" ")
    meta = planes[8 * width :]
    meta[0] = side == "w"
    meta[1] = min(1.0, float(np.float32(2 * (int(number) - 1) + (side == "b")) / np.float32(300)))
    king = {seat: file for symbol, seat, _, file in men_of(state.text) if symbol == "K"}
    for letter in rights.replace("-", ""):
        seat = int(letter.islower())
        name = letter.upper()
        kingside = name == "K" or (name != "Q" and "ABCDEFGH".index(name) > king[seat])
        meta[2 + (0 if seat == viewer else 2) + (0 if kingside else 1)] = 1
    meta[6] = min(1.0, float(np.float32(clock) / np.float32(100)))
    return planes


@pytest.mark.parametrize(
    ("text", "kinds", "absolute"),
    [
        ("chess", STANDARD, False),
        ("random_chess", STANDARD, False),
        ("random_chess:view=absolute", STANDARD, True),
        ("random_chess:pieces=custom", STANDARD + CUSTOM, False),
        ("random_chess:pieces=custom,view=absolute", STANDARD + CUSTOM, True),
    ],
)
def test_planes_are_what_the_page_says(text: str, kinds: list[str], absolute: bool) -> None:
    """In random games, all planes of every third ply agree with docs/planes.md."""
    game = rz.load(text)
    assert game.facts.planes == (8 * (2 * len(kinds) + 2) + 7, 8, 8)
    for seed in range(4):
        dice = random.Random(seed)
        state = game.start(seed=seed)
        for ply in range(120):
            if state.is_over:
                break
            if ply % 3 == 0:
                np.testing.assert_array_equal(state.planes(), remade(state, kinds, absolute))
            state = state.apply(dice.choice(state.legal))


def test_a_repeated_position_shows_in_its_planes() -> None:
    """The second occurrence of a position fills the first repetition plane, not the second one."""
    state = rz.load("chess").start()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"]:
        state = state.apply(state.read(move))
    assert state.times == 2
    assert state.planes()[12].min() == 1
    assert state.planes()[13].max() == 0
    np.testing.assert_array_equal(state.planes(), remade(state, STANDARD, False))


def mirrored(text: str) -> str:
    """The same position with colours swapped and ranks flipped."""
    board, side, rights, square, *counters = text.split(" ")
    board = "/".join(reversed(board.split("/"))).swapcase()
    rights = "".join(sorted(rights.swapcase(), key="KQkq-".index))
    if square != "-":
        square = square[0] + str(9 - int(square[1]))
    return " ".join([board, "b" if side == "w" else "w", rights, square, *counters])


@pytest.mark.parametrize("encoding", ["history", "features781"])
def test_both_movers_see_the_same_board(encoding: str) -> None:
    """A position with swapped colours differs only in the planes of the side and the ply."""
    game = rz.load("chess", planes=encoding)
    dice = random.Random(4)
    state = game.start()
    for _ in range(60):
        if state.is_over:
            break
        here = game.parse(state.text).planes()
        there = game.parse(mirrored(state.text)).planes()
        named = 772 if encoding == "features781" else 112
        here[named] = there[named] = 0
        if encoding == "history":
            here[113] = there[113] = 0  # their ply counts differ by one
        np.testing.assert_array_equal(here, there)
        slots = {state.slot(action) for action in state.legal}
        mirror = game.parse(mirrored(state.text))
        assert {mirror.slot(action) for action in mirror.legal} == slots
        state = state.apply(dice.choice(state.legal))


def test_the_781_features() -> None:
    """Men at plane * 64 + square, castling rights, White to move, and the en-passant file."""
    game = rz.load("chess", planes="features781")
    assert game.facts.planes == (781, 1, 1)
    start = game.start().planes().ravel()
    assert start.sum() == 32 + 4 + 1
    assert start[0 * 64 + 8] == start[5 * 64 + 4] == start[11 * 64 + 60] == 1
    assert start[768:773].tolist() == [1, 1, 1, 1, 1]
    black = game.parse("r3k3/8/8/8/3pP3/8/8/4K2R b Kq e3 0 1").planes().ravel()
    assert black[0 * 64 + 35] == 1, "Black's pawn d4 is an own pawn on d5 when flipped"
    assert black[6 * 64 + 36] == 1
    assert black[768:773].tolist() == [0, 1, 1, 0, 0], "own rights first, Black to move"
    assert black[773:].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]


QUEEN_STEPS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
KNIGHT_STEPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def plane_of(move: str, flip: bool, extra: list[tuple[int, int]]) -> int:
    """The slot of a move text: 56 queen moves, 8 knight moves, 9 underpromotions, extra moves."""
    files = [ord(move[0]) - 97, ord(move[2]) - 97]
    ranks = [int(move[1]) - 1, int(move[3]) - 1]
    if flip:
        ranks = [7 - rank for rank in ranks]
    right, up = files[1] - files[0], ranks[1] - ranks[0]
    if move[4:] and move[4] != "q":
        plane = 64 + 3 * "rbn".index(move[4]) + right + 1
    elif right == 0 or up == 0 or abs(right) == abs(up):
        far = max(abs(right), abs(up))
        plane = 7 * QUEEN_STEPS.index((right // far, up // far)) + far - 1
    elif (right, up) in KNIGHT_STEPS:
        plane = 56 + KNIGHT_STEPS.index((right, up))
    else:
        plane = 73 + extra.index((right, up))
    return plane * 64 + 8 * ranks[0] + files[0]


def extra_displacements() -> list[tuple[int, int]]:
    """Steps of camel and zebra, and the nightrider's second and third, in the order of planes."""
    steps = set()
    for a, b in ((1, 3), (2, 3), (2, 4), (3, 6)):
        for x, y in ((a, b), (b, a)):
            steps |= {(x, y), (x, -y), (-x, y), (-x, -y)}
    return sorted(steps, key=lambda step: (abs(step[0]) + abs(step[1]), step[1], step[0]))


@pytest.mark.parametrize(
    ("text", "planes"),
    [("chess", 73), ("random_chess", 73), ("random_chess:pieces=custom", 105)],
)
def test_slots_are_what_the_page_says(text: str, planes: int) -> None:
    """A slot is plane * 64 + from-square for the mover; no two legal actions share one."""
    game = rz.load(text)
    assert game.facts.slots == planes * 64
    extra = extra_displacements()
    assert len(extra) == 32
    for seed in range(6):
        dice = random.Random(seed)
        state = game.start(seed=seed)
        for _ in range(100):
            if state.is_over:
                break
            slots = [state.slot(action) for action in state.legal]
            assert len(set(slots)) == len(slots)
            for action, slot in zip(state.legal, slots, strict=True):
                assert slot == plane_of(state.say(action), state.mover == 1, extra), state.text
            state = state.apply(dice.choice(state.legal))


def test_promotions_have_slots_of_their_own() -> None:
    """Promotions to four kinds in three directions have 12 slots, for either side."""
    for text in ("3r1r1k/4P3/8/8/8/8/8/K7 w - - 0 1", "7k/8/8/8/8/8/4p3/K2R1R2 b - - 0 1"):
        for view in ("mover", "absolute"):
            state = rz.load("random_chess", view=view).parse(text)
            promotions = [a for a in state.legal if len(state.say(a)) == 5]
            assert len({state.slot(action) for action in promotions}) == 12
