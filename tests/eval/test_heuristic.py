"""The heuristics of the games: signs, ranges, symmetries, and every term by itself."""

import math
from pathlib import Path

import pytest

import rulezero as rz
from rulezero._core import Pattern, Piece, heuristic, load_game, monster_terms
from support import samples

SUREST = 0.95
SUREST_LEAD = 0.98  # in games whose heuristic counts material


def has_heuristic(text: str) -> bool:
    try:
        heuristic(samples.game(text).start())
    except rz.GameError:
        return False
    return True


JUDGED = [text for text in samples.GAMES if has_heuristic(text)]


def judge(game: str, text: str) -> float:
    return heuristic(samples.game(game).parse(text))


def centipawns(game: str, text: str) -> float:
    """The lead in centipawns that gives the position's value."""
    value = judge(game, text)
    assert abs(value) < 0.94, "too near to the edge to be read back"
    return 1200 * math.atanh(value)


def units(game: str, text: str) -> float:
    """The sum of terms whose tanh is the position's value."""
    value = judge(game, text)
    assert abs(value) < 0.94, "too near to the edge to be read back"
    return math.atanh(value)


@pytest.mark.sanitize
@pytest.mark.parametrize("name", JUDGED)
def test_a_guess_is_never_a_proof(name: str) -> None:
    """In random play, |value| is at most 0.95, or 0.98 where the heuristic counts material, also
    with a pending die. A finished game raises PositionError."""
    counts = name.partition(":")[0] in ("chess", "random_chess", "exchange")
    surest = SUREST_LEAD if counts else SUREST
    for state in samples.states(name):
        if state.is_over:
            with pytest.raises(rz.PositionError, match="the game is over"):
                heuristic(state)
        else:
            assert abs(heuristic(state)) <= surest + 1e-6


@pytest.mark.parametrize("name", JUDGED)
def test_only_the_position_counts(name: str) -> None:
    """A parsed position has the same value as in play, whatever its history."""
    for state in samples.states(name)[::7]:
        if not state.is_over:
            assert heuristic(state) == heuristic(state.game.parse(state.text))


def test_a_python_game_has_no_heuristic() -> None:
    """`heuristic` raises GameError for a game in Python."""
    with pytest.raises(rz.GameError, match="tictactoe has no heuristic"):
        heuristic(samples.game("tictactoe").start())


# --- symmetries -----------------------------------------------------------------------------------


def rows_of(text: str) -> list[list[str]]:
    """The squares of the board in a text without braces, from the top rank."""
    board = text.split(" ")[0]
    for digit in "12345678":
        board = board.replace(digit, "." * int(digit))
    return [list(row) for row in board.split("/")]


def field(rows: list[list[str]]) -> str:
    board = "/".join("".join(row) for row in rows)
    for digit in range(8, 0, -1):
        board = board.replace("." * digit, str(digit))
    return board


def turned(name: str) -> str:
    """The name of a square on the upside-down board."""
    return name.translate(str.maketrans("12345678", "87654321"))


def swapped(game: str, text: str) -> str:
    """The text of the position with colours swapped and the board upside down."""
    board = field(rows_of(text)[::-1]).swapcase()
    side = "b" if text.split(" ")[1] == "w" else "w"
    if game == "razzle":
        _, _, landing, chain, turn = text.split(" ")
        return f"{board} {side} {turned(landing)} {chain} {turn}"
    if game == "exchange":
        _, _, decree, quiet, ply, details = text.split(" ")
        parts = [] if details == "-" else details.split(",")
        parts = sorted((turned(p[:2]) + p[2:] for p in parts), key=lambda p: (p[1], p[0]))
        decree = "/".join(reversed(decree.split("/")))
        return f"{board} {side} {decree} {quiet} {ply} {','.join(parts) or '-'}"
    return f"{board} {side} - - 0 1"


@pytest.mark.parametrize("name", ["chess", "random_chess", "exchange", "razzle"])
def test_colours_swapped_is_the_negative(name: str) -> None:
    """Swapping the colours changes only the sign of the value."""
    game = samples.game(name)
    seen = 0
    for state in samples.states(name):
        if not state.is_over and state.mover != rz.CHANCE:
            there = game.parse(swapped(name, state.text))
            if not there.is_over:
                assert heuristic(there) == pytest.approx(-heuristic(state), abs=1e-6), state.text
                seen += heuristic(state) != 0
    assert seen > 50


