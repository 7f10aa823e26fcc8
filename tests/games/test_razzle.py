"""Razzle Dazzle, rule by rule: moves, passes, forced passes, ends, texts, planes and events."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rulezero._core import GameError, MoveError, PositionError, State, load_game, perft

RAZZLE = load_game("razzle", {})
START = "1nnbnn1/7/7/7/7/7/7/1NNBNN1 w - - 0"
END_TURN = 3136
FAR_MEN = "ba8 nb8 nc8 nf8 ng8"  # seat 1's men, with d8 and e8 left empty


def square(name: str) -> int:
    return (int(name[1]) - 1) * 7 + "abcdefg".index(name[0])


def words(line: str) -> set[str]:
    return set(line.split())


def text(men: str, rest: str) -> str:
    """The text of a position given as men like "Bd1 Nc1 bd8" and the fields after the board."""
    board = ["."] * 56
    for man in men.split():
        board[square(man[1:])] = man[0]
    rows = ["".join(board[rank * 7 : rank * 7 + 7]) for rank in reversed(range(8))]
    field = "/".join(rows)
    for gap in range(7, 0, -1):
        field = field.replace("." * gap, str(gap))
    return f"{field} {rest}"


def position(men: str, rest: str) -> State:
    return RAZZLE.parse(text(men, rest))


def turned(position_text: str) -> str:
    """The text of the position with the seats swapped and the board turned by 180 degrees."""
    board, side, landing, chain, turn = position_text.split()
    if landing != "-":
        landing = "gfedcba"["abcdefg".index(landing[0])] + str(9 - int(landing[1]))
    return f"{board[::-1].swapcase()} {'b' if side == 'w' else 'w'} {landing} {chain} {turn}"


def moves(state: State) -> set[str]:
    return {state.say(action) for action in state.legal}


def passes(state: State) -> set[str]:
    return {move for move in moves(state) if "-" in move}


def play(state: State, line: str) -> State:
    for move in line.split():
        state = state.apply(state.read(move))
    return state


# The start, squares and counts


def test_the_start() -> None:
    state = RAZZLE.start(seed=5)
    assert state.text == START
    assert state.mover == 0
    assert moves(state) == words(
        "b1a3 b1c3 b1d2 c1a2 c1b3 c1d3 c1e2 e1c2 e1d3 e1f3 e1g2 f1d2 f1e3 f1g3 d1-c1 d1-e1"
    )


def test_facts() -> None:
    facts = RAZZLE.facts
    assert (facts.name, facts.actions, facts.slots) == ("razzle", 3137, 3137)
    assert (facts.planes, facts.board) == ((7, 8, 7), (8, 7))
    assert (facts.max_plies, facts.has_chance) == (1000, False)
    assert RAZZLE.position_bytes <= 32


def test_there_are_no_options() -> None:
    with pytest.raises(GameError, match="has no option 'men'"):
        load_game("razzle", {"men": "4"})
    with pytest.raises(GameError, match="has no option 'men'"):
        RAZZLE.start(men="4")


@pytest.mark.parametrize(("depth", "paths"), [(0, 1), (1, 16), (2, 228), (3, 3646)])
def test_perft(depth: int, paths: int) -> None:
    assert perft(RAZZLE.start(), depth) == paths


def test_actions_are_numbered_by_source_and_target_square() -> None:
    state = position(f"Na1 Ng1 Na7 Ng7 Bd4 {FAR_MEN}", "w - - 0")
    assert square("a1") == 0
    assert square("g8") == 55
    for action in state.legal:
        move = state.say(action)
        assert action == square(move[:2]) * 56 + square(move[-2:])
        assert state.read(move) == action
    assert state.legal == sorted(state.legal)
    assert play(RAZZLE.start(), "d1-e1").legal[-1] == END_TURN


def test_move_text_is_strict() -> None:
    for wrong in ("d1e1", "b1-c3", "end", "b1c4", "", "B1C3"):
        with pytest.raises(MoveError, match="is not a legal move here"):
            RAZZLE.start().read(wrong)


# Knight moves


def test_a_knight_move_ends_the_turn() -> None:
    state = play(RAZZLE.start(), "b1c3")
    assert state.text == "1nnbnn1/7/7/7/7/2N4/7/2NBNN1 b c3 - 1"
    assert state.mover == 1


def test_the_carrier_does_not_move() -> None:
    state = position(f"Bd4 Na1 Nb1 Nf1 Ng1 {FAR_MEN}", "w - - 0")
    assert not any(move.startswith("d4") and "-" not in move for move in moves(state))


def test_knights_jump_but_neither_capture_nor_share_a_square() -> None:
    state = position("Na1 Na2 Nb1 Nb2 Bc2 nb3 nd1 nd2 nd4 bg8", "w - - 0")
    assert {move for move in moves(state) if move.startswith("a1")} == set()
    assert {move for move in moves(state) if move.startswith("b1")} == {"b1a3", "b1c3"}


def test_knights_stay_on_the_board() -> None:
    state = position(f"Ng4 Na5 Nd1 Ng1 Bd4 {FAR_MEN}", "w - - 0")
    leaps = {move for move in moves(state) if "-" not in move}
    assert {move for move in leaps if move[:2] == "g4"} == {"g4e3", "g4e5", "g4f2", "g4f6"}
    assert {move for move in leaps if move[:2] == "a5"} == {"a5b3", "a5b7", "a5c4", "a5c6"}
    assert {move for move in leaps if move[:2] == "g1"} == {"g1e2", "g1f3"}


# Passes and eligibility


@pytest.mark.parametrize(
    ("men", "found"),
    [
        pytest.param("Nd7 Nd1 Na4 Ng4", "d4-d7 d4-d1 d4-a4 d4-g4", id="ranks and files"),
        pytest.param("Na7 Ng7 Na1 Ng1", "d4-a7 d4-g7 d4-a1 d4-g1", id="diagonals"),
        pytest.param("Nd5 Ne4 Nc3 Ne3", "d4-d5 d4-e4 d4-c3 d4-e3", id="neighbours"),
        pytest.param("Ne6 Nf5 Nb3 Nc2", "", id="knight's distances"),
    ],
)
def test_passes_go_any_distance_along_eight_lines(men: str, found: str) -> None:
    assert passes(position(f"Bd4 {men} {FAR_MEN}", "w - - 0")) == words(found)


def test_any_man_blocks_a_pass() -> None:
    # a1-d1 meets the barred c1 first, a1-a5 meets an enemy, a1-f6 meets e5, which receives.
    state = position("Ba1 Tc1 Nd1 Na5 Ne5 na3 nf6 nb8 bc8 ng8", "w - - 0")
    assert passes(state) == {"a1-e5"}
    state = position("Ba1 Nb1 Nd1 Na5 Ne5 na3 nf6 nb8 bc8 nd4", "w - - 0")
    assert passes(state) == {"a1-b1"}


def test_passes_do_not_wrap_round_the_edge() -> None:
    state = position(f"Bg3 Na4 Na5 Na2 Nf1 {FAR_MEN}", "w - - 0")
    assert passes(state) == set()
    state = position(f"Ba5 Ng5 Ng4 Ng3 Nc1 {FAR_MEN}", "w - - 0")
    assert passes(state) == {"a5-g5"}


def test_a_pass_moves_only_the_ball_and_bars_the_passer() -> None:
    state = play(RAZZLE.start(), "d1-e1")
    assert state.text == "1nnbnn1/7/7/7/7/7/7/1NNTBN1 w - p 0"
    assert state.mover == 0


def test_a_barred_man_cannot_receive_until_it_has_moved() -> None:
    state = play(RAZZLE.start(), "d1-e1")
    assert moves(state) == {"e1-f1", "end"}
    state = play(state, "end b8a6")
    assert passes(state) == {"e1-f1"}
    state = play(state, "c1b3 a6b8")
    assert passes(state) == {"e1-f1"}
    state = play(state, "d1e3")
    assert state.text == "1nnbnn1/7/7/7/7/1N2N2/7/1N2BN1 b e3 - 5"
    state = play(state, "b8a6")
    assert passes(state) == {"e1-e3", "e1-f1", "e1-b1"}


def test_receiving_does_not_bar() -> None:
    state = play(RAZZLE.start(), "d1-e1 e1-f1 end")
    assert state.text == "1nnbnn1/7/7/7/7/7/7/1NNTTB1 b - - 1"


def test_a_knight_move_clears_only_the_man_that_moved() -> None:
    state = position("Bd1 Tc1 Te1 Nb1 Nf1 bd8 tc8 te8 nb8 nf8", "w - - 0")
    assert play(state, "c1d3").text == "1ntbtn1/7/7/7/7/3N3/7/1N1BTN1 b d3 - 1"


# Chains


def test_a_chain_offers_passes_and_end_only() -> None:
    state = play(RAZZLE.start(), "d1-c1")
    assert moves(state) == {"c1-b1", "end"}
    assert "end" not in moves(RAZZLE.start())
    with pytest.raises(MoveError):
        RAZZLE.start().apply(END_TURN)


def test_end_hands_the_turn_over() -> None:
    state = play(RAZZLE.start(), "d1-c1 end")
    assert state.text == "1nnbnn1/7/7/7/7/7/7/1NBTNN1 b - - 1"
    assert state.mover == 1
    assert "end" not in moves(state)


def test_the_landing_square_stays_through_a_chain() -> None:
    state = play(RAZZLE.start(), "b1c3 d8-e8")
    assert state.text.split()[1:] == ["b", "c3", "p", "1"]
    state = play(state, "e8-f8")
    assert state.text.split()[1:] == ["b", "c3", "p", "1"]
    assert play(state, "end").text.split()[1:] == ["w", "-", "-", "2"]


def test_a_chain_has_at_most_four_passes() -> None:
    state = position(f"Ba1 Nb1 Nc1 Nd1 Ne1 {FAR_MEN}", "w - - 0")
    state = play(state, "a1-b1 b1-c1 c1-d1 d1-e1")
    assert moves(state) == {"end"}
    assert state.mover == 0
    assert state.text.startswith("bnn2nn/7/7/7/7/7/7/TTTTB2 w")


# Forced passes

AROUND_D4 = ("c3", "d3", "e3", "c4", "e4", "c5", "d5", "e5")


@pytest.mark.parametrize("landing", AROUND_D4)
def test_an_enemy_that_lands_next_to_the_ball_forces_a_pass(landing: str) -> None:
    men = f"Bd4 Nd1 Na4 Nd7 Ng1 n{landing} ba8 nb8 nf8 ng8"
    forced = position(men, f"w {landing} - 10")
    assert moves(forced) == passes(forced) != set()
    free = position(men, "w - - 10")
    assert passes(free) == passes(forced) < moves(free)


def test_the_rule_holds_for_both_seats() -> None:
    state = play(position("Bd1 Nb1 Nc1 Ne3 Nf1 bd7 nb7 nc8 ne8 nf8", "w - - 0"), "e3g4")
    assert moves(state) != passes(state)
    state = play(position("Bd1 Nb1 Nc1 Ne4 Nf1 bd7 nb7 nc8 ne8 nf8", "w - - 0"), "e4d6")
    assert moves(state) == {"d7-b7", "d7-c8", "d7-e8"}


def test_only_the_last_turn_forces() -> None:
    men = "Bd4 Nd1 Na4 Nd7 Ng1 nd5 ba8 nb8 nf8 ng8"
    assert "g1f3" in moves(position(men, "w b8 - 10"))
    assert "g1f3" in moves(position(men, "w - - 10"))


@pytest.mark.parametrize("landing", ["d6", "b4", "f6", "e6", "g8"])
def test_landing_further_away_does_not_force(landing: str) -> None:
    state = position(f"Bd4 Nd1 Na4 Nd7 Ng1 n{landing} ba8 nb8 nc8 ne8", f"w {landing} - 10")
    assert "g1f3" in moves(state)


@pytest.mark.parametrize(("ball", "landing"), [("a4", "g3"), ("a4", "g4"), ("g4", "a5")])
def test_landing_beyond_the_edge_does_not_force(ball: str, landing: str) -> None:
    state = position(f"B{ball} Nd1 Nd4 Nd7 Ne1 n{landing} ba8 nb8 nc8 ne8", f"w {landing} - 10")
    assert passes(state)
    assert "e1f3" in moves(state)


def test_without_a_pass_nothing_is_forced() -> None:
    state = position("Bd4 Nd1 Ta4 Nb3 Ng2 nd3 ba8 nb8 nf8 ng8", "w d3 - 10")
    assert passes(state) == set()
    assert "d1e3" in moves(state)


def test_only_the_first_action_is_forced() -> None:
    state = position("Bd4 Nd1 Na4 Ng4 Ng1 nd5 ba8 nb8 nf8 ng8", "w d5 - 10")
    assert moves(state) == {"d4-d1", "d4-a4", "d4-g4", "d4-g1"}
    state = play(state, "d4-g4")
    assert moves(state) == {"g4-g1", "g4-d1", "end"}
    beside = position("Bd4 Td1 Na4 Ng4 Ng1 nd5 ba8 nb8 nf8 ng8", "w d5 p 10")
    assert moves(beside) == {"d4-a4", "d4-g4", "d4-g1", "end"}


# Ends


def test_the_ball_on_the_far_rank_wins_at_once() -> None:
    state = position("Bd4 Nd8 Na1 Nb1 Ng1 bf4 ng3 na5 na6 na7", "w a7 - 12")
    won = play(state, "d4-d8")
    assert (won.outcome, won.end_reason, won.legal) == (1, "ball", [])
    assert won.text == "3B3/n6/n6/n6/3T1b1/6n/7/NN4N w a7 p 12"
    lost = play(RAZZLE.parse(turned(state.text)), "d5-d1")
    assert (lost.outcome, lost.end_reason, lost.legal) == (-1, "ball", [])
    assert RAZZLE.parse(won.text).end_reason == "ball"


def test_any_pass_of_a_chain_may_win() -> None:
    state = position("Bd4 Ng4 Ng8 Na1 Nb1 bf3 na3 na5 na6 na7", "w - - 12")
    state = play(state, "d4-g4")
    assert not state.is_over
    assert play(state, "g4-g8").end_reason == "ball"


def test_a_man_on_the_far_rank_or_a_ball_at_home_wins_nothing() -> None:
    state = position("Bd4 Nc6 Na1 Nb1 Nd1 bf4 ng3 na5 na6 na7", "w - - 12")
    assert not play(state, "c6d8").is_over
    assert not play(state, "d4-d1").is_over
    assert not RAZZLE.start().is_over


ROUND = "b1a3 b8a6 a3b1 a6b8 "


def test_the_third_time_is_a_draw() -> None:
    # The start has no landing square, so it cannot recur: the position after b1a3 recurs first.
    state = play(RAZZLE.start(), ROUND * 2)
    assert not state.is_over
    state = play(state, "b1a3")
    assert (state.outcome, state.end_reason, state.legal) == (0, "repetition", [])


def test_the_parsed_text_counts_as_the_first_time() -> None:
    state = RAZZLE.parse("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 - 10")
    assert state.times == 1
    state = play(state, ROUND)
    assert (state.times, state.is_over) == (2, False)
    assert play(state, ROUND).end_reason == "repetition"
    assert not play(RAZZLE.parse(state.text), ROUND).is_over


def test_repetition_is_counted_at_the_start_of_turns_only() -> None:
    # d1 and e1 pass the ball to each other; in between, each moves away and back to receive again.
    middle = RAZZLE.parse("1nnbnn1/7/7/7/7/7/7/1NNTBN1 w b8 p 1")
    there = "end b8a6 d1e3 a6b8 e3d1 b8a6 e1-d1 "
    back = "end a6b8 e1c2 b8a6 c2e1 a6b8 d1-e1 "
    state = play(middle, (there + back) * 2)
    assert state.key == middle.key
    assert state.times == 3
    assert not state.is_over
    assert moves(state) == {"e1-f1", "end"}
    assert play(state, "end").end_reason == "repetition"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("1nnbnn1/7/7/7/7/2N4/7/1N1BNN1 w b8 - 10", id="men"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NBNNN1 w b8 - 10", id="ball"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBTN1 w b8 - 10", id="own eligibility"),
        pytest.param("1tnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 - 10", id="enemy eligibility"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w c8 - 10", id="landing square"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w - - 10", id="no landing square"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1 b b1 - 10", id="side"),
        pytest.param("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 p 10", id="chain"),
    ],
)
def test_the_key_tells_all_but_the_turn_apart(other: str) -> None:
    here = RAZZLE.parse("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 - 10")
    assert RAZZLE.parse(other).key != here.key
    assert RAZZLE.parse("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 - 111").key == here.key


def test_200_turns_are_a_draw() -> None:
    state = RAZZLE.parse("1nnbnn1/7/7/7/7/7/7/1NNBNN1 b - - 198")
    state = play(state, "b8a6")
    assert not state.is_over
    state = play(state, "b1c3")
    assert (state.outcome, state.end_reason, state.legal) == (0, "200 turns", [])
    assert state.text.endswith("b c3 - 200")
    assert RAZZLE.parse(state.text).end_reason == "200 turns"


def test_a_chain_begun_in_the_last_turn_is_played_out() -> None:
    state = position("Bd4 Ng4 Ng8 Na1 Nb1 bf3 na3 na5 na6 na7", "w - - 199")
    state = play(state, "d4-g4")
    assert not state.is_over
    assert play(state, "g4-g8").end_reason == "ball"
    assert play(state, "end").end_reason == "200 turns"


def test_the_ball_comes_before_repetition_and_repetition_before_200_turns() -> None:
    state = RAZZLE.parse("1nnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 - 192")
    state = play(state, ROUND * 2)
    assert state.text.endswith("w b8 - 200")
    assert state.end_reason == "repetition"
    assert position(f"Be8 Na1 Nb1 Nc1 Nd1 {FAR_MEN}", "b - - 200").end_reason == "ball"


def test_there_is_always_an_action() -> None:
    # The four men without the ball reach at least seven squares in addition to their own, and only
    # six other men could occupy them. So a mover always has a legal action.
    leaps = [0] * 56
    for start in range(56):
        for right, up in ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)):
            file, rank = start % 7 + right, start // 7 + up
            if 0 <= file < 7 and 0 <= rank < 8:
                leaps[start] |= 1 << (rank * 7 + file)
    fewest = min(
        (
            (leaps[a] | leaps[b] | leaps[c] | leaps[d]) & ~(1 << a | 1 << b | 1 << c | 1 << d)
        ).bit_count()
        for a, b, c, d in combinations(range(56), 4)
    )
    assert fewest == 7
    tightest = position("Ta1 Tc1 Te1 Tg1 Ba2 nc2 ne2 ng2 nb3 bd3", "w - - 0")
    assert moves(tightest) == {"e1f3", "g1f3"}


def test_random_games_end_in_time_and_keep_five_men_each() -> None:
    chooser = random.Random(11)
    reasons = []
    for _ in range(100):
        state = RAZZLE.start()
        while not state.is_over:
            state = state.apply(chooser.choice(state.legal))
            board = state.text.split()[0]
            assert sum(man in "NBT" for man in board) == sum(man in "nbt" for man in board) == 5
            assert RAZZLE.parse(state.text).text == state.text
        assert len(state.actions) <= RAZZLE.facts.max_plies
        reasons.append(state.end_reason)
    assert 15 <= reasons.count("200 turns") <= 55
    assert set(reasons) <= {"ball", "200 turns", "repetition"}


# Texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a razzle position is a board, side, landing square, chain and turn"),
        (START[:-2], "a razzle position is"),
        (START + " 0", "a razzle position is"),
        (START + " ", "a razzle position is"),
        (START.replace(" w", "  w"), "a razzle position is"),
        (" " * 100_000, "too long for a position"),
        (START + "0" * 100_000, "too long for a position"),
        (START.replace("/7", "", 1), "needs 8 rows"),
        (START.replace("/7", "/6", 1), "row 7 of the board has 6 squares"),
        (START.replace("/7", "/8", 1), "row 7 of the board has 8 squares"),
        (START.replace("/7", "/34", 1), "two digits in a row"),
        (START.replace("/7", "/07", 1), "the men are N, B and T"),
        (START.replace("N", "K", 1), "the men are N, B and T, .* not 'K'"),
        (START.replace("N", "{N}", 1), "the men are N, B and T, .* not '{N}'"),
        (START.replace("N", "{N", 1), "open brace"),
        (START.replace("N", "\0", 1), "the men are N, B and T"),
        (START.replace("N", "é", 1), "the men are N, B and T"),
        (START.replace("1N", "2", 1), "seat 0 needs five men, .* it has 4 with 1 carriers"),
        (START.replace("1n", "nn", 1), "seat 1 needs five men, .* it has 6 with 1 carriers"),
        (START.replace("B", "N"), "seat 0 needs .* it has 5 with 0 carriers"),
        (START.replace("nn", "nb", 1), "seat 1 needs .* it has 5 with 2 carriers"),
        ("7/7/7/7/7/7/7/7 w - - 0", "seat 0 needs five men"),
        (START.replace(" w", " W"), "the side to move is w or b, not 'W'"),
        (START.replace(" w - ", " w  "), "a1 to g8 or -, not ''"),
        (START.replace(" w -", " w h1"), "a1 to g8 or -, not 'h1'"),
        (START.replace(" w -", " w a9"), "a1 to g8 or -, not 'a9'"),
        (START.replace(" w -", " w a0"), "a1 to g8 or -, not 'a0'"),
        (START.replace(" w -", " w B8"), "a1 to g8 or -, not 'B8'"),
        (START.replace(" w -", " w b88"), "a1 to g8 or -, not 'b88'"),
        (START.replace(" w -", " w d4"), "landing square d4 has no man of the side that is not"),
        (START.replace(" w -", " w b1"), "landing square b1 has no man of the side that is not"),
        (START.replace(" w -", " b b8"), "landing square b8 has no man of the side that is not"),
        (START.replace("- 0", "P 0"), "the chain is p after a pass"),
        (START.replace("- 0", "- 201"), "the turn is a number from 0 to 200, not '201'"),
        (START.replace("- 0", "- -1"), "the turn is a number"),
        (START.replace("- 0", "- 00"), "the turn is a number"),
        (START.replace("- 0", "- 1e1"), "the turn is a number"),
        (START.replace("- 0", "- 99999999999999999999"), "the turn is a number"),
        ("1NNBNN1/7/7/7/7/7/7/1nnbnn1 w - - 0", "both balls are on their far ranks"),
    ],
)
def test_what_is_no_position_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as error:
        RAZZLE.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(START.replace("w", "b"), None, id="seat 1 on an even turn"),
        pytest.param(START.replace("- 0", "p 0"), None, id="a chain without a barred man"),
        pytest.param(START.replace("- 0", "p 200"), "200 turns", id="a chain in turn 200"),
        pytest.param(START.replace("w -", "w d8"), None, id="a carrier that landed"),
        pytest.param("1tnbnn1/7/7/7/7/7/7/1NNBNN1 w b8 - 0", None, id="a barred man that landed"),
        pytest.param("1tttbt1/7/7/7/7/7/7/1TTTTB1 w - - 0", None, id="everyone barred"),
        pytest.param("3B3/1nnbnn1/7/7/7/7/7/1NN1NN1 w - - 0", "ball", id="ball without a chain"),
        pytest.param("3B3/1nnbnn1/7/7/7/7/7/1NN1NN1 b - p 7", "ball", id="won in seat 1's chain"),
    ],
)
def test_texts_that_no_play_leads_to_are_played_on(text: str, reason: str | None) -> None:
    state = RAZZLE.parse(text)
    assert state.text == text
    assert state.end_reason == reason
    for action in state.legal:
        assert RAZZLE.parse(state.apply(action).text).text == state.apply(action).text


def accepts_or_refuses(candidate: str) -> None:
    try:
        state = RAZZLE.parse(candidate)
    except PositionError:
        return
    assert state.text == candidate
    assert state.is_over == (state.legal == [])
    for action in state.legal:
        assert 0 <= state.slot(action) < RAZZLE.facts.slots
        state.apply(action).planes()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=120))
def test_any_text_is_a_position_or_a_position_error(candidate: str) -> None:
    accepts_or_refuses(candidate.encode(errors="ignore").decode())


@settings(max_examples=300, deadline=None)
@given(
    st.permutations("NNNNBnnnnb" + "." * 46),
    st.lists(st.booleans(), min_size=56, max_size=56),
    st.sampled_from("wb"),
    st.sampled_from(["-", "a1", "d4", "g8", "c5"]),
    st.sampled_from("-p"),
    st.integers(0, 201),
)
def test_any_arrangement_of_the_men_is_played_or_refused(
    men: list[str], barred: list[bool], side: str, landing: str, chain: str, turn: int
) -> None:
    names = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefg"]
    bar = {"N": "T", "n": "t"}
    placed = [
        (bar.get(man, man) if is_barred else man) + name
        for man, is_barred, name in zip(men, barred, names, strict=True)
        if man != "."
    ]
    accepts_or_refuses(text(" ".join(placed), f"{side} {landing} {chain} {turn}"))


# Planes and slots

MEN = "Na1 Nb3 Bc2 Tg4 Ne1 na8 nb6 bd7 tf5 ng8"


def marked(plane: NDArray[np.float32]) -> set[str]:
    """The names of the squares that are 1 in a plane; row 0 is rank 1."""
    assert set(np.unique(plane)) <= {0.0, 1.0}
    return {f"{'abcdefg'[column]}{row + 1}" for row, column in np.argwhere(plane)}


def turn_names(names: str) -> set[str]:
    return {"gfedcba"["abcdefg".index(name[0])] + str(9 - int(name[1])) for name in names.split()}


def test_planes_of_seat_0() -> None:
    planes = position(MEN, "w - - 3").planes()
    assert planes.shape == (7, 8, 7)
    assert planes.dtype == np.float32
    assert marked(planes[0]) == {"a1", "b3", "c2", "g4", "e1"}
    assert marked(planes[1]) == {"c2"}
    assert marked(planes[2]) == {"a8", "b6", "d7", "f5", "g8"}
    assert marked(planes[3]) == {"d7"}
    assert marked(planes[4]) == {"g4", "f5"}
    assert planes[5].all()
    assert not planes[6].any()


def test_planes_of_seat_1_are_turned() -> None:
    planes = position(MEN, "b - - 3").planes()
    assert marked(planes[0]) == turn_names("a8 b6 d7 f5 g8")
    assert marked(planes[1]) == turn_names("d7") == {"d2"}
    assert marked(planes[2]) == turn_names("a1 b3 c2 g4 e1")
    assert marked(planes[3]) == turn_names("c2") == {"e7"}
    assert marked(planes[4]) == turn_names("g4 f5") == {"a5", "b4"}
    assert not planes[5].any()
    assert not planes[6].any()


@pytest.mark.parametrize("side", ["w", "b"])
def test_the_last_plane_tells_a_chain(side: str) -> None:
    quiet, chain = position(MEN, f"{side} - - 3").planes(), position(MEN, f"{side} - p 3").planes()
    assert chain[6].all()
    np.testing.assert_array_equal(quiet[:6], chain[:6])


def test_slots_are_actions_as_the_mover_sees_them() -> None:
    state = RAZZLE.start()
    assert [state.slot(action) for action in state.legal] == state.legal
    state = play(state, "b1c3 d8-e8")
    assert {state.say(action): state.slot(action) for action in state.legal} == {
        "e8-f8": square("c1") * 56 + square("b1"),
        "end": END_TURN,
    }


def test_a_turned_position_looks_and_plays_the_same() -> None:
    chooser = random.Random(3)
    for _ in range(30):
        state, other = RAZZLE.start(), RAZZLE.parse(turned(START))
        while not state.is_over:
            assert other.text == turned(state.text)
            assert other.mover == 1 - state.mover
            seat_aside = [0, 1, 2, 3, 4, 6]
            np.testing.assert_array_equal(state.planes()[seat_aside], other.planes()[seat_aside])
            slots = {other.slot(action): action for action in other.legal}
            assert set(slots) == {state.slot(action) for action in state.legal}
            action = chooser.choice(state.legal)
            other = other.apply(slots[state.slot(action)])
            state = state.apply(action)
            assert other.events == state.events
        assert other.end_reason == state.end_reason
        assert other.outcome == -(state.outcome or 0)


# Events and cells


def events(state: State) -> dict[str, float]:
    """The events of the last ply that are not 0."""
    return {name: value for name, value in state.events.items() if value}


def test_the_events_of_each_kind_of_action() -> None:
    assert RAZZLE.facts.events == [
        "knight_move",
        "pass",
        "end_turn",
        "ball_progress",
        "forced_pass",
        "win",
    ]
    assert events(RAZZLE.start()) == {}
    assert events(play(RAZZLE.start(), "b1c3")) == {"knight_move": 1}
    state = play(RAZZLE.start(), "d1-e1")
    assert events(state) == {"pass": 1}
    assert events(play(state, "end")) == {"end_turn": 1}


def test_ball_progress_counts_ranks_towards_the_far_side() -> None:
    state = position("Bd4 Nd7 Nd1 Na4 Ng1 bf4 nf7 nf1 na2 ng8", "w - - 0")
    assert events(play(state, "d4-d7")) == {"pass": 1, "ball_progress": 3}
    assert events(play(state, "d4-d1")) == {"pass": 1, "ball_progress": -3}
    assert events(play(state, "d4-a4")) == {"pass": 1}
    state = RAZZLE.parse(state.text.replace(" w ", " b "))
    assert events(play(state, "f4-f7")) == {"pass": 1, "ball_progress": -3}
    assert events(play(state, "f4-f1")) == {"pass": 1, "ball_progress": 3, "win": 1}


def test_a_forced_pass_is_told_for_the_first_action_only() -> None:
    state = position("Bd4 Nd1 Na4 Ng4 Ng1 nd5 ba8 nb8 nf8 ng8", "w d5 - 10")
    state = play(state, "d4-g4")
    assert events(state) == {"pass": 1, "forced_pass": 1}
    assert events(play(state, "g4-g1")) == {"pass": 1, "ball_progress": -3}
    beside = position("Bd4 Td1 Na4 Ng4 Ng1 nd5 ba8 nb8 nf8 ng8", "w d5 p 10")
    assert events(play(beside, "d4-g4")) == {"pass": 1}


def test_cells_show_symbols_and_owners_from_the_top() -> None:
    cells = position(MEN, "w - - 3").cells()
    shown = {
        f"{'abcdefg'[column]}{8 - row}": (cell.man, cell.seat, cell.note)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
    }
    men = {man[1:]: (man[0].upper(), int(man[0].islower()), "") for man in MEN.split()}
    assert shown == {name: men.get(name, ("", -1, "")) for name in shown}
    assert len(shown) == 56
