"""Chess and Chess960 against python-chess: positions, moves, SAN and endings."""

import random
from collections.abc import Iterator

import chess
import pytest

import rulezero as rz

DRAWS = {
    "fifty moves": chess.Board.is_fifty_moves,
    "repetition": chess.Board.is_repetition,
    "material": chess.Board.is_insufficient_material,
    "stalemate": chess.Board.is_stalemate,
}
# Positions in which random games end quickly, in every way: mates, repetitions, dead positions.
BARE_BOARDS = [
    "8/8/4k3/8/8/3K4/8/7R w - - 60 80",
    "8/8/4k3/2p5/8/3K4/8/7B w - - 90 80",
    "k7/8/1K6/8/8/8/7p/3Q4 b - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 b - - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
]


def follow(state: rz.State, board: chess.Board, seed: int, most: int) -> Iterator[rz.State]:
    """Yields the state before each ply of a random game, and plays the same moves on `board`."""
    dice = random.Random(seed)
    for _ in range(most):
        yield state
        if state.is_over:
            return
        action = dice.choice(state.legal)
        board.push(chess.Move.from_uci(state.say(action)))
        state = state.apply(action)


def assert_same(state: rz.State, board: chess.Board) -> None:
    """Asserts the same position, moves and end, except for draws that only python-chess knows."""
    fen = board.fen(en_passant="legal")
    assert state.text.split(" ")[:2] == fen.split(" ")[:2]
    assert state.text.split(" ")[3:] == fen.split(" ")[3:]
    moves = sorted(move.uci() for move in board.legal_moves)
    assert state.mover == (0 if board.turn else 1)
    if not state.is_over:
        assert sorted(map(state.say, state.legal)) == moves, state.text
        assert not any(test(board) for name, test in DRAWS.items() if name != "material")
        if board.is_insufficient_material():
            assert len(board.piece_map()) > 3, "dead for python-chess only, such as KB v KB"
        else:
            assert board.outcome() is None
    elif state.end_reason == "checkmate":
        assert board.is_checkmate()
        assert state.outcome == (-1 if board.turn else 1)
    else:
        assert state.end_reason is not None
        assert DRAWS[state.end_reason](board), state.text
        assert state.outcome == 0
        assert not board.is_checkmate()


def assert_same_san(state: rz.State, board: chess.Board) -> None:
    """Asserts that both write the same SAN for each legal move, and read it back."""
    for action in state.legal:
        move = chess.Move.from_uci(state.say(action))
        san = board.san(move)
        assert state.say(action, san=True) == san, state.text
        assert state.read(san) == action
        assert state.read(san.rstrip("+#")) == action
        assert board.parse_san(state.say(action, san=True)) == move


@pytest.mark.parametrize("seed", range(25))
def test_random_games_agree_with_python_chess(seed: int) -> None:
    """Position, moves and end agree after every ply, and SAN after every tenth ply."""
    board = chess.Board()
    for ply, state in enumerate(follow(rz.load("chess").start(), board, seed, 400)):
        assert_same(state, board)
        if ply % 10 == seed % 10 and not state.is_over:
            assert_same_san(state, board)


def test_endings_agree_with_python_chess() -> None:
    """With few men, games end quickly and in every way."""
    reasons = set()
    for text in BARE_BOARDS:
        for seed in range(20):
            board = chess.Board(text)
            for state in follow(rz.load("chess").parse(text), board, seed, 300):
                assert_same(state, board)
            reasons.add(state.end_reason)
    assert reasons >= {"checkmate", *DRAWS}


@pytest.mark.parametrize("seed", range(25))
def test_random_960_games_agree_with_python_chess(seed: int) -> None:
    """Chess960 is random_chess with a given back rank; both write castling as king takes rook."""
    board = chess.Board.from_chess960_pos(random.Random(seed).randrange(960))
    rank = board.fen().split(" ")[0].split("/")[-1]
    start = rz.load("random_chess").start(back_rank=rank)
    assert start.text == board.fen()
    for ply, state in enumerate(follow(start, board, seed, 250)):
        assert_same(state, board)
        assert state.text.split(" ")[2] == (board.castling_xfen() or "-")
        if ply % 10 == seed % 10 and not state.is_over:
            assert_same_san(state, board)