@pytest.mark.parametrize("name", ["connect4", "razzle", "monster"])
def test_left_and_right_are_alike(name: str) -> None:
    """The mirrored position has the same value."""
    game = samples.game(name)
    files = "abcdefgh" if name == "monster" else "abcdefg"
    for state in samples.states(name):
        if state.is_over:
            continue
        board, *rest = state.text.split(" ")
        mirrored = field([row[::-1] for row in rows_of(board)])
        if name == "razzle":
            rest[1] = rest[1].translate(str.maketrans(files, files[::-1]))
        if name == "monster":
            rest[1:3] = ["-", "-"]
        there = game.parse(" ".join([mirrored, *rest]))
        assert heuristic(there) == pytest.approx(heuristic(state), abs=1e-6), state.text


# --- chess and random_chess -----------------------------------------------------------------------

PRICES = {"P": 100, "N": 320, "B": 330, "R": 500, "Q": 900}


@pytest.mark.parametrize("game", ["chess", "random_chess", "random_chess:pieces=standard+custom"])
@pytest.mark.parametrize("man", PRICES)
def test_a_man_more_is_better_for_its_owner(game: str, man: str) -> None:
    """The value is 2 / (1 + exp(-lead / 600)) - 1 with the prices in PRICES, for either mover."""
    value = 2 / (1 + math.exp(-PRICES[man] / 600)) - 1
    for side in "wb":
        text = f"7k/7p/8/8/8/{man}7/7P/7K {side} - - 0 1"
        assert judge(game, text) == pytest.approx(value, abs=1e-6)
        text = f"7k/7p/{man.lower()}7/8/8/8/7P/7K {side} - - 0 1"
        assert judge(game, text) == pytest.approx(-value, abs=1e-6)


def test_material_adds_up() -> None:
    """Queen and knight for two rooks and a pawn are a lead of 120 centipawns; kings count 0."""
    lead = centipawns("chess", "k7/7p/8/rr6/8/QN6/8/7K w - - 0 1")
    assert lead == pytest.approx(900 + 320 - 1000 - 100, abs=0.01)


@pytest.mark.parametrize(
    ("man", "price"),
    [("O", 400), ("A", 700), ("S", 350), ("{w+}", 700), ("C", 800), ("Z", 250), ("{wNN}", 500),
     ("G", 200), ("X", 450)],
)  # fmt: skip
def test_a_custom_man_is_worth_its_value(man: str, price: int) -> None:
    """A custom piece counts 100 times the value in its piece file."""
    text = f"k7/7p/8/8/8/8/1{man}5P/7K w - - 0 1"
    game = "random_chess:pieces=standard+custom"
    assert centipawns(game, text) == pytest.approx(price, abs=0.01)


def test_a_letter_that_moves_otherwise_is_worth_its_value(tmp_path: Path) -> None:
    """A custom piece with a standard letter but other moves counts its file's value."""
    path = tmp_path / "set.yaml"
    path.write_text("""
king: {name: King, symbol: K, value: 0, royal: true, moves: [{type: leap, vectors: [[0, 1]]}]}
queen: {name: Queen, symbol: Q, value: 1.25, moves: [{type: leap, vectors: [[2, 2]]}]}
rook: {name: Rook, symbol: R, value: 3, moves: [
  {type: slide, directions: [[0, 1], [1, 0], [0, -1], [-1, 0]]}]}
""")
    game = rz.load("random_chess", pieces=str(path))
    queen = heuristic(game.parse("k7/8/8/8/8/8/Q7/7K w - - 0 1"))
    assert 1200 * math.atanh(queen) == pytest.approx(125, abs=0.01)
    rook = heuristic(game.parse("k7/8/8/8/8/8/1R6/7K w - - 0 1"))
    assert 1200 * math.atanh(rook) == pytest.approx(500, abs=0.01)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1000.5, 1e300])
def test_a_value_no_board_has_a_use_for(value: float) -> None:
    """The core refuses values that are not finite or above 1000 pawns."""
    step = Pattern(kind="leap", vectors=[[0, 1]])
    king = Piece(name="King", symbol="K", value=0, royal=True, patterns=[step])
    other = Piece(name="Other", symbol="O", value=value, patterns=[step])
    with pytest.raises(rz.GameError, match="a value of at most 1000 pawns"):
        load_game("random_chess", {}, [king, other])


# --- Monster --------------------------------------------------------------------------------------


