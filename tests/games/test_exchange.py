"""The rules of EXCHANGE, point by point."""

import pytest

from rulezero import _core

GAME = _core.load_game("exchange", {})
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0/0 0 0 -"
FRESH = "0/0 0 0 -"


def fixed(roll: int) -> _core.Game:
    return _core.load_game("exchange", {"dice": f"fixed:{roll}"})


def play(text: str, *moves: str, roll: int = 1) -> _core.State:
    """The state after these move texts, every die showing `roll`."""
    state = fixed(roll).parse(text)
    for move in moves:
        state = state.apply(state.read(move))
    return state


def says(state: _core.State, start: str = "") -> set[str]:
    """The legal move texts that begin with `start`."""
    return {text for text in map(state.say, state.legal) if text.startswith(start)}


def says_at(text: str, start: str = "") -> set[str]:
    return says(GAME.parse(text), start)


def words(text: str) -> set[str]:
    return set(text.split())


def details(state: _core.State) -> str:
    return state.text.split()[5]


# The start, counts and numbers


def test_start() -> None:
    state = GAME.start()
    assert state.text == START
    assert len(state.legal) == 21
    assert says(state, "decree") == {"decree"}
    assert sum(int(cell.note) for row in state.cells() for cell in row if cell.seat == 0) == 159


def test_perft() -> None:
    assert [_core.perft(GAME.start(), depth) for depth in (1, 2, 3)] == [21, 441, 10800]


def test_facts() -> None:
    assert GAME.facts.has_chance
    assert GAME.facts.max_plies == 600
    assert not fixed(3).facts.has_chance
    assert fixed(3).facts.max_plies == 300
    assert fixed(3).text == "exchange:dice=fixed:3"
    assert GAME.text == "exchange"
    assert GAME.facts.slots == 4608
    assert GAME.position_bytes <= 256


@pytest.mark.parametrize("dice", ["fixed:0", "fixed:7", "fixed:", "fixed:01", "d8", ""])
def test_unknown_dice(dice: str) -> None:
    with pytest.raises(_core.GameError, match="d6"):
        _core.load_game("exchange", {"dice": dice})


# Moves and strikes


def test_men_move_to_empty_squares_only() -> None:
    assert says_at(f"4k3/8/8/8/3p4/8/8/3RK3 w {FRESH}", "d1d") == words("d1d2 d1d3")
    assert says_at(f"4k3/8/8/8/8/4p3/4P3/4K3 w {FRESH}", "e2") == set()
    assert says_at(f"4k3/8/8/8/4p3/8/4P3/4K3 w {FRESH}", "e2") == {"e2e3"}


def test_king_and_pawn_strikes() -> None:
    assert says_at(f"k7/8/8/3ppp2/3pKp2/3ppp2/8/8 w {FRESH}", "e4x") == words(
        "e4xd3 e4xe3 e4xf3 e4xd4 e4xf4 e4xd5 e4xe5 e4xf5"
    )
    board = "k7/8/8/3ppp2/4P3/3p1p2/8/K7"
    assert says_at(f"{board} w {FRESH}", "e4x") == words("e4xd5 e4xf5")
    assert says_at(f"{board} b {FRESH}", "d5x") == {"d5xe4"}


def test_queen_strikes_three_squares_in_sight() -> None:
    board = "k7/7p/3p4/3p4/8/p2Q2pp/8/5K2"
    assert says_at(f"{board} w {FRESH}", "d3x") == words("d3xd5 d3xa3 d3xg3")
    assert says_at(f"k7/8/8/8/8/3Q3p/8/5K2 w {FRESH}", "d3x") == set()


def test_rook_strikes_neighbours_and_two_squares_straight() -> None:
    board = "k7/8/1p3p2/2p1p3/p2R1p2/8/3p4/7K"
    assert says_at(f"{board} w {FRESH}", "d4x") == words("d4xc5 d4xe5 d4xf4 d4xd2")
    blocked = "k7/8/8/8/3RPp2/3p4/3p4/7K"
    assert says_at(f"{blocked} w {FRESH}", "d4x") == {"d4xd3"}


def test_bishop_strikes_at_two_and_three() -> None:
    board = "k7/6p1/1p3p2/8/3B4/2p1p3/1p3p2/6K1"
    assert says_at(f"{board} w {FRESH}", "d4x") == words("d4xb6 d4xf6")
    assert says_at(f"k7/6p1/8/8/3B4/8/8/6K1 w {FRESH}", "d4x") == {"d4xg7"}


