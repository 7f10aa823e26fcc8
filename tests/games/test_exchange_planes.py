"""Every channel of EXCHANGE on positions made for it, with values worked out by hand."""

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from rulezero import _core

GAME = _core.load_game("exchange", {})
CHANNELS = 75

Planes = npt.NDArray[np.float32]
# Values by square names ("a1 b2": 0.5), with 0 on all other squares; or one value for all squares.
Expected = dict[str, float] | float


@dataclass(frozen=True)
class Case:
    channel: int
    text: str
    expected: Expected
    moves: tuple[str, ...] = ()  # played from `text` first


def plane_of(expected: Expected, elsewhere: float = 0.0) -> Planes:
    """The plane that `expected` describes: float32 [8, 8], row 0 is rank 1."""
    if isinstance(expected, float):
        return np.full((8, 8), expected, np.float32)
    plane = np.full((8, 8), elsewhere, np.float32)
    for names, value in expected.items():
        for name in names.split():
            plane[int(name[1]) - 1, ord(name[0]) - ord("a")] = value
    return plane


def planes_of(text: str, moves: tuple[str, ...] = ()) -> Planes:
    state = GAME.parse(text)
    for move in moves:
        state = state.apply(state.read(move))
    return state.planes()


# Men of both colours stand on different ranks, so that a mix-up of colours or rows is noticed.
MEN = "q3k2r/1p6/2n5/3b4/4B3/5N2/P6P/R2QK3"
HURT = f"{MEN} w 0/0 0 0 a1=6,d1=5,e1=15,a2=2,f3=10,e4=4,d5=9,c6=1,b7=6,a8=3,e8=20"
SPENT = f"{MEN} b 0/0 0 0 a1=13:u0:c1,d1=10:c2,e1=25:u0,f3=11:c2,e4=10:u0,d5=10:u2:c1,c6=11:u0"
SPENT += ",a8=10:c1,e8=25:u2,h8=13:u4:c3"
FRESH = "0/0 0 0 -"

# A queen against a pawn, and the squares that each side attacks.
DUEL = "k7/8/8/3p4/8/3Q4/8/7K"
QUEEN = "d4 d5 e3 f3 g3 c3 b3 a3 d2 d1 e4 f5 g6 c4 b5 a6 e2 f1 c2 b1"
DUEL_WHITE = QUEEN + " g1 g2 h2"
DUEL_BLACK = "a7 b7 b8 c4 e4"

PAWNS = "4k3/8/1p6/6pP/P2P4/3p4/8/4K3"
OPEN = " ".join(f"{file}{rank}" for file in "cef" for rank in range(1, 9))

ENEMIES = "rnbqk2r/p7/8/1p6/8/8/8/R3K3"
ENEMY_WAITS = "a8=13:u0,b8=11:u1:c1,d8=10:c1,e8=25:u0,b5=7:a2,h8=13:u2"