def test_monster_begins_a_little_worse_for_white() -> None:
    """The start is worth about -0.13, as in the original Monster Chess program."""
    assert heuristic(rz.load("monster").start()) == pytest.approx(-0.13, abs=0.003)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("8/8/8/8/2k5/8/2K5/8 w - - 0 1", SUREST, id="king by a step between"),
        pytest.param("8/8/8/8/2k5/2K5/8/8 w - - 0 1 +", SUREST, id="king at once"),
        pytest.param("8/8/4k3/8/3P4/8/8/K7 w - - 0 1", SUREST, id="pawn after a step"),
        pytest.param("8/8/8/8/4k3/8/3P4/K7 w - - 0 1", SUREST, id="pawn after one of two steps"),
        pytest.param("8/8/8/4k3/8/8/3P4/K7 w - - 0 1", SUREST, id="pawn after a double step"),
        pytest.param("8/8/3k4/4n3/3P4/8/8/K7 w - - 0 1", None, id="pawn takes the wrong way"),
        pytest.param("8/8/3k4/2n5/3P4/8/8/K7 w - - 0 1", None, id="pawn takes, the king is ahead"),
        pytest.param("8/8/1k6/2n5/3P4/8/8/K7 w - - 0 1", None, id="pawn takes beside the king"),
        pytest.param("8/8/1k6/8/2n5/3P4/8/K7 w - - 0 1", None, id="pawn takes too far below"),
        pytest.param("8/8/4k3/8/3P4/8/8/K7 w - - 0 1 +", None, id="pawn with one half left"),
        pytest.param("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1", -SUREST, id="rook takes the king"),
        pytest.param("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", None, id="rook must wait"),
    ],
)
def test_a_king_that_can_be_taken_decides(text: str, value: float | None) -> None:
    """A capture of the king is seen for either side; for White also by both halves of a turn."""
    if value is None:
        assert abs(judge("monster", text)) < SUREST
    else:
        assert judge("monster", text) == pytest.approx(value)
        state = samples.game("monster").parse(text)
        halves = 1 if state.mover == 1 or text.endswith("+") else 2
        assert can_win(state, halves)


def can_win(state: rz.State, plies: int) -> bool:
    """Whether the mover can end the game within this many of its own consecutive plies."""
    if plies == 0:
        return False
    for action in state.legal:
        after = state.apply(action)
        if after.is_over or (after.mover == state.mover and can_win(after, plies - 1)):
            return True
    return False


@pytest.mark.parametrize(
    ("board", "terms"),
    [
        # White's pawns: 0.18 each, 0.05 per rank beyond the second, -0.1 per lost pawn.
        (
            "7k/8/8/8/8/2P5/8/K7",
            {"white pawns": 0.18, "pawn steps": 0.05, "eliminated pawns": -0.3},
        ),
        # Passed pawns: 0.02, doubled per rank beyond the third, times 1.5 with the king near.
        ("7k/8/8/3P4/8/8/8/K7", {"passed pawns": 0.08}),
        ("7k/8/8/3P4/3K4/8/8/8", {"passed pawns": 0.12}),
        ("7k/4p3/8/3P4/3K4/8/8/8", {"passed pawns": 0}),
        # Blocked pawns: by a man ahead, or by an attack on the undefended square ahead.
        ("7k/8/8/3n4/3P4/8/8/K7", {"blocked pawns": -0.08, "black minor men": -0.03}),
        ("3r3k/8/8/8/3P4/8/8/K7", {"blocked pawns": -0.08, "black heavy men": -0.08}),
        ("3r3k/8/8/3K4/3P4/8/8/8", {"blocked pawns": -0.08}),
        ("3r3k/8/4K3/8/3P4/8/8/8", {"blocked pawns": 0}),
        ("7k/8/8/8/8/8/8/KQR5", {"white officers": 0.5}),
        ("7k/q6q/8/8/8/8/8/K7", {"extra queens": -0.35, "black heavy men": -0.16}),
        ("7k/8/8/8/1p6/8/8/K7", {"black pawn steps": -0.09}),
        # Kings four and two squares apart.
        ("8/8/8/8/k7/8/8/K7", {"kings near": 0.05}),
        ("8/8/8/8/8/2k5/8/K7", {"kings near": 0.15}),
        # An undefended man near the king; a defended one.
        ("7k/8/8/8/8/2n5/8/K7", {"free captures": 0.03}),
        ("7k/8/8/3p4/2n5/8/8/K7", {"free captures": 0}),
        # A king in the corner: a quarter of 0.06 and of 3 * 0.1 if Black has no heavy men.
        ("7k/8/8/8/8/8/8/K7", {"displacement": -0.015, "edge": -0.075}),
        ("7k/7r/8/8/8/8/8/K7", {"displacement": -0.03, "edge": -0.15}),
        ("7k/8/8/8/3K4/8/8/8", {"displacement": 0, "edge": 0}),
        # A rook on the second rank attacks two neighbours of a1, at half the weight.
        ("7k/8/8/8/8/8/7r/K7", {"adjacent squares attacked": -0.06, "heavy men on king lines": 0}),
        ("7k/8/8/8/8/8/8/K6r", {"heavy men on king lines": -0.08}),
        # From a1 two halves reach nine squares; a rook on the third rank attacks three of them.
        ("7k/8/8/8/8/8/8/K7", {"king mobility": 0}),
        ("7k/8/8/8/8/7r/8/K7", {"king mobility": -0.14}),
        # Two rooks on adjacent ranks and adjacent files (0.12 each); twice not on adjacent lines.
        ("7k/8/8/6r1/7r/8/8/K7", {"barriers": -0.24}),
        ("7k/8/8/1r6/8/6r1/8/K7", {"barriers": 0}),
        ("7k/8/r7/8/7r/8/8/K7", {"barriers": 0}),
    ],
)
def test_terms_of_monster(board: str, terms: dict[str, float]) -> None:
    """Each term has the value computed by hand from its weight."""
    found = monster_terms(samples.game("monster").parse(f"{board} b - - 0 1"))
    assert {name: found[name] for name in terms} == pytest.approx(terms, abs=1e-6)