def test_knight_combo() -> None:
    state = GAME.parse(f"k7/8/8/8/2pp4/8/8/1N5K w {FRESH}")
    assert says(state, "b1") == words("b1a3 b1c3 b1d2 b1c3xc4")
    after = play(state.text, "b1c3xc4", roll=2)
    assert after.text == "k7/8/8/8/2pp4/2N5/8/7K b 0/0 0 1 c4=3"


def test_combo_needs_an_empty_landing_square() -> None:
    assert says_at(f"k7/8/8/8/2p5/P1P5/3P4/1N5K w {FRESH}", "b1") == set()


def test_strike_damage_is_base_plus_die() -> None:
    board = "k7/8/8/3q4/4K3/8/8/8"
    for roll in range(1, 7):
        assert details(play(f"{board} w {FRESH}", "e4xd5", roll=roll)) == f"d5={9 - roll}"


def test_a_man_at_zero_leaves_the_board() -> None:
    after = play("k7/8/8/3q4/4K3/8/8/8 w 0/0 5 9 d5=3", "e4xd5", roll=2)
    assert after.text == "k7/8/8/8/4K3/8/8/8 b 0/0 0 10 -"
    assert after.events["killed"] == 1
    assert after.events["damage"] == 3


# Promotion and Advance


@pytest.mark.parametrize(("hp", "queen"), [(7, 10), (6, 8), (5, 7), (4, 5), (3, 4), (2, 2), (1, 1)])
def test_promotion_keeps_the_share_of_hp(hp: int, queen: int) -> None:
    after = play(f"k7/6P1/8/8/8/8/8/K7 w 0/0 0 0 g7={hp}", "g7g8")
    assert after.text == f"k5Q1/8/8/8/8/8/8/K7 b 0/0 1 1 g8={queen}:p"
    assert after.events["promoted"] == 1


def test_advance_may_promote_and_leaves_no_counter() -> None:
    after = play(f"k7/8/6P1/8/8/8/8/K7 w {FRESH}", "g6g8")
    assert after.text == "k5Q1/8/8/8/8/8/8/K7 b 0/0 1 1 g8=10:p"


def test_advance_counter() -> None:
    state = play(f"k7/8/8/8/8/P7/8/7K w {FRESH}", "a3a5")
    assert details(state) == "a5=7:a2"
    state = state.apply(state.read("a8b8"))
    assert details(state) == "a5=7:a1"
    assert says(state, "a5") == {"a5a6"}
    state = state.apply(state.read("h1h2"))
    assert details(state) == "a5=7:a1"
    state = state.apply(state.read("b8a8"))
    assert details(state) == "-"
    assert says(state, "a5") == words("a5a6 a5a7")


def test_double_step_is_no_advance() -> None:
    state = play(f"k7/8/8/8/8/8/P7/7K w {FRESH}", "a2a4", "a8b8")
    assert details(state) == "-"
    assert says(state, "a4") == words("a4a5 a4a6")
    # A counter does not stop a double step.
    assert says_at("k7/8/8/8/8/8/P7/7K w 0/0 0 0 a2=7:a1", "a2") == words("a2a3 a2a4")


def test_advance_needs_both_squares() -> None:
    assert says_at(f"k7/8/8/p7/8/P7/8/7K w {FRESH}", "a3") == {"a3a4"}
    assert says_at(f"k7/8/8/8/p7/P7/8/7K w {FRESH}", "a3") == set()
    assert says_at(f"k7/8/7p/8/8/8/8/7K b {FRESH}", "h6") == words("h6h5 h6h4")


# Decree


def test_decree_buffs_the_two_later_own_actions() -> None:
    board = "k7/8/8/q2q4/K3P3/8/8/8"
    state = play(f"{board} w {FRESH}", "decree")
    assert state.text == f"{board} b 2/0 1 1 a4=25:u2"
    state = state.apply(state.read("a8b8"))
    state = state.apply(state.read("e4xd5"))  # 1 + 1 + 2
    assert state.text == "1k6/8/8/q2q4/K3P3/8/8/8 b 1/0 0 3 a4=25:u2,d5=6"
    assert state.events["decree_bonus"] == 2
    state = state.apply(state.read("b8a8"))
    state = state.apply(state.read("a4xa5"))
    assert state.text == "k7/8/8/q2q4/K3P3/8/8/8 b 0/0 0 5 a4=25:u2,a5=6,d5=6"
    state = state.apply(state.read("a8b8"))
    state = state.apply(state.read("a4xa5"))  # the Decree is over
    assert "a5=4," in details(state)
    assert state.events["decree_bonus"] == 0