CASES = [
    Case(0, f"{MEN} w {FRESH}", {"e1": 1}),
    Case(1, f"{MEN} w {FRESH}", {"d1": 1}),
    Case(2, f"{MEN} w {FRESH}", {"a1": 1}),
    Case(3, f"{MEN} w {FRESH}", {"e4": 1}),
    Case(4, f"{MEN} w {FRESH}", {"f3": 1}),
    Case(5, f"{MEN} w {FRESH}", {"a2 h2": 1}),
    Case(6, f"{MEN} w {FRESH}", {"e8": 1}),
    Case(7, f"{MEN} w {FRESH}", {"a8": 1}),
    Case(8, f"{MEN} w {FRESH}", {"h8": 1}),
    Case(9, f"{MEN} w {FRESH}", {"d5": 1}),
    Case(10, f"{MEN} w {FRESH}", {"c6": 1}),
    Case(11, f"{MEN} w {FRESH}", {"b7": 1}),
    Case(0, f"{MEN} b {FRESH}", {"e1": 1}),
    Case(12, HURT, {"e1": 15 / 25, "e8": 20 / 25}),
    Case(13, HURT, {"d1": 5 / 10, "a8": 3 / 10}),
    Case(14, HURT, {"a1": 6 / 13, "h8": 1}),
    Case(15, HURT, {"e4": 4 / 10, "d5": 9 / 10}),
    Case(16, HURT, {"f3": 10 / 11, "c6": 1 / 11}),
    Case(17, HURT, {"a2": 2 / 7, "h2": 1, "b7": 6 / 7}),
    Case(18, SPENT, {"e1": 1}),
    Case(19, SPENT, {"d1": 2 / 3, "a8": 1 / 3}),
    Case(20, SPENT, {"a1 h8": 1}),
    Case(20, f"{MEN} w 0/0 0 0 a1=13:u1:c2", {"a1": 2 / 3}),
    Case(21, SPENT, {"e4": 1, "d5": 1 / 3}),
    Case(22, SPENT, {"f3": 2 / 3, "c6": 1}),
    Case(23, "4k3/8/8/1p6/P6P/8/8/4K3 w 0/0 0 0 a4=7:a2,b5=7:a1", {"a4": 1, "b5": 1 / 2}),
    Case(24, f"{MEN} w 1/0 0 0 -", 1.0),
    Case(24, f"{MEN} b 1/0 0 0 -", 0.0),
    Case(24, f"{MEN} b 0/2 0 0 -", 1.0),
    Case(
        25,
        "r3k2r/8/8/8/8/8/8/R3K2R w 0/0 0 0 h1=13:u4:c3,a8=13:u0,h8=13:u1",
        {"a1 h8": 1},
    ),
    Case(26, f"{MEN} w {FRESH}", 1.0),
    Case(26, f"{MEN} b {FRESH}", 0.0),
    Case(27, f"{MEN} w {FRESH}", 1.0),
    Case(27, f"{MEN} b {FRESH}", 0.0),
    Case(28, f"{MEN} w 0/0 0 150 -", 150 / 300),
    Case(29, f"{MEN} w 0/0 12 40 -", 12 / 30),
    Case(29, f"{MEN} w 0/0 31 40 -", 1.0),
    Case(30, f"{MEN} w {FRESH}", 1 / 3),
    Case(30, f"{MEN} w {FRESH}", 2 / 3, ("e1e2", "e8e7", "e2e1", "e7e8")),
    Case(31, "4k3/8/8/8/8/8/8/4K2R w 0/0 0 0 e8=20", 38 / 58),
    Case(32, "4k3/8/8/8/8/7P/8/4K2R w 0/0 0 0 -", 3 / 4),
    Case(33, f"4k2r/8/8/8/8/7P/8/3QK3 w {FRESH}", (5 / 39 + 1) / 2),
    Case(33, f"4k3/8/8/8/8/8/8/QQQQKQQQ w {FRESH}", 1.0),
    Case(34, f"4k3/8/8/4P3/3B4/8/8/K7 w {FRESH}", {"a2 b1 b2 b6 a7 a1 f2 g1 d6 f6": 1}),
    Case(
        34,
        f"k6K/8/8/8/8/8/8/N6R b {FRESH}",
        {"a3 c3 b2 b4 d2 c1 g8 g7 h7 g1 g2 h2 f1 h3": 1},
    ),
    Case(34, f"{DUEL} w {FRESH}", {DUEL_WHITE: 1}),
    Case(35, f"k6r/7p/8/3p4/8/8/8/7K w {FRESH}", {"a7 b7 b8 c4 e4 h7 g8 f8 g7 g6": 1}),
    Case(36, f"{DUEL} w {FRESH}", {"c4 e4": 1}),
    Case(37, f"4k3/8/8/8/8/8/8/K6R w {FRESH}", {"a1 a2 b1 b2": 1}),
    Case(37, f"4k3/8/8/8/8/8/8/7R w {FRESH}", 0.0),
    Case(38, f"4k3/8/8/8/8/8/8/K6R w {FRESH}", {"d8 e8 f8 d7 e7 f7": 1}),
    Case(39, f"4k3/7P/8/8/8/p7/P7/4K3 b {FRESH}", {"a2": 1 / 7, "h7": 6 / 7}),
    Case(40, f"4k3/p7/8/P7/8/2p5/8/4K3 w {FRESH}", {"a7": 1 / 7, "c3": 5 / 7}),
    Case(41, f"4k3/8/8/8/8/8/P7/R3K3 w {FRESH}", {"a1": 3 / 27, "a2": 2 / 27, "e1": 5 / 27}),
    Case(41, f"k7/8/8/8/3Q4/8/8/K7 w {FRESH}", {"a1": 3 / 27, "d4": 26 / 27}),
    Case(
        42,
        "4k3/p7/8/2p5/8/1p6/8/4K3 w 0/0 0 0 c5=7:a1",
        {"a7 b3": 2 / 27, "c5": 1 / 27, "e8": 5 / 27},
    ),
    Case(43, f"k7/8/3q4/2p1p3/3R4/8/8/7K w {FRESH}", {"d4": 3 / 4}),
    Case(43, f"k7/8/3q4/2p1p3/3Rr3/8/1n6/7K w {FRESH}", {"d4": 1}),
    Case(44, f"7k/8/8/3p4/2P1K3/8/8/8 w {FRESH}", {"d5": 2 / 4}),
    Case(
        45,
        f"{DUEL} w {FRESH}",
        {"d4 d5 e4": 1, "e3 f3 c3 f5 c4": 2 / 3, "g3 b3 d2 g6 b5 e2 c2 g2": 1 / 3},
    ),
    Case(45, f"{DUEL} b {FRESH}", {"e4": 1, "c4": 2 / 3, "b7": 1 / 3}),
    Case(46, f"k7/8/8/3p4/2R5/8/8/7K w {FRESH}", {"c4": 1}),
    Case(46, f"k7/8/8/3p4/2R5/1P6/8/7K w {FRESH}", 0.0),
    Case(47, f"7k/8/8/3p4/4K3/8/8/8 b {FRESH}", {"d5": 1}),
    Case(48, f"k7/8/8/8/2R5/1P6/8/7K w {FRESH}", {"b3 c4": 1}),
    Case(49, f"k7/pp6/8/8/8/8/8/7K w {FRESH}", {"a7 b7": 1}),
    Case(50, f"k7/8/8/8/5q2/7p/r7/6K1 w {FRESH}", {"f1 g1 h1 f2 g2 h2": 2 / 8}),
    Case(51, f"k7/8/2R5/2N5/8/8/8/7K w {FRESH}", {"a8 b8 a7 b7": 2 / 8}),
    Case(52, f"k7/8/8/8/8/1p6/8/K7 w {FRESH}", {"b1 b2": 1}),
    Case(53, f"7k/8/5R2/8/8/8/8/K7 w {FRESH}", {"g8 h7": 1}),
    Case(54, f"{PAWNS} w {FRESH}", {"d4 h5": 1}),
    Case(55, f"{PAWNS} w {FRESH}", {"d3 g5": 1}),
    Case(56, f"{PAWNS} w {FRESH}", {OPEN: 1}),
    Case(
        58,
        "4k3/8/8/8/8/8/P7/RNBQK3 w 0/0 0 0 a1=13:u2,b1=11:u1,c1=10:u0,e1=25:u1",
        {"a1": 2 / 5, "b1": 1 / 5, "d1 a2 e8": 1, "e1": 1 / 3},
    ),
    Case(59, f"{MEN} w 1/2 0 0 -", 1 / 2),
    Case(59, f"{MEN} b 1/2 0 0 -", 1.0),
    Case(60, "4k3/8/8/8/8/8/1P6/B3K3 w 1/0 0 0 -", {"b2 e1": 1}),
    Case(60, "4k3/8/8/8/8/8/1P6/B3K3 w 0/1 0 0 -", 0.0),
    Case(61, "q3k3/8/8/8/8/8/8/Q3K2Q w 0/0 0 0 a8=10:p,h1=4:p", {"a8 h1": 1}),
    Case(62, f"3qk3/8/8/8/8/8/P7/7K w {FRESH}", {"a2 h1": 1}),
    Case(62, "3qk3/8/8/8/8/8/P7/7K w 0/0 0 0 d8=10:c1", 0.0),
    Case(63, f"4k3/8/8/3p4/3N4/8/8/4K3 w {FRESH}", {"d5": 1}),
    Case(63, "4k3/8/8/3p4/3N4/8/8/4K3 w 0/0 0 0 d4=11:u0", 0.0),
    Case(64, f"4k3/8/8/8/8/P7/8/R2K3R w {FRESH}", {"a3 d1": 1}),
    Case(64, "4k3/8/8/8/8/P7/8/R2K3R w 0/0 0 0 a1=13:u4:c3", 0.0),
    Case(65, f"1r2k3/pp6/8/8/8/8/8/4K3 w {FRESH}", {"b7 e8": 1}),
    Case(66, "4k3/8/8/8/8/4P3/3P4/2B1K3 w 0/0 0 0 d2=5,e3=1", {"d2": 11 / 12}),
    Case(66, "4k3/8/8/8/8/4P3/3P4/2B1K3 w 2/0 0 0 d2=5,e3=1", {"d2": 1}),
    Case(66, "4k3/8/8/8/8/4P3/3P4/2B1K3 w 0/0 0 0 e3=1", 0.0),
    Case(66, "4k3/8/8/8/8/2B5/8/4K3 w 0/0 0 0 e1=5", {"e1": 3.5 / 20}),
    Case(66, "4k3/8/8/8/8/2B5/8/4K3 b 0/0 0 0 e1=5", 0.0),
    Case(66, "4k3/8/8/8/8/2B5/8/4K3 w 0/0 0 0 e1=5,c3=10:u2:c1", 0.0),
    Case(67, "k7/6P1/2P5/3p4/4K3/8/8/8 w 0/0 0 0 d5=2", {"d5 g8 c8": 1}),
    Case(67, "k7/6P1/2P5/3p4/4K3/8/8/8 w 0/0 0 0 d5=3,c6=7:a1", {"g8": 1}),
    Case(67, "k7/6P1/2P5/3p4/4K3/8/8/8 w 1/0 0 0 d5=4", {"d5 g8 c8": 1}),
    Case(67, "k7/3r4/8/3p4/4K3/8/8/8 w 0/0 0 0 d5=2", 0.0),
    Case(67, "k7/3r4/8/3p4/4K3/8/8/8 w 0/0 0 0 d5=1", {"d5": 1}),
    # A combo may open the interposing rook's line, or land between the rook and its target.
    Case(67, "k7/4b3/8/4N3/4r3/8/8/7K w 0/0 0 0 e7=3", 0.0),
    Case(67, "k3N3/5n1r/8/8/8/8/8/7K w 0/0 0 0 f7=3", {"f7": 1}),
    Case(67, f"k7/1R6/8/8/8/8/8/7K w {FRESH}", {"a8": 1}),
    Case(68, "4k3/8/8/3p4/2P5/8/7P/4K3 w 1/0 0 0 -", {"c4": 1}),
    Case(68, "4k3/8/8/3p4/2P5/8/7P/4K3 b 0/2 0 0 -", {"d5": 1}),
    Case(68, "4k3/8/8/3p4/2P5/8/7P/4K3 w 0/2 0 0 -", 0.0),
    Case(69, f"4k3/1P4p1/8/8/8/8/P6p/4K3 w {FRESH}", {"a2 g7": 1 / 7, "b7 h2": 6 / 7}),
    Case(70, f"{MEN} w 2/1 0 0 -", 1 / 2),
    Case(70, f"{MEN} b 2/1 0 0 -", 1.0),
    Case(71, f"{ENEMIES} w 0/0 0 0 {ENEMY_WAITS}", {"h8 c8 a7": 1}),
    Case(71, f"{ENEMIES} b 0/0 0 0 {ENEMY_WAITS}", {"a1 e1": 1}),
    Case(72, f"4k3/8/3P4/8/8/8/3q4/4K3 w {FRESH}", {"e1 e8": 1 / 7, "d6": 6 / 7, "d2": 1}),
    Case(
        73,
        f"{DUEL} w {FRESH}",
        {" ".join(s for s in DUEL_WHITE.split() if s not in DUEL_BLACK.split()): 1},
    ),
    Case(73, f"{DUEL} b {FRESH}", {"a7 b7 b8": 1}),
    Case(
        74,
        f"{ENEMIES} w 0/0 0 0 {ENEMY_WAITS}",
        {"b8": 1 / 5, "c8 d8 a7 b5": 1, "h8": 2 / 5},
    ),
    Case(74, f"{ENEMIES} b 0/0 0 0 {ENEMY_WAITS}", {"a1 e1": 1}),
]