def test_the_value_of_monster_is_the_sum_of_its_terms() -> None:
    """The value is the sum of the terms, unless it is clamped to 0.95."""
    states = [s for s in samples.states("monster") if not s.is_over]
    fair = [s for s in states if abs(heuristic(s)) < SUREST - 1e-3]
    assert len(fair) > 100
    for state in fair:
        assert sum(monster_terms(state).values()) == pytest.approx(heuristic(state), abs=1e-5)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        pytest.param(
            "rnbqkbnr/pppppppp/8/8/8/8/8/4K3 b kq - 0 1", -0.95, -0.95, id="no pawns left"
        ),
        pytest.param(
            "k6r/6r1/5q2/8/8/8/P7/K7 w - - 0 1", -0.95, -0.95, id="Q and 2R against K and P"
        ),
        pytest.param("8/r6k/1r6/8/8/8/PP6/1K6 w - - 0 1", -0.95, -0.4, id="confined, with pawns"),
    ],
)
def test_figures_that_monster_is_known_for(text: str, low: float, high: float) -> None:
    """White is lost without pawns, and with one pawn against heavy men."""
    assert low - 1e-6 <= judge("monster", text) <= high + 1e-6


# --- EXCHANGE -------------------------------------------------------------------------------------

KINGS = "4k3/p7/8/8/8/8/P7/4K3"


def exchange(board: str, side: str = "w", decree: str = "0/0", details: str = "-") -> float:
    return centipawns("exchange", f"{board} {side} {decree} 0 0 {details}")


def test_an_even_exchange_is_worth_nothing() -> None:
    """With equal men and nothing in reach, the value is 0 for either mover."""
    assert exchange(KINGS) == 0
    assert exchange(KINGS, "b") == 0


@pytest.mark.parametrize(
    ("board", "lead"),
    [
        # A man: its price, 6 per charge, 4 if ready, and 4 per king step nearer than seven.
        # A ready queen can Overextend to the king: 30, and half the mean gain of 108.
        pytest.param("4k3/p7/8/8/8/8/P7/3QK3", 480 + 4 + 30 + 54, id="queen"),
        pytest.param("4k3/p7/8/8/8/8/P7/3RK3", 360 + 30 + 4, id="rook"),
        pytest.param("4k3/p7/8/8/8/8/P7/3BK3", 320 + 18 + 4, id="bishop"),
        pytest.param("4k3/p7/8/8/8/8/P7/3NK3", 420 + 30 + 4, id="knight"),
        pytest.param("4k3/p7/8/8/8/8/P6P/4K3", 100, id="pawn"),
        pytest.param("4k3/p7/8/8/8/3N4/P7/4K3", 420 + 30 + 4 + 8, id="knight two steps nearer"),
        pytest.param("4k3/p7/8/8/8/P7/8/4K3", 4, id="pawn on its third rank"),
        pytest.param("4k3/p7/P7/8/8/8/8/4K3", 60, id="pawn on its sixth"),
    ],
)
def test_a_man_more_in_exchange(board: str, lead: float) -> None:
    """A man counts its price, its ability and its distance from the enemy king."""
    assert exchange(board) == pytest.approx(lead, abs=0.02)