def test_every_own_action_uses_up_the_decree() -> None:
    state = play(f"k7/8/8/8/8/8/8/K6R w {FRESH}", "decree", "a8b8", "a1a2", "b8a8")
    assert state.text.split()[2] == "1/0"


def test_decree_again_resets_the_counter() -> None:
    state = play("k7/8/8/8/8/8/8/K6R w 1/0 0 0 a1=25:u1", "decree")
    assert state.text == "k7/8/8/8/8/8/8/K6R b 2/0 1 1 a1=25:u0"
    state = state.apply(state.read("a8b8"))
    assert says(state, "decree") == set()


# Overextend


def test_overextend_sees_through_its_start_square() -> None:
    # From a3 the queen looks east over b3, where she came from.
    state = GAME.parse(f"k7/8/8/8/8/1Qpp4/8/7K w {FRESH}")
    assert "b3a3xc3" in says(state)
    assert "b3a3xd3" not in says(state)
    after = play(state.text, "b3a3xc3", roll=1)
    assert after.text == "k7/8/8/8/8/Q1pp4/8/7K b 0/0 0 1 a3=8:c2,c3=3"
    assert after.events["self_damage"] == 2
    assert after.events["overextend"] == 1


def test_overextend_may_kill_the_queen_even_when_it_wins() -> None:
    after = play("k7/8/8/8/8/8/8/Q6K w 0/0 0 0 a1=2,a8=4", "a1a6xa8")
    assert after.text == "8/8/8/8/8/8/8/7K b 0/0 0 1 -"
    assert after.outcome == 1
    assert after.end_reason == "king"


def test_overextend_waits_three_own_turns() -> None:
    state = play(f"k7/8/8/8/8/1Qpp4/8/7K w {FRESH}", "b3a3xc3", "a8b8")
    ready = []
    for move, reply in (("h1h2", "b8a8"), ("h2h1", "a8b8"), ("h1h2", "b8a8")):
        ready.append(any(len(text) == len("a3a4xc3") for text in says(state, "a3")))
        state = state.apply(state.read(move))
        state = state.apply(state.read(reply))
    assert ready == [False, False, True]


# Skirmish


def test_skirmish_strikes_then_steps() -> None:
    state = GAME.parse("k7/8/8/8/8/3P4/1p1PP3/K1N5 w 0/0 0 0 -")
    assert says(state, "c1x") == set()
    state = GAME.parse("k7/8/8/8/8/8/2pPP3/K1N5 w 0/0 0 0 c2=1")
    assert says(state, "c1x") == words("c1xc2b1 c1xc2d1 c1xc2b2")  # c2 itself is no step square
    after = play(state.text, "c1xc2b2")
    assert after.text == "k7/8/8/8/8/8/1N1PP3/K7 b 0/0 0 1 b2=11:u4:c2"
    assert after.events["skirmish"] == 1


def test_skirmish_needs_charge_and_rest_and_a_step() -> None:
    board = "k7/8/8/8/8/8/2p5/K1N5"
    assert says_at(f"{board} w 0/0 0 0 c1=11:u0", "c1x") == set()
    assert says_at(f"{board} w 0/0 0 0 c1=11:c1", "c1x") == set()
    assert says_at(f"k7/8/8/8/8/8/1pPp4/KBNB4 w {FRESH}", "c1x") == set()


# Consecration


def test_consecration() -> None:
    board = "k7/8/8/8/8/4P3/3P4/K1B5"
    state = GAME.parse(f"{board} w 0/0 3 7 d2=2,e3=1")
    assert {text for text in says(state) if "+" in text} == {"c1+d2"}
    after = play(state.text, "c1+d2", roll=4)
    assert after.text == f"{board} b 0/0 4 8 c1=10:u2:c2,d2=6,e3=1"
    assert (after.events["healed"], after.events["missing"]) == (4, 5)
    # The heal is capped at full HP, and larger under a Decree.
    assert details(play(state.text, "c1+d2", roll=6)) == "c1=10:u2:c2,e3=1"
    decreed = f"{board} w 1/0 3 7 d2=2,e3=1"
    assert details(play(decreed, "c1+d2", roll=1)) == "c1=10:u2:c2,d2=5,e3=1"