# Channel 57 is 0.5 on squares that neither side can strike.
BALANCE_CASES = [
    (
        "k7/8/8/3p4/8/8/2K5/8 w 1/0 0 0 -",
        {"b1 c1 d1 b2 d2 b3 c3 d3": 0.5 + 6.5 / 40, "c4 e4 a7 b7 b8": 0.5 - 4.5 / 40},
    ),
    # On c4 two white pawns outweigh the black one; on e4 one pawn of each side cancel out.
    (
        f"k7/8/8/3p4/8/1P1P4/8/7K b {FRESH}",
        {"a4 c4 g1 g2 h2": 0.5 + 4.5 / 40, "a7 b7 b8": 0.5 - 4.5 / 40},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.channel}")
def test_channel(case: Case) -> None:
    plane = planes_of(case.text, case.moves)[case.channel]
    np.testing.assert_allclose(plane, plane_of(case.expected), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("text", "expected"), BALANCE_CASES)
def test_damage_balance(text: str, expected: dict[str, float]) -> None:
    np.testing.assert_allclose(planes_of(text)[57], plane_of(expected, 0.5), rtol=0, atol=1e-6)


def test_damage_balance_is_clipped() -> None:
    balance = planes_of(f"4k3/8/8/QQQ5/Q1Q5/QQQ5/8/4K3 w {FRESH}")[57]
    assert balance[3, 1] == 1.0  # eight queens round b4


def test_no_channel_is_missing() -> None:
    assert {case.channel for case in CASES} | {57} == set(range(CHANNELS))
    assert GAME.facts.planes == (CHANNELS, 8, 8)


def test_values_stay_in_range_and_every_channel_speaks() -> None:
    rng = random.Random(7)
    seen = np.zeros(CHANNELS, bool)
    for _ in range(12):
        state = GAME.start()
        while not state.is_over:
            if state.mover != _core.CHANCE:
                planes = state.planes()
                assert planes.min() >= 0
                assert planes.max() <= 1
                seen |= planes.any(axis=(1, 2))
            strikes = [a for a in state.legal if "x" in state.say(a)]
            likes_strikes = bool(strikes) and rng.random() < 0.4
            state = state.apply(rng.choice(strikes if likes_strikes else state.legal))
    assert seen.all()


def test_a_pending_die_has_no_planes() -> None:
    state = GAME.parse(f"k7/8/8/3p4/4K3/8/8/8 w {FRESH} die:e4xd5")
    with pytest.raises(_core.PositionError, match="die is pending"):
        state.planes()