@pytest.mark.parametrize(
    ("details", "lead"),
    [
        pytest.param("a2=3", -37, id="pawn with 3 of 7 HP"),  # 100 * 0.65 * 4 / 7
        pytest.param("a7=3", 37, id="black pawn with 3 of 7 HP"),
        pytest.param("e1=15", -240, id="king with 15 of 25 HP"),  # 1500 * (1 - 0.6 * 1.4)
        pytest.param("e1=5", -960, id="king with 5"),  # 1500 * (1 - 0.2 * 1.8)
        pytest.param("e8=25:u1", 50, id="black king without two of his Decrees"),
    ],
)
def test_hit_points_and_charges(details: str, lead: float) -> None:
    """A hurt man keeps at least 0.35 of its price; a king's last HP are worth the most."""
    assert exchange(KINGS, details=details) == pytest.approx(lead, abs=0.02)


def test_decree() -> None:
    """An active Decree is worth 10 per action, even with no man in reach."""
    assert exchange(KINGS, decree="2/0") == pytest.approx(20, abs=0.02)
    assert exchange(KINGS, decree="0/1") == pytest.approx(-10, abs=0.02)


def test_the_mover_counts_more_on_his_strike() -> None:
    """A possible strike counts half its mean gain for the mover, a quarter for the other side.

    A rook's strike takes 2 plus a die from a pawn's 7 HP. 4, 3, 2, 1, 0 or 0 HP are left, worth 72,
    63, 54, 44, 0 or 0 of 100: a mean gain of 61. Under a Decree, 2, 1, 0, 0, 0 or 0 HP are left,
    a mean gain of 83.
    """
    board = "4k3/8/8/1p6/1R6/8/P7/4K3"  # the pawn cannot strike back: it strikes diagonally
    men = 360 + 30 + 4 + 4 * 3 - 12  # the rook three steps nearer, the pawn on its fourth rank
    assert exchange(board) == pytest.approx(men + 61 / 2, abs=0.02)
    assert exchange(board, "b") == pytest.approx(men + 61 / 4, abs=0.02)
    assert exchange(board, decree="1/0") == pytest.approx(men + 10 + 83 / 2, abs=0.02)


def test_a_rook_that_shares_the_hit_softens_the_threat() -> None:
    """A threat counts 0.7 of its gain if an enemy rook is ready to interpose."""
    board = "4k3/8/1r6/1p6/1R6/8/P7/4K3"
    # A rook that is not ready counts 4 less. The pawn keeps the rooks from striking each other.
    gap = exchange(board, details="b6=13:c2") - exchange(board)
    assert gap == pytest.approx(4 + 0.3 * 61 / 2, abs=0.02)


