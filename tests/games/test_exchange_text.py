"""The texts and slots of EXCHANGE: texts survive a round trip, and wrong texts are refused."""

import random
from collections.abc import Iterable

import pytest

from rulezero import _core

GAME = _core.load_game("exchange", {})
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0/0 0 0 -"
FRESH = "0/0 0 0 -"


# Slots


@pytest.mark.parametrize(
    ("text", "move", "slot"),
    [
        (START, "e2e4", 12 * 64 + 28),
        (START, "decree", 4 * 64 + 4),
        (f"k7/8/8/3q4/4K3/8/8/8 w {FRESH}", "e4xd5", 28 * 64 + 35),
        (f"k7/8/8/8/2pp4/8/8/1N5K w {FRESH}", "b1c3xc4", 4096 + 1 * 8 + 2),
        (f"k7/8/8/8/8/1Qpp4/8/7K w {FRESH}", "b3a3xc3", 4096 + 17 * 8 + 2),
        (f"k7/8/8/8/8/8/2p5/K1N5 w {FRESH}", "c1xc2b2", 2 * 64 + 10),
        ("k7/8/8/8/8/4P3/3P4/K1B5 w 0/0 0 0 d2=2", "c1+d2", 2 * 64 + 11),
    ],
)
def test_slot(text: str, move: str, slot: int) -> None:
    state = GAME.parse(text)
    assert state.slot(state.read(move)) == slot


# Texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a position is"),
        (START + " ", "last field"),
        (START.replace(" w", "  w"), "side"),
        ("P3k3/8/8/8/8/8/8/4K3 w 0/0 0 0 -", "pawn"),
        ("4k3/8/8/8/8/8/8/p3K3 w 0/0 0 0 -", "pawn"),
        ("8/8/8/8/8/8/8/R7 w 0/0 0 0 -", "both kings"),
        ("4k3/8/8/8/8/8/8/3KK3 w 0/0 0 0 -", "White has more than one king"),
        ("4k3/8/8/8/8/8/8/4X3 w 0/0 0 0 -", "men are"),
        ("4k3/8/8/8/8/8/8/4{K}3 w 0/0 0 0 -", "men are"),
        ("4k3/8/8/8/8/8/8/4K4 w 0/0 0 0 -", "squares"),
        ("4k3/8/8/8/8/8/4K3 w 0/0 0 0 -", "rows"),
        ("4k3/8/8/8/8/8/8/R3K3 x 0/0 0 0 -", "side"),
        ("4k3/8/8/8/8/8/8/R3K3 w 3/0 0 0 -", "Decree"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0 0 0 -", "Decree"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0/0 0 0 -", "Decree"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 -1 0 -", "without damage"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 301 -", "ply"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 99999999999999999999 -", "ply"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 07 -", "ply"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0", "a position is"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 ", "detail"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=0", "HP on a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=14", "HP on a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=13:u6", "charges on a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=13:c4", "cooldown on a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=13:a1", "only pawns"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=13:p", "only queens"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=13:", "details on a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=13:x", "details on a1"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 a1=9:c1:c1", "have a tag twice"),
        ("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 0 e1=25:c1", "no cooldown"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 a3=7:c1", "no cooldown"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 a3=7:u1", "no charges"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 a3=7:a3", "Advance counter"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 b3=7", "empty"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 a3=6,a3=5", "twice"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 a3=6,", "detail"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 i3=6", "detail"),
        ("4k3/8/8/8/8/P7/8/R3K3 w 0/0 0 0 - die", "last field"),
        ("9" * 100_000, "too long for a position"),
    ],
)
def test_position_errors(text: str, message: str) -> None:
    with pytest.raises(_core.PositionError, match=message) as error:
        GAME.parse(text)
    assert "\n" not in str(error.value)


def test_details_are_written_in_order_and_read_in_any() -> None:
    loose = "4k3/8/8/8/8/P7/8/Q3K3 w 0/0 0 0 a3=7,a1=9:p:c1,e1=25:u3"
    assert GAME.parse(loose).text == "4k3/8/8/8/8/P7/8/Q3K3 w 0/0 0 0 a1=9:c1:p"


def random_states(seed: int, games: int) -> Iterable[_core.State]:
    rng = random.Random(seed)
    for _ in range(games):
        state = GAME.start()
        while not state.is_over:
            yield state
            strikes = [a for a in state.legal if "x" in state.say(a)]
            likes_strikes = bool(strikes) and rng.random() < 0.5
            state = state.apply(rng.choice(strikes if likes_strikes else state.legal))
        yield state


def test_play_and_text_agree() -> None:
    for state in random_states(seed=3, games=8):
        again = GAME.parse(state.text)
        assert again.text == state.text
        assert again.key == state.key
        if state.end_reason != "repetition":
            assert again.legal == state.legal
        assert len(set(state.legal)) == len(state.legal)
        assert len({state.say(action) for action in state.legal}) == len(state.legal)
        if state.mover != _core.CHANCE:
            assert all(0 <= state.slot(a) < 4608 for a in state.legal)


def test_damaged_texts_are_positions_or_errors() -> None:
    rng = random.Random(11)
    texts = [state.text for state in random_states(seed=5, games=2)]
    for _ in range(5000):
        letters = list(rng.choice(texts))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(letters) + 1)
            letters[at : at + rng.randint(0, 2)] = rng.choice("0159/ kKPpQrw-:=,ucapdie+x\0é")
        try:
            state = GAME.parse("".join(letters))
        except _core.PositionError:
            continue
        assert GAME.parse(state.text).text == state.text
