"""Connect Four: the four directions up to the edges, the full board, texts, planes and counts."""

import random

import numpy as np
import pytest

from rulezero._core import GameError, MoveError, PositionError, State, load_game, perft

CONNECT4 = load_game("connect4", {})
EMPTY = "7/7/7/7/7/7 x"
FULL_BOARD_GAME = "abffacdcadefdgedfgccccdaebgbaefabbbeedfggg"


def play(columns: str) -> State:
    state = CONNECT4.start()
    for column in columns:
        state = state.apply(state.read(column))
    return state


def has_four(men: set[tuple[int, int]]) -> bool:
    """Whether four of these (column, row) squares are adjacent in a line."""
    return any(
        all((column + i * right, row + i * up) in men for i in range(4))
        for column, row in men
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        pytest.param("afdgcfb", 1, id="across a1-d1"),
        pytest.param("gadaedf", 1, id="across d1-g1"),
        pytest.param("cbbggccccacagaaedbddafabdgdfdbggb", 1, id="across a6-d6"),
        pytest.param("fffecdgeddeggdbfgcggeacfafeedd", -1, id="across d6-g6"),
        pytest.param("adabaga", 1, id="up a1-a4"),
        pytest.param("aaagbfaeaea", 1, id="up a3-a6"),
        pytest.param("gdgdgbg", 1, id="up g1-g4"),
        pytest.param("gdggfgdgeg", -1, id="up g3-g6"),
        pytest.param("acbdddbcdbc", 1, id="rising a1-d4"),
        pytest.param("dbdgbbfaacacdfbdcccfabdbd", 1, id="rising a3-d6"),
        pytest.param("fgffegaegdag", -1, id="rising d1-g4"),
        pytest.param("eddecfgfffefgfgdcgceabgg", -1, id="rising d3-g6"),
        pytest.param("acbaadbcfagb", -1, id="falling a4-d1"),
        pytest.param("bddccbaaadceacebbbeegaba", -1, id="falling a6-d3"),
        pytest.param("deffdgdefebd", -1, id="falling d4-g1"),
        pytest.param("efdcdegeaddedgcbdfgfeef", 1, id="falling d6-g3"),
    ],
)
def test_a_line_of_four_wins_at_once(columns: str, outcome: int) -> None:
    assert not play(columns[:-1]).is_over
    state = play(columns)
    assert (state.is_over, state.outcome, state.end_reason) == (True, outcome, "four")
    assert state.legal == []


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param("eafbgca", id="e1 f1 g1 and a2"),
        pytest.param("aaaaadaebgb", id="a5 a6 and b1 b2"),
    ],
)
def test_lines_do_not_wrap_round_the_edge(columns: str) -> None:
    assert not play(columns).is_over


def test_games_end_exactly_when_there_are_four_or_no_room() -> None:
    chooser = random.Random(4)
    for _ in range(200):
        state = CONNECT4.start()
        men: list[set[tuple[int, int]]] = [set(), set()]
        for ply in range(42):
            mover = state.mover
            assert mover == ply % 2
            column = chooser.choice(state.legal)
            men[mover].add((column, sum(column == c for c, _ in men[0] | men[1])))
            state = state.apply(column)
            assert state.is_over == (has_four(men[mover]) or ply == 41)
            if state.is_over:
                won = has_four(men[mover])
                assert state.outcome == ((1, -1)[mover] if won else 0)
                assert state.end_reason == ("four" if won else "full board")
                break


def test_a_full_board_is_a_draw() -> None:
    assert len(FULL_BOARD_GAME) == CONNECT4.facts.max_plies
    state = play(FULL_BOARD_GAME)
    assert (state.outcome, state.end_reason, state.legal) == (0, "full board", [])
    assert CONNECT4.parse(state.text).end_reason == "full board"


def test_four_on_the_last_square_is_a_win() -> None:
    state = play("dbadgebfdgcbadcegeggcadgacccedebfbaefafffb")
    assert len(state.actions) == CONNECT4.facts.max_plies
    assert (state.outcome, state.end_reason) == (-1, "four")