def test_an_exposed_king() -> None:
    """Every enemy man that can strike the king counts 30, in addition to its threat."""
    one = "4k3/4p3/4R3/8/8/8/P7/4K3"  # the pawn shields the king
    two = "4k3/p7/4R3/8/8/8/P7/4K3"
    # A king in reach: 30, and half the mean gain on its 25 HP instead of the gain on the pawn.
    loss = sum(1500 - int(1500 * s * (2 - s) + 0.5) for s in ((23 - r) / 25 for r in range(1, 7)))
    assert exchange(two) - exchange(one) == pytest.approx(30 + (loss // 6) / 2 - 61 / 2, abs=0.02)


# --- Razzle ---------------------------------------------------------------------------------------


def razzle(board: str, side: str = "w", landing: str = "-", chain: str = "-") -> float:
    return units("razzle", f"{board} {side} {landing} {chain} 0")


def test_razzle_begins_even() -> None:
    """The start has the value 0: being to move counts nothing by itself."""
    assert heuristic(rz.load("razzle").start()) == 0


@pytest.mark.parametrize(
    ("worse", "better", "lead"),
    [
        # The men b1-f1 stand in a row: c1 and e1 can receive a pass, b1 and f1 by a chain.
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1", "1nnbnn1/7/7/7/7/7/7/1NBNNN1", 0,
                     id="the ball along the rank"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1TNBNN1", "1nnbnn1/7/7/7/7/7/7/1NNBNN1", 0.025,
                     id="a man no longer barred"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBTN1", "1nnbnn1/7/7/7/7/7/7/1NNBNN1", 0.025 + 0.015,
                     id="a receiver no longer barred"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1", "1nnbnn1/7/7/7/7/7/6N/1NNBN2", 0.012,
                     id="a man a rank ahead, out of line"),
        # d4 is in line, three ranks ahead: 0.036 as a man, 0.09 for the chain, 0.06 for the pass,
        # and 0.015 as a direct receiver, which f1 was not.
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1", "1nnbnn1/7/7/7/3N3/7/7/1NNBN2",
                     0.036 + 0.09 + 0.06 + 0.015, id="a pass forward"),
        # The ball is three ranks further: plus 0.15, minus the chain, the pass and the receiver.
        pytest.param("1nnbnn1/7/7/7/3N3/7/7/1NTBN2", "1nnbnn1/7/7/7/3B3/7/7/1NTNN2",
                     0.15 - 0.09 - 0.06 - 0.015, id="the ball carried forward"),
    ],
)  # fmt: skip
def test_what_a_seat_likes_in_razzle(worse: str, better: str, lead: float) -> None:
    """Each term by itself, in units of the sum before tanh."""
    assert razzle(better) - razzle(worse) == pytest.approx(lead, abs=1e-4)


def test_nobody_to_pass_to() -> None:
    """A side without any receiver loses another 0.04."""
    some = razzle("1nnbnn1/7/7/7/7/7/7/1NTBTN1")
    # c1 and e1 are barred and block the way to b1 and f1, so no man can receive.
    assert some == pytest.approx(-2 * 0.025 - 2 * 0.015 - 0.04, abs=1e-4)


def test_a_forced_pass() -> None:
    """A forced pass costs the mover 0.06; a side that the mover can force to pass loses 0.03."""
    board = "1nnb1n1/7/7/7/7/7/3n3/1NNBNN1"
    assert razzle(board, landing="d2") - razzle(board) == pytest.approx(-0.06, abs=1e-4)
    assert razzle(board, landing="d2", chain="p") == razzle(board, chain="p")
    # Black's man on b4 can jump next to the ball on d1, but the one on a4 cannot.
    near, far = "1tnbt2/7/7/7/1n5/7/7/1NNBNN1", "1tnbt2/7/7/7/n6/7/7/1NNBNN1"
    assert razzle(near, "b") - razzle(far, "b") == pytest.approx(-0.03, abs=1e-4)
    assert razzle(near) == pytest.approx(razzle(far), abs=1e-4)


def test_a_threat_to_win() -> None:
    """A chain to the far rank wins if its side is to move; otherwise it counts 0.7."""
    board = "nnb1N1n/7/7/7/7/3n3/7/2NNBN1"  # e1-e8 is open
    blocked = "nnb1N1n/7/7/7/7/4n2/7/2NNBN1"
    assert judge("razzle", f"{board} w - - 0") == pytest.approx(SUREST)
    assert abs(judge("razzle", f"{blocked} w - - 0")) < SUREST
    # In addition to the threat: a receiver, and a pass and a chain over seven ranks.
    gap = razzle(board, "b", chain="p") - razzle(blocked, "b", chain="p")
    assert gap == pytest.approx(0.7 + 0.015 + 7 * 0.02 + 7 * 0.03, abs=1e-4)


def test_a_winning_chain_is_always_seen() -> None:
    """In random play, the mover's value is 0.95 if and only if passes of this turn win."""
    seen = 0
    for seed in range(30):
        for state in samples.played("razzle", seed)[::3]:
            if not state.is_over:
                wins = passes_win(state)
                value = heuristic(state) * (1 - 2 * state.mover)
                assert (value == pytest.approx(SUREST)) == wins, state.text
                seen += wins
    assert seen > 10


def passes_win(state: rz.State) -> bool:
    """Whether the mover can pass the ball to the goal rank in this turn."""
    for action in state.legal:
        if "-" not in state.say(action):
            continue
        after = state.apply(action)
        if after.end_reason == "ball" or (not after.is_over and passes_win(after)):
            return True
    return False