def test_960_castling_shapes_agree_with_python_chess() -> None:
    """Random Chess960 positions with kings and rooks at home and few other men."""
    dice = random.Random(7)
    game = rz.load("random_chess")
    castled = 0
    for _ in range(600):
        left, king, right = sorted(dice.sample(range(8), 3))
        board = chess.Board(None, chess960=True)
        for color, rank in ((chess.WHITE, 0), (chess.BLACK, 7)):
            board.set_piece_at(chess.square(king, rank), chess.Piece(chess.KING, color))
            for file in (left, right):
                board.set_piece_at(chess.square(file, rank), chess.Piece(chess.ROOK, color))
                board.castling_rights |= chess.BB_SQUARES[chess.square(file, rank)]
        for square in dice.sample(range(64), 8):
            if board.piece_at(square) is None:
                kind = dice.choice([chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.QUEEN])
                board.set_piece_at(square, chess.Piece(kind, dice.random() < 0.5))
        board.turn = dice.random() < 0.5
        if not board.is_valid():
            continue
        state = game.parse(board.fen(shredder=True))
        assert_same(state, board)
        assert_same_san(state, board)
        castled += sum("O-O" in state.say(action, san=True) for action in state.legal)
    assert castled > 100


def test_shredder_and_x_fen_read_alike() -> None:
    """Shredder-FEN's file letters and X-FEN's KQkq name the same castling rights."""
    game = rz.load("random_chess")
    board = "r1r1k2r/8/8/8/8/8/8/R1R1K2R"
    assert game.parse(f"{board} w KQkq - 0 1").text == game.parse(f"{board} w HAha - 0 1").text
    inner = game.parse(f"{board} w HChc - 0 1")
    assert inner.text == f"{board} w KCkc - 0 1"


def test_a_right_is_written_by_file_only_while_a_rook_stands_outside_it() -> None:
    """The letter of a right changes when the outer rook leaves; the right itself stays."""
    state = rz.load("random_chess").parse("4k3/8/8/8/8/8/8/R1R1K2R w HC - 0 1")
    assert state.text.split(" ")[2] == "KC"
    state = state.apply(state.read("a1a5"))
    assert state.text.split(" ")[2] == "KQ"
    assert "e1c1" in map(state.apply(state.read("e8d7")).say, state.apply(state.read("e8d7")).legal)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "one king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "one king"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "cannot stand on h8"),
        ("k7/8/8/8/8/8/8/K6p w - - 0 1", "cannot stand on h1"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "in check"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "w or b"),
        ("k7/8/8/8/8/8/8/K7 w KQ - 0 1", "king and rook in place"),
        ("4k3/8/8/8/8/8/8/R3K2R w KK - 0 1", "twice"),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "not a castling right"),
        ("k7/8/8/8/8/8/8/K7 w - e9 0 1", "en-passant"),
        ("k7/8/8/8/8/8/8/K7 w - - -1 1", "fifth field"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 x", "sixth field"),
        ("k7/8/8/8/8/8/8/K7 w", "FEN"),
        ("k7/8/8/8/8/8/8 w - - 0 1", "8 rows"),
        ("k7/8/8/8/8/8/8/K8 w - - 0 1", "9 squares"),
        ("k7/8/8/8/8/8/8/K6Z w - - 0 1", "no piece"),
    ],
)
def test_a_wrong_fen_says_what_is_wrong(text: str, words: str) -> None:
    """A wrong FEN raises a PositionError that names the fault."""
    with pytest.raises(rz.PositionError, match=words):
        rz.load("chess").parse(text)


def test_missing_counters_are_read_as_a_fresh_start() -> None:
    """Without counters, a FEN of four fields is read with the counters 0 and 1."""
    assert rz.load("chess").parse("k7/8/8/8/8/8/8/K6R w - -").text.endswith(" 0 1")


def test_an_en_passant_square_nobody_can_use_is_dropped() -> None:
    """The square is kept only if a pawn can legally capture there without exposing its king."""
    game = rz.load("chess")
    assert game.parse("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").text.split(" ")[3] == "d6"
    assert game.parse("4k3/8/8/3p4/4P3/8/8/4K3 w - d6 0 1").text.split(" ")[3] == "-"
    assert game.parse("4k3/8/8/r2pP2K/8/8/8/8 w - d6 0 1").text.split(" ")[3] == "-"


def test_mate_comes_before_the_fifty_moves() -> None:
    """A halfmove clock of 100 is a draw, unless the side to move is mated or stalemated."""
    game = rz.load("chess")
    assert game.parse("k7/2Q5/1K6/8/8/8/8/8 b - - 100 80").end_reason == "stalemate"
    mated = game.parse("R5k1/5ppp/8/8/8/8/8/K7 b - - 100 80")
    assert (mated.end_reason, mated.outcome) == ("checkmate", 1)
    assert game.parse("6k1/5ppp/8/8/8/8/8/K6R b - - 100 80").end_reason == "fifty moves"


def test_the_third_time_counts_the_present_one() -> None:
    """After moving out and back twice, the start position occurs for the third time."""
    state = rz.load("chess").start()
    for ply, move in enumerate(["g1f3", "g8f6", "f3g1", "f6g8"] * 2):
        assert not state.is_over, ply
        state = state.apply(state.read(move))
    assert (state.end_reason, state.times) == ("repetition", 3)
    assert not rz.load("chess").parse(state.text).is_over, "a parsed text begins a new history"


