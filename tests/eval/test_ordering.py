"""Move ordering: the capture gain by which alpha-beta sorts actions."""

import pytest

import rulezero as rz
from rulezero._core import capture_gain
from support import samples

JUDGED = ["chess", "monster", "random_chess", "exchange", "razzle", "connect4"]


def gains(game: str, text: str) -> dict[str, int]:
    """The capture gain of every legal action, by move text."""
    state = samples.game(game).parse(text)
    return {state.say(action): capture_gain(state, action) for action in state.legal}


def ordered(game: str, text: str) -> list[str]:
    """The moves with a positive gain, in the order in which they are searched."""
    found = {move: gain for move, gain in gains(game, text).items() if gain > 0}
    return sorted(found, key=lambda move: -found[move])


@pytest.mark.sanitize
@pytest.mark.parametrize("name", [*JUDGED, "random_chess:pieces=standard+custom"])
def test_what_takes_something_is_not_quiet(name: str) -> None:
    """In random play, only captures, promotions and strikes have a gain above 0; in Razzle only
    forward passes; in Connect Four no action."""
    for state in samples.states(name)[::5]:
        for action in state.legal:
            gain = capture_gain(state, action)
            events = state.apply(action).events
            if name == "exchange":
                loud = "x" in state.say(action) or bool(events["promoted"])
            elif name == "razzle":
                loud = events["ball_progress"] > 0
            elif name == "connect4":
                loud = False
            else:
                loud = bool(events["capture"] or events["promotion"])
            assert (gain > 0) == loud, (state.text, state.say(action))
            assert gain >= 0


@pytest.mark.parametrize("game", ["chess", "random_chess", "monster"])
def test_the_most_valuable_victim_then_the_least_valuable_attacker(game: str) -> None:
    """First pawn takes queen, then knight takes rook, then pawn, knight and queen take a pawn."""
    text = "7k/8/1q6/P2Q1p2/4P1r1/4N3/7K/8 w - - 0 1"
    assert ordered(game, text) == ["a5b6", "e3g4", "e4f5", "e3f5", "d5f5"]


def test_promotions_and_en_passant() -> None:
    """A promotion gains the difference in value, plus any capture; en passant gains a pawn."""
    found = ordered("chess", "1n5k/P7/8/4Pp2/8/8/7K/8 w - f6 0 1")
    best = ["a7b8q", "a7a8q", "a7b8r"]
    assert found[: len(best)] == best
    assert found[-1] == "e5f6"
    assert set(found) == {"e5f6", *(move + man for move in ("a7b8", "a7a8") for man in "qrbn")}
    pawn = gains("chess", "7k/8/5p2/4P3/8/8/7K/8 w - - 0 1")["e5f6"]
    assert gains("chess", "7k/8/8/4Pp2/8/8/7K/8 w - f6 0 1")["e5f6"] == pawn


def test_castling_onto_a_rook_is_quiet() -> None:
    """Castling is written as the king's move onto its own rook, which is no capture."""
    assert gains("random_chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")["e1h1"] == 0


def test_a_king_is_taken_first() -> None:
    """In Monster, captures of the king come first."""
    found = ordered("monster", "8/8/8/8/3q4/2k5/2KP4/8 w - - 0 1 +")
    assert found[0] in ("c2c3", "d2c3")
    assert set(found[:2]) == {"c2c3", "d2c3"}


def test_custom_men_by_their_value() -> None:
    """Custom men are ordered by their value: an amazon is captured before a queen."""
    text = "7k/8/8/1m1q4/2P5/8/7K/8 w - - 0 1"
    assert ordered("random_chess:pieces=standard+custom", text) == ["c4b5", "c4d5"]


def test_strikes_that_kill_come_first_in_exchange() -> None:
    """A strike on a queen with 2 HP comes before one on a fresh queen, and a strike that kills the
    king before all. The Decree is quiet; an Overextend that kills its own queen gains little."""
    board = "4k3/8/8/1q1q4/2P5/8/8/2B1K3 w 0/0 0 0"
    assert ordered("exchange", f"{board} d5=2") == ["c4xd5", "c4xb5"]
    both = gains("exchange", f"{board} d5=2")
    assert both["c4xd5"] == 230  # 480 * (0.35 + 0.65 * 2 / 10): every roll kills
    assert both["decree"] == 0
    found = ordered("exchange", "4k3/3Pq3/8/8/8/8/8/4K3 w 0/0 0 0 e8=1")
    assert found[0] == "d7xe8"
    assert "d7d8" in found
    weary = gains("exchange", "4k3/8/8/8/3p4/8/8/Q3K3 w 0/0 0 0 a1=2")
    fresh = gains("exchange", "4k3/8/8/8/3p4/8/8/Q3K3 w 0/0 0 0 -")
    assert weary["a1a4xd4"] == 1 < fresh["a1a4xd4"] < fresh["a1xd4"] == weary["a1xd4"]


def test_a_die_is_quiet() -> None:
    """All faces of a die have the gain 0."""
    text = "4k3/8/8/1q6/2P5/8/8/2B1K3 w 0/0 0 0 - die:c4xb5"
    assert set(gains("exchange", text).values()) == {0}


def test_passes_that_win_come_first_in_razzle() -> None:
    """Longer forward passes come first; sideways passes and knight moves have the gain 0."""
    text = "nnb1N1n/7/7/7/1N5/3n3/7/2N1BN1 w - - 0"
    found = gains("razzle", text)
    assert ordered("razzle", text) == ["e1-e8", "e1-b4"]
    assert (found["e1-b4"], found["e1-f1"], found["c1b3"]) == (30, 0, 0)


def test_an_illegal_action_is_refused() -> None:
    """An illegal action raises MoveError; a game without capture gains raises GameError."""
    with pytest.raises(rz.MoveError, match="not legal here"):
        capture_gain(rz.load("chess").start(), 0)
    with pytest.raises(rz.MoveError, match="not legal here"):
        capture_gain(rz.load("chess").start(), -1)
    tictactoe = samples.game("tictactoe").start()
    with pytest.raises(rz.GameError, match="tictactoe has no capture gains"):
        capture_gain(tictactoe, tictactoe.legal[0])