# --- Connect Four ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "total"),
    [
        pytest.param("7/7/7/7/7/7 x", 0, id="empty"),
        pytest.param("7/7/7/7/7/3X3 o", 0.03, id="a man in the centre"),
        pytest.param("7/7/7/7/7/X5O x", 0, id="two corners"),
        # a1-d1 has two of X and two empty cells; O has no such line
        pytest.param("7/7/7/7/O6/XX4O x", 0.02, id="a two in a corner"),
        # X has b1-d1, and a1 and e1 are both playable: O cannot block both and has lost
        pytest.param("7/7/7/7/1OO4/1XXX3 o", 0.95, id="an open three"),
        # only e1 completes a four: 0.16, 0.12 for its row, 0.06 as it is playable, and its twos
        pytest.param("7/7/7/7/1O5/OXXX3 o", None, id="a three that can be stopped"),
        pytest.param("7/7/7/7/OO5/OXXX3 x", 0.95, id="a three that is played out"),
    ],
)
def test_connect4_by_hand(text: str, total: float | None) -> None:
    """A man in the centre counts 0.03, an open two 0.02, a three at least 0.16; a win is 0.95."""
    if total is None:
        assert 0.3 < judge("connect4", text) < SUREST
    elif total == 0.95:
        assert judge("connect4", text) == pytest.approx(SUREST)
    else:
        assert units("connect4", text) == pytest.approx(total, abs=1e-4)


def wins_by_force(state: rz.State) -> int | None:
    """The seat that can win at once, or whose threats cannot all be blocked; else None."""

    def winners(at: rz.State) -> bool:
        return any(at.apply(action).end_reason == "four" for action in at.legal)

    if winners(state):
        return state.mover
    replies = [state.apply(action) for action in state.legal]
    if all(not reply.is_over and winners(reply) for reply in replies):
        return 1 - state.mover
    return None


def test_connect4_is_only_sure_where_it_is_decided() -> None:
    """The value is 0.95 only if a move wins at once, or every move lets the other side win."""
    seen = 0
    for state in samples.states("connect4", about=1000):
        if not state.is_over and abs(heuristic(state)) > 0.949:
            assert wins_by_force(state) == (0 if heuristic(state) > 0 else 1), state.text
            seen += 1
    assert seen > 50


LINES = [
    [(column + i * right, row + i * up) for i in range(4)]
    for column in range(7)
    for row in range(6)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if 0 <= column + 3 * right < 7 and 0 <= row + 3 * up < 6
]


def reference_connect4(state: rz.State) -> float:
    """The value, computed by a loop over the 69 lines."""
    assert len(LINES) == 69
    rows = rows_of(state.text)[::-1]
    men = {(column, row): rows[row][column] for column in range(7) for row in range(6)}
    playable = {
        (column, row) for (column, row), man in men.items()
        if man == "." and (row == 0 or men[column, row - 1] != ".")
    }  # fmt: skip
    total = 0.0
    wins: list[set[tuple[int, int]]] = []
    for seat, letter in enumerate("XO"):
        open_lines = [
            line for line in LINES if all(men[cell] in (letter, ".") for cell in line)
        ]  # fmt: skip
        full = [sum(men[cell] == letter for cell in line) for line in open_lines]
        cells = {
            cell for line, number in zip(open_lines, full, strict=True) if number == 3
            for cell in line if men[cell] == "."
        }  # fmt: skip
        wins.append(cells)
        good = sum(row % 2 == seat for _, row in cells)
        centre = sum(men[3, row] == letter for row in range(6))
        two = full.count(2)
        worth = 0.16 * len(cells) + 0.12 * good + 0.06 * len(cells & playable)
        total += (1 - 2 * seat) * (worth + 0.02 * two + 0.03 * centre)
    mover, other = state.mover, 1 - state.mover
    if wins[mover] & playable:
        return SUREST * (1 - 2 * mover)
    must = wins[other] & playable
    if len(must) > 1 or any((column, row + 1) in wins[other] for column, row in must):
        return SUREST * (1 - 2 * other)
    return max(-SUREST, min(SUREST, math.tanh(total)))


def test_connect4_against_a_reference() -> None:
    """The bitboard code gives the same values as a loop over all lines."""
    for state in samples.states("connect4", about=600):
        if not state.is_over:
            assert heuristic(state) == pytest.approx(reference_connect4(state), abs=1e-5)