def test_perft_sees_the_history_of_its_state() -> None:
    """A move to a third occurrence ends the game, so perft counts no paths after it."""
    state = rz.load("chess").start()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]:
        state = state.apply(state.read(move))
    fresh = rz.load("chess").parse(state.text)
    lost = rz.perft(fresh.apply(fresh.read("f6g8")), 1)
    assert rz.perft(fresh, 2) - rz.perft(state, 2) == lost == 20


@pytest.mark.parametrize(
    ("men", "reason"),
    [
        ("4k3/8/8/8/8/8/8/4K3", "material"),
        ("4k3/8/8/8/8/8/8/4KB2", "material"),
        ("4kn2/8/8/8/8/8/8/4K3", "material"),
        ("4kn2/8/8/8/8/8/8/4KN2", None),
        ("4kb2/8/8/8/8/8/8/2B1K3", None),
        ("4k3/8/8/8/8/8/8/4KNN1", None),
        ("4k3/8/8/8/8/8/P7/4K3", None),
    ],
)
def test_material_draws_are_exactly_three(men: str, reason: str | None) -> None:
    """K v K, K+B v K and K+N v K are draws; other material is not."""
    for side in "wb":
        assert rz.load("chess").parse(f"{men} {side} - - 0 1").end_reason == reason


def test_the_key_tells_rights_and_en_passant_apart() -> None:
    """The key depends on mover, castling rights and en-passant square, not on the counters."""
    game = rz.load("random_chess")
    board = "r1r1k2r/8/8/8/8/8/8/R1R1K2R"
    keys = [
        game.parse(f"{board} {side} {rights} - 0 1").key
        for side in "wb"
        for rights in ["-", "K", "Q", "C", "k", "q", "c", "KQkq", "KCkq"]
    ]
    assert len(set(keys)) == len(keys)
    taken = "4k3/8/8/3pP3/8/8/8/4K3 w - {} 0 1"
    assert game.parse(taken.format("d6")).key != game.parse(taken.format("-")).key
    counted = "4k3/8/8/8/8/8/8/R3K3 w - - {} {}"
    assert game.parse(counted.format(0, 1)).key == game.parse(counted.format(30, 40)).key


def test_counters_stop_where_texts_end() -> None:
    """Counters stop at 9999, so that parse can read every text that play writes."""
    game = rz.load("chess:draws=none")
    state = game.parse("4k3/8/8/8/8/8/8/R3K3 b - - 9999 9999")
    state = state.apply(state.read("e8e7"))
    assert state.text.endswith(" 9999 9999")
    assert game.parse(state.text).text == state.text


@pytest.mark.parametrize("rights", ["K", "Q", "k", "q", "H", "A", "h", "a", "D"])
def test_a_right_without_king_and_rook_in_place_is_an_error(rights: str) -> None:
    """A castling right without its king and rook is refused, in X-FEN and in Shredder-FEN."""
    with pytest.raises(rz.PositionError, match="king and rook in place"):
        rz.load("random_chess").parse(f"8/4k3/8/8/8/8/4K3/R6R w {rights} - 0 1")


def test_without_draws_nothing_but_mate_and_stalemate_ends_a_game() -> None:
    """draws=none turns off all other draws, as published perft suites need it."""
    game = rz.load("chess:draws=none")
    assert not game.parse("8/8/4k3/8/8/3K4/8/8 w - - 100 1").is_over
    assert game.parse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").end_reason == "stalemate"


def test_events_name_what_a_move_did() -> None:
    """The events are capture, promotion, castling, en passant and check."""
    game = rz.load("chess")

    def events(text: str, move: str) -> set[str]:
        state = game.parse(text)
        return {name for name, value in state.apply(state.read(move)).events.items() if value}

    assert events("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6") == {"capture", "en_passant"}
    assert events("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q") == {"capture", "promotion", "check"}
    assert events("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1") == {"castling"}
    assert events("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1") == {"castling", "check"}
    assert events("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h5") == set()


def test_san_needs_no_more_than_tells_moves_apart_but_reads_more() -> None:
    """SAN with needless squares is read; ambiguous SAN raises MoveError."""
    state = rz.load("chess").parse("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    assert state.say(state.read("a1d1"), san=True) == "Rad1"
    assert state.read("Ra1d1") == state.read("Rad1") == state.read("a1d1")
    with pytest.raises(rz.MoveError, match="ambiguous"):
        state.read("Rd1")
    with pytest.raises(rz.MoveError, match="not a legal move"):
        state.read("Rd2+")
