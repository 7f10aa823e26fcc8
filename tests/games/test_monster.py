"""Monster Chess, compared with a naive enumeration of all pairs, and its rules one by one."""

import random

import pytest

import rulezero as rz
from reference import monster as reference
from reference import side_by_side
from support import boards

# Positions in which forced blunders, promotions, castling and en passant are common.
ODD_STARTS = [
    "4k3/8/8/8/8/8/4r3/3RK3 w - - 0 1",
    "rnbqkbnr/pppp1ppp/8/8/4pP2/8/2PPP3/4K3 b kq f3 0 3",
    "r3k2r/P6P/8/8/8/8/1pp5/4K3 w kq - 0 10",
    "k6r/7r/8/8/8/8/6r1/7K w - - 0 40",
    "q3k2r/8/8/3Pp3/8/8/8/4K3 w k e6 0 9",
    "8/2k5/8/8/8/5q2/3p4/3K4 w - - 0 30",
    "7k/P7/8/8/8/8/r7/1r4K1 w - - 0 70",
]


@pytest.mark.parametrize("seed", range(12))
def test_random_games_agree_with_the_naive_enumeration(seed: int) -> None:
    """Legal plies, texts and ends agree in whole games."""
    start = rz.load("monster").start()
    pairs = list(side_by_side.play(start, reference.State.start(), seed))
    assert pairs[-1][0].is_over


@pytest.mark.parametrize("text", ODD_STARTS)
def test_odd_positions_agree_with_the_naive_enumeration(text: str) -> None:
    """Random play from ODD_STARTS agrees with the reference (`play` asserts it)."""
    game = rz.load("monster")
    for seed in range(6):
        for _ in side_by_side.play(game.parse(text), reference.State.parse(text), seed, most=40):
            pass


def test_thrown_together_positions_agree_with_the_naive_enumeration() -> None:
    """Random positions, with attacked kings, blocked kings and adjacent kings."""
    dice = random.Random(5)
    game = rz.load("monster")
    for _ in range(300):
        squares = dice.sample(range(64), 8)
        board = [""] * 64
        board[squares[0]], board[squares[1]] = "K", "k"
        for square in squares[2:]:
            men = "QRBNqrbnqr" if square // 8 in (0, 7) else "PPpQRBNqrbnqr"
            board[square] = dice.choice(men)
        rights = "-"
        if not board[60] and not board[63] and dice.random() < 0.5:
            board[board.index("k")] = ""
            board[60], board[63], rights = "k", "r", "k"
        text = boards.field(board) + dice.choice([" w ", " b "]) + rights + " - 0 9"
        if " w " in text and dice.random() < 0.5:
            text += " +"
        state = reference.State.parse(text)
        side_by_side.assert_same(game.parse(text), state)


def test_all_turns_agree_with_all_pairs() -> None:
    """In each position, White's possible turns are exactly the pairs of the naive enumeration."""
    for seed in range(3):
        start = rz.load("monster").start()
        for state, slow in side_by_side.play(start, reference.State.start(), seed, most=60):
            if state.is_over or state.mover != 0 or state.text.endswith("+"):
                continue
            turns: set[tuple[str, ...]] = set()
            for first in state.legal:
                half = state.apply(first)
                if half.is_over:
                    turns.add((state.say(first),))
                turns |= {(state.say(first), half.say(second)) for second in half.legal}
            assert turns == set(reference.legal_turns(slow))


def test_the_start_has_the_known_counts() -> None:
    """The start has 10 first halves, 99 pairs, and 58 distinct positions after White's turn."""
    start = rz.load("monster").start()
    assert start.text == "rnbqkbnr/pppppppp/8/8/8/8/2PPPP2/4K3 w kq - 0 1"
    assert [rz.perft(start, depth) for depth in (1, 2, 3)] == [10, 99, 1976]
    halves = [start.apply(action) for action in start.legal]
    assert len({half.apply(action).text for half in halves for action in half.legal}) == 58


@pytest.mark.parametrize(
    ("text", "moves", "outcome"),
    [
        ("8/8/8/8/2k5/8/2K5/8 w - - 0 1", ["c2c3", "c3c4"], 1),
        ("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1", ["e2e1"], -1),
        ("4r3/8/8/8/8/8/5k2/4K3 w - - 0 1", ["e1f2"], 1),
    ],
)
def test_taking_the_king_wins_at_once(text: str, moves: list[str], outcome: int) -> None:
    """Either half may capture the king, even if the capturing side's own king is attacked."""
    state = rz.load("monster").parse(text)
    for move in moves:
        state = state.apply(state.read(move))
    assert (state.outcome, state.end_reason, state.legal) == (outcome, "king", [])
    assert " - - 0 " in state.text
    assert rz.load("monster").parse(state.text).outcome == outcome