def test_an_unhurt_man_closes_the_diagonal() -> None:
    assert "+" not in "".join(says_at("k7/8/8/8/8/4P3/3P4/K1B5 w 0/0 0 0 e3=1"))
    assert "+" not in "".join(says_at("k7/8/8/8/8/4P3/3p4/K1B5 w 0/0 0 0 d2=1,e3=1"))
    assert "+" not in "".join(says_at("k7/8/8/5P2/8/8/8/K1B5 w 0/0 0 0 f5=1"))
    assert "c1+f4" in says_at("k7/8/8/8/5P2/8/8/K1B5 w 0/0 0 0 f4=1")


# Interpose


def test_interpose_shares_the_hit() -> None:
    # d = 1 + 4 = 5 points of damage: two for the pawn, three for the rook.
    after = play(f"k7/8/8/r2p4/4K3/8/8/8 w {FRESH}", "e4xd5", roll=4)
    assert details(after) == "a5=10:u4:c3,d5=5"
    assert after.events["damage"] == 5
    assert after.events["absorbed"] == 3
    assert after.events["interpose"] == 1


def test_interpose_misses_the_next_two_enemy_plies() -> None:
    state = play(f"k7/8/8/r2q4/4K3/8/8/8 w {FRESH}", "e4xd5", "a8b8")
    assert "a5=12:u4:c2" in details(state)
    state = state.apply(state.read("e4xd5"))
    assert state.events["interpose"] == 0
    state = state.apply(state.read("b8a8"))
    state = state.apply(state.read("e4xd5"))
    assert state.events["interpose"] == 0
    assert "a5=12:u4:c1" in details(state)
    state = state.apply(state.read("a8b8"))
    assert "a5=12:u4," in details(state)
    state = state.apply(state.read("e4xd5"))
    assert state.events["interpose"] == 1
    assert "a5=11:u3:c3" in details(state)


@pytest.mark.parametrize(
    ("board", "guard"),
    [
        ("k7/8/8/r2p2r1/4K3/8/8/8", "a5"),  # the lower file first
        ("k7/3r4/8/3p2r1/4K3/8/8/8", "d7"),
        ("k7/3r4/8/r2p4/4K3/8/8/8", "a5"),
        ("k7/3r4/8/3p4/4K3/3r4/8/8", "d7"),  # on one file, the rook nearer to its first rank
        ("k7/8/8/3pp1r1/4K3/8/8/8", None),  # blocked
        ("k7/8/8/3p3r/4K3/8/8/8", None),  # too far
    ],
)
def test_which_rook_interposes(board: str, guard: str | None) -> None:
    after = play(f"{board} w {FRESH}", "e4xd5", roll=1)
    shields = [part[:2] for part in details(after).split(",") if ":c3" in part]
    assert shields == ([guard] if guard else [])


def test_which_white_rook_interposes() -> None:
    after = play(f"8/3R4/8/4k3/3P4/8/3R4/K7 b {FRESH}", "e5xd4", roll=1)
    assert details(after) == "d2=12:u4:c3,d4=6"


def test_interpose_protects_king_and_other_rook() -> None:
    after = play(f"k2r4/1K6/8/8/8/8/8/8 w {FRESH}", "b7xa8", roll=3)
    assert details(after) == "a8=23,d8=11:u4:c3"
    after = play(f"k7/8/8/3r2r1/4K3/8/8/8 w {FRESH}", "e4xd5", roll=3)
    assert details(after) == "d5=11,g5=11:u4:c3"


@pytest.mark.parametrize("waits", ["a5=13:u0", "a5=13:c1"])
def test_interpose_needs_charge_and_rest(waits: str) -> None:
    after = play(f"k7/8/8/r2p4/4K3/8/8/8 w 0/0 0 0 {waits}", "e4xd5")
    assert after.events["interpose"] == 0