def test_a_full_column_is_closed() -> None:
    state = play("aaaaaa")
    assert [state.say(action) for action in state.legal] == list("bcdefg")
    with pytest.raises(MoveError, match="not legal here"):
        state.apply(0)
    with pytest.raises(MoveError, match="'a' is not a legal move here"):
        state.read("a")


def test_text_shows_the_board_from_the_top() -> None:
    assert CONNECT4.start().text == EMPTY
    assert play("dde").text == "7/7/7/7/3O3/3XX2 o"
    assert CONNECT4.parse("7/7/7/7/3O3/3XX2 o").text == play("dde").text


def test_a_finished_game_can_be_parsed() -> None:
    state = CONNECT4.parse("7/7/7/7/OOO4/XXXX3 o")
    assert (state.outcome, state.end_reason, state.legal) == (1, "four", [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a board and a side"),
        ("7/7/7/7/7/7", "a board and a side"),
        ("7/7/7/7/7/7  x", "a board and a side"),
        ("7/7/7/7/7 x", "needs 6 rows"),
        ("7/7/7/7/7/7/7 x", "needs 6 rows"),
        ("7/7/7/7/7/6 x", "row 1 of the board has 6 squares"),
        ("8/7/7/7/7/7 x", "row 6 of the board has 8 squares"),
        ("7/7/7/7/7/34 x", "two digits in a row"),
        ("7/7/7/7/7/3Z3 x", "the men are X and O, not 'Z'"),
        ("7/7/7/7/7/3x3 x", "the men are X and O, not 'x'"),
        ("7/7/7/7/7/{X6 x", "open brace"),
        ("7/7/7/7/7/{X}6 x", "the men are X and O, not '{X}'"),
        ("7/7/7/7/7/7 w", "the side to move is x or o"),
        ("7/7/7/7/3X3/7 o", "column d has a man with nothing below"),
        ("7/7/7/7/7/3O3 x", "X begins"),
        ("7/7/7/7/7/2XX3 x", "X begins"),
        ("7/7/7/7/7/7 o", "it is x's turn"),
        ("7/7/7/7/7/3X3 x", "it is o's turn"),
        ("7/7/7/7/XXX4/OOOOXX1 o", "already has four"),
    ],
)
def test_what_is_no_position_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as error:
        CONNECT4.parse(text)
    assert "\n" not in str(error.value)


def test_there_are_no_options() -> None:
    with pytest.raises(GameError, match="has no option 'rows'"):
        load_game("connect4", {"rows": "7"})
    with pytest.raises(GameError, match="has no option 'rank'"):
        CONNECT4.start(rank="1")


def test_planes_are_own_men_enemy_men_and_the_first_seat() -> None:
    assert CONNECT4.facts.planes == (3, 6, 7)
    for columns, seat in (("ddg", 1), ("ddga", 0)):
        state = play(columns)
        men = np.zeros((2, 6, 7), np.float32)  # [seat, row from the bottom, column]
        men[0, 0, 3] = men[0, 0, 6] = men[1, 1, 3] = 1
        men[1, 0, 0] = len(columns) == 4
        assert state.mover == seat
        planes = state.planes()
        assert planes.dtype == np.float32
        np.testing.assert_array_equal(planes[0], men[seat])
        np.testing.assert_array_equal(planes[1], men[1 - seat])
        np.testing.assert_array_equal(planes[2], np.full((6, 7), seat == 0))


def test_slots_are_columns_for_both_seats() -> None:
    for columns in ("", "d"):
        state = play(columns)
        assert [state.slot(action) for action in state.legal] == list(range(7))


def test_cells_show_the_men_from_the_top() -> None:
    cells = play("dg").cells()
    assert [(cell.man, cell.seat) for cell in cells[5]] == [
        *[("", -1)] * 3,
        ("X", 0),
        *[("", -1)] * 2,
        ("O", 1),
    ]
    assert all(cell.man == "" for row in cells[:5] for cell in row)


@pytest.mark.parametrize(
    ("depth", "paths"),
    list(enumerate([1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234])),
)
def test_perft(depth: int, paths: int) -> None:
    assert perft(CONNECT4.start(), depth) == paths