def test_a_turn_of_two_plies_has_one_mover() -> None:
    """White chooses twice, then Black once; only Black's move increases the move number."""
    state = rz.load("monster").start()
    movers = []
    for move in ["e2e4", "e4e5", "d7d5"]:
        movers.append(state.mover)
        state = state.apply(state.read(move))
    assert movers == [0, 0, 1]
    assert state.text == "rnbqkbnr/ppp1pppp/8/3pP3/8/8/2PP1P2/4K3 w kq d6 0 2"


def test_en_passant_lives_for_one_half_move() -> None:
    """White can capture en passant only with its first half, and Black only after a second half."""
    game = rz.load("monster")
    state = game.parse("rnbqkbnr/ppp1pppp/8/3pP3/8/8/2PP1P2/4K3 w kq d6 0 2")
    assert "e5d6" in map(state.say, state.legal)
    state = state.apply(state.read("c2c3"))
    assert state.text.endswith(" kq - 0 2 +")
    assert "e5d6" not in map(state.say, state.legal)
    # A double step as White's first half cannot be captured en passant; as the second half it can.
    state = game.parse("4k3/8/8/8/5p2/8/4P1P1/4K3 w - - 0 1")
    first = state.apply(state.read("e2e4"))
    late = first.apply(first.read("e1d1"))
    assert "f4e3" not in map(late.say, late.legal)
    first = state.apply(state.read("e1d1"))
    late = first.apply(first.read("e2e4"))
    assert late.text == "4k3/8/8/8/4Pp2/8/6P1/3K4 b - e3 0 1"
    assert "f4e3" in map(late.say, late.legal)


def test_black_castles_only_over_safe_squares() -> None:
    """The squares of the king, its path and its target must not be attacked; b8 may be."""
    game = rz.load("monster")

    def castles(text: str) -> set[str]:
        state = game.parse(text)
        return {say for say in map(state.say, state.legal) if say in ("e8g8", "e8c8")}

    assert castles("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1") == {"e8g8", "e8c8"}
    assert castles("r3k2r/8/8/8/8/8/8/1R2K3 b kq - 0 1") == {"e8g8", "e8c8"}
    assert castles("r3k2r/8/8/8/8/8/8/3RK3 b kq - 0 1") == {"e8g8"}
    assert castles("r3k2r/8/8/8/8/8/8/K3R3 b kq - 0 1") == set()


def test_castling_is_written_alike_beside_king_captures() -> None:
    """Castling is the king's two-square move, also if the white king can be captured."""
    for men in ("r3k2r/8/8/8/8/8/4q1q1/5K2", "r3k2r/8/8/8/8/8/4q3/5K2", "r3k2r/8/8/8/8/8/8/5K2"):
        state = rz.load("monster").parse(f"{men} b kq - 0 1")
        assert {"e8g8", "e8c8"} <= set(map(state.say, state.legal))
        assert state.slot(state.read("e8g8")) == 60 * 64 + 62
        side_by_side.assert_same(state, reference.State.parse(state.text))


# White rooks everywhere, so that White has no move; the black king is out of reach in the corner.
FULL = "kBRRRRRR/PRRRRRRR/RRRRRRRR/RRRRRRRR/RRRRRRRR/RRRRRRRR/RRRRRRRR/RRRRKRRR"


def test_no_pair_of_moves_is_a_draw_at_once() -> None:
    """Without a legal move, White's turn is a draw, at either half."""
    for text in (f"{FULL} w - - 0 9", f"{FULL} w - - 0 9 +"):
        state = rz.load("monster").parse(text)
        assert (state.outcome, state.end_reason) == (0, "no action")
        side_by_side.assert_same(state, reference.State.parse(text))