def test_interpose_counts_the_decree_and_loses_the_excess() -> None:
    # d = 1 + 6 + 2 = 9: four points kill the pawn with 3 HP, five the rook with 2 HP.
    text = "k7/8/8/r2p4/4K3/8/8/8 w 1/0 0 0 a5=2,d5=3"
    after = play(text, "e4xd5", roll=6)
    assert after.text == "k7/8/8/8/4K3/8/8/8 b 0/0 0 1 -"
    assert after.events["damage"] == 5
    assert after.events["absorbed"] == 2
    assert after.events["killed"] == 2
    assert after.end_reason == "only kings"


def test_a_combo_opens_the_line_it_leaves() -> None:
    # The knight on b5 stands between the rook and the pawn until it jumps.
    board = "k7/8/8/rN1p4/4K3/8/8/8"
    assert play(f"{board} w {FRESH}", "e4xd5").events["interpose"] == 0
    assert play(f"{board} w {FRESH}", "b5d6xd5").events["interpose"] == 1


def test_a_combo_closes_the_line_it_lands_on() -> None:
    board = "k7/8/8/r2p4/4N3/8/8/7K"
    assert play(f"{board} w {FRESH}", "e4c5xd5").events["interpose"] == 0
    assert play(f"{board} w {FRESH}", "e4d6xd5").events["interpose"] == 1


def test_an_overextending_queen_opens_and_closes_lines() -> None:
    board = "k7/8/8/rQ1p4/8/8/8/7K"
    assert play(f"{board} w {FRESH}", "b5b3xd5").events["interpose"] == 1
    assert play(f"{board} w {FRESH}", "b5c5xd5").events["interpose"] == 0
    assert play(f"{board} w {FRESH}", "b5xd5").events["interpose"] == 0


def test_a_skirmishing_knight_still_blocks() -> None:
    board = "k7/8/8/r1Np4/8/8/8/7K"
    assert play(f"{board} w {FRESH}", "c5xd5b4").events["interpose"] == 0
    clear = "k7/8/8/r2p4/3N4/8/8/7K"
    assert play(f"{clear} w {FRESH}", "d4xd5c5").events["interpose"] == 1


# The die


def test_a_pending_die() -> None:
    text = "k7/8/8/3q4/4K3/8/8/8 w 1/0 4 8 d5=9"
    state = GAME.parse(text)
    pending = state.apply(state.read("e4xd5"))
    assert pending.text == f"{text} die:e4xd5"
    assert pending.mover == _core.CHANCE
    assert [pending.say(action) for action in pending.legal] == list("123456")
    assert pending.chances == [1 / 6] * 6
    assert not any(pending.events.values())
    assert pending.key != state.key
    assert GAME.parse(pending.text).text == pending.text
    after = pending.apply(pending.read("3"))
    assert after.text == "k7/8/8/3q4/4K3/8/8/8 b 0/0 0 9 d5=3"
    assert after.events["damage"] == 6
    with pytest.raises(_core.MoveError, match="slots"):
        pending.slot(pending.legal[0])


def test_equal_faces_are_not_merged() -> None:
    state = GAME.parse("k7/8/8/3q4/4K3/8/8/8 w 0/0 0 0 d5=1")
    pending = state.apply(state.read("e4xd5"))
    assert len(pending.legal) == 6
    assert len({pending.apply(action).text for action in pending.legal}) == 1


@pytest.mark.parametrize(
    "move", ["e4e5", "decree", "e4xd6", "e4xd5x", "3", "", "e4xd5 die:e4xd5", "a8a7"]
)
def test_only_a_legal_action_waits_for_a_die(move: str) -> None:
    with pytest.raises(_core.PositionError):
        GAME.parse(f"k7/8/8/3q4/4K3/8/8/8 w {FRESH} die:{move}")


def test_finished_games_and_fixed_dice_have_no_pending_die() -> None:
    for text in ("k7/8/8/3q4/4K3/8/8/8 w 0/0 0 300 -", "8/8/8/3q4/4K3/8/8/8 w 0/0 0 9 -"):
        with pytest.raises(_core.PositionError):
            GAME.parse(f"{text} die:e4xd5")
    with pytest.raises(_core.PositionError, match="fixed dice"):
        fixed(2).parse(f"k7/8/8/3q4/4K3/8/8/8 w {FRESH} die:e4xd5")


# The end