def test_a_first_half_after_which_white_could_not_move_is_not_legal() -> None:
    """d4d5 would fill the only empty square, and then no man could move to d4."""
    text = "kBRRRRRR/PRRRRRRR/RRRRRRRR/RRR1RRRR/RRBPBRRR/RRRBRRRR/RRRRRRRR/RRRRKRRR w - - 0 9"
    state = rz.load("monster").parse(text)
    assert set(map(state.say, state.legal)) == {"c4d5", "e4d5", "c5d5", "e5d5", "d6d5"}
    side_by_side.assert_same(state, reference.State.parse(text))


def test_a_text_with_one_king_has_the_loser_to_move() -> None:
    """The side, castling rights and half in such a text are replaced."""
    game = rz.load("monster")
    for text in ("r3k2r/8/8/8/8/8/8/8 b kq - 0 5", "r3k2r/8/8/8/8/8/8/8 w - - 7 5 +"):
        state = game.parse(text)
        assert state.text == "r3k2r/8/8/8/8/8/8/8 w - - 0 5"
        assert state.outcome == -1


def test_the_fifth_field_is_read_and_forgotten() -> None:
    """The fifth field may be any number, and is written as 0."""
    assert rz.load("monster").parse("4k3/8/8/8/8/8/8/4K3 w - - 4711 1").text.endswith(" 0 1")


def test_a_repeated_position_is_counted_but_draws_nothing() -> None:
    """At its fourth occurrence, the start position does not end the game."""
    state = rz.load("monster").start()
    for move in ["e1d1", "d1e1", "b8c6", "e1d1", "d1e1", "c6b8"] * 3:
        state = state.apply(state.read(move))
    assert (state.times, state.is_over) == (4, False)


def test_one_hundred_and_fifty_turns_draw() -> None:
    """After 150 turns of either side the game is drawn, unless the last one captures a king."""
    game = rz.load("monster")
    assert game.parse("4k3/8/8/8/8/8/8/4K3 w - - 0 76").end_reason == "150 turns"
    last = game.parse("4k3/8/8/8/8/8/4r3/4K3 b - - 0 75")
    assert last.apply(last.read("e2e1")).end_reason == "king"
    assert last.apply(last.read("e8e7")).end_reason == "150 turns"


def test_san_marks_a_captured_king_and_nothing_else() -> None:
    """SAN marks the capture of a king with #; there is no sign for check."""
    state = rz.load("monster").parse("4r3/8/8/8/8/8/5k2/4K3 w - - 0 1")
    assert state.say(state.read("e1f2"), san=True) == "Kxf2#"
    state = rz.load("monster").parse("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    assert state.say(state.read("a1d1"), san=True) == "Rad1"
    assert state.read("Rad1") == state.read("a1d1")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no king"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "one king, not 2"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "cannot stand on h8"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "never castles"),
        ("4k3/8/8/8/8/8/8/4K3 w k - 0 1", "king and rook in place"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 0 1 +", "White to move"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 ++", r"seventh field is \+"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1 +", "second half"),
        ("4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "just passed"),
        ("4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1", "just passed"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "sixth field"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "fifth field"),
    ],
)
def test_a_wrong_text_says_what_is_wrong(text: str, words: str) -> None:
    """A wrong text raises a PositionError that names the fault."""
    with pytest.raises(rz.PositionError, match=words):
        rz.load("monster").parse(text)


def test_planes_are_absolute() -> None:
    """12 planes of men, White to move, second half pending, and white pawns as (rank - 1) / 6."""
    state = rz.load("monster").start()
    planes = state.planes()
    assert planes.shape == (15, 8, 8)
    assert planes[0].sum() == 4
    assert planes[0, 1, 2:6].tolist() == [1, 1, 1, 1]
    assert planes[5, 0, 4] == planes[11, 7, 4] == 1
    assert planes[6].sum() == 8
    assert planes[12].min() == 1
    assert planes[13].max() == 0
    assert planes[14, 1, 2] == pytest.approx(1 / 6)
    half = state.apply(state.read("e2e4"))
    assert half.planes()[13].min() == 1
    assert half.planes()[14, 3, 4] == pytest.approx(3 / 6)
    black = half.apply(half.read("e4e5"))
    assert black.planes()[12].max() == black.planes()[13].max() == 0


def test_four_promotions_share_a_slot() -> None:
    """The slot is from * 64 + to, whatever the pawn promotes to."""
    state = rz.load("monster").parse("8/P3k3/8/8/8/8/8/4K3 w - - 0 1")
    slots = [state.slot(state.read(f"a7a8{man}")) for man in "qrbn"]
    assert slots == [48 * 64 + 56] * 4