def test_a_fallen_king_loses() -> None:
    after = play("1k6/1R6/8/8/8/8/8/7K w 0/0 0 299 b8=3", "b7xb8")
    assert after.text == "8/1R6/8/8/8/8/8/7K b 0/0 0 300 -"
    assert (after.outcome, after.end_reason) == (1, "king")
    assert after.legal == []
    lost = GAME.parse(f"1k6/8/8/8/8/8/8/R7 w {FRESH}")
    assert (lost.outcome, lost.end_reason) == (-1, "king")
    # A lone king has won: the missing king counts before the draw by "only kings".
    assert GAME.parse(f"8/8/8/8/8/8/8/7K b {FRESH}").end_reason == "king"


def test_only_kings() -> None:
    state = GAME.parse("k7/8/8/8/8/8/8/7K w 0/0 0 300 -")
    assert (state.outcome, state.end_reason) == (0, "only kings")


def test_last_ply() -> None:
    state = play("k7/8/8/8/8/8/8/R6K w 0/0 7 299 -", "h1h2")
    assert (state.outcome, state.end_reason) == (0, "300 plies")


def test_no_action() -> None:
    stuck = "7k/8/8/8/p1p5/P1Pp4/PB1P4/KNB5 w 0/0 0 0 "
    state = GAME.parse(stuck + "a1=25:u0")
    assert (state.outcome, state.end_reason) == (0, "no action")
    assert says_at(stuck + "-") == {"decree"}


def test_repetition() -> None:
    cycle = ("h1h2", "a8b8", "h2h1", "b8a8")
    text = f"k7/8/8/8/8/8/8/R6K w {FRESH}"
    state = play(text, *cycle)
    assert state.times == 2
    assert not state.is_over
    state = play(text, *cycle, *cycle)
    assert (state.outcome, state.end_reason, state.times) == (0, "repetition", 3)
    # A third occurrence on ply 300 ends the game by repetition, not by the ply limit.
    late = play("k7/8/8/8/8/8/8/R6K w 0/0 0 292 -", *cycle, *cycle)
    assert late.end_reason == "repetition"


def test_repetition_key() -> None:
    text = "k7/8/8/8/8/8/8/Q6K w 0/0 3 5 -"
    key = GAME.parse(text).key
    same = "k7/8/8/8/8/8/8/Q6K w 0/0 9 80 a1=10:p"
    assert GAME.parse(same).key == key
    for other in (
        "k7/8/8/8/8/8/8/Q6K b 0/0 3 5 -",
        "k7/8/8/8/8/8/8/Q6K w 1/0 3 5 -",
        "k7/8/8/8/8/8/8/Q6K w 0/1 3 5 -",
        "k7/8/8/8/8/8/8/Q6K w 0/0 3 5 a1=9",
        "k7/8/8/8/8/8/8/Q6K w 0/0 3 5 a1=10:c1",
        "k7/8/8/8/8/8/8/Q6K w 0/0 3 5 h1=25:u2",
        "k7/8/8/8/8/8/8/q6K w 0/0 3 5 -",
        "k7/8/8/8/8/8/8/R6K w 0/0 3 5 -",
    ):
        assert GAME.parse(other).key != key


def test_a_cooldown_makes_a_position_new() -> None:
    # Repetitions count only after the knight's cooldown has run out.
    cycle = ("h1h2", "a8b8", "h2h1", "b8a8")
    state = play("k7/8/8/8/8/8/8/N6K w 0/0 0 0 a1=11:u4:c2", *cycle, *cycle)
    assert not state.is_over
    assert state.times == 2


# Events


def test_events_of_moves() -> None:
    events = play(f"k7/8/8/8/8/8/P7/7K w {FRESH}", "a2a4").events
    assert events["pawn_advance"] == 1
    assert events["king_distance"] == 2
    events = play(f"k7/8/8/8/8/8/P7/6K1 w {FRESH}", "g1h1").events
    assert events["king_distance"] == 0
    events = play(f"k7/8/8/8/8/8/P7/R5K1 w {FRESH}", "decree").events
    assert events["decree"] == 1
    assert sum(events.values()) == 1


def test_king_attackers_are_counted_after_the_action() -> None:
    # The rook on b6 reaches b8 from two squares away, the queen only by Overextending.
    after = play(f"1k6/8/8/8/8/8/8/1R1Q3K w {FRESH}", "b1b6")
    assert after.events["king_attackers"] == 2
    assert after.events["king_distance"] == 5
    tired = play("1k6/8/8/8/8/8/8/1R1Q3K w 0/0 0 0 d1=10:c3", "b1b6")
    assert tired.events["king_attackers"] == 1
