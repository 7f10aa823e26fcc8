"""Mistakes in Connect Four, and the fixed test positions of the package."""

import random
from collections import Counter

import pytest

import rulezero as rz
from connect4_positions import make, mirrored
from rulezero.endgame import connect4
from rulezero.endgame.connect4 import MEN, Part, Solved, positions

GAME = rz.load("connect4")
KINDS: list[Part] = ["early", "middle", "late"]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        pytest.param("7/7/7/7/7/XXX1OOO x", "d", "abcefg", id="d1 makes four, for either seat"),
        pytest.param("7/7/7/7/1O1O3/1XXX3 o", "abcdefg", "", id="a1 and e1 threaten: all lose"),
        pytest.param(
            "O1XOX1X/X1XXXOO/X1XOOOX/OOOXOXO/XOOXOXO/XXOOXOX x",
            "f",  # leaves seat 1 only b4, and then b5 makes four
            "b",
            id="win to draw: b4 lets seat 1 fill b5",
        ),
        pytest.param(
            "XXXO3/OOXXXOX/OXOXOXO/OXXXOXO/XOOOXOX/OXXOOOX o",
            "f",
            "eg",
            id="draw to loss: f6 must be filled",
        ),
    ],
)
def test_mistakes_by_hand(text: str, right: str, wrong: str) -> None:
    """A mistake is a move with a worse value than the best; equal moves are no mistakes."""
    state = GAME.parse(text)
    found = {state.say(action): connect4.is_mistake(state, action) for action in state.legal}
    assert found == dict.fromkeys(right, False) | dict.fromkeys(wrong, True)


def test_an_illegal_action_is_no_mistake() -> None:
    """An illegal action raises MoveError."""
    with pytest.raises(rz.MoveError, match="action 7 is not legal"):
        connect4.is_mistake(GAME.parse("7/7/7/7/7/XXX1OOO x"), 7)


def test_values_are_seat_zeros() -> None:
    """Values are for seat 0, also when seat 1 is to move."""
    for text, value in [("7/7/7/7/7/XXX1OOO x", 1), ("7/7/7/7/OOO4/XXX3X o", -1)]:
        state = GAME.parse(text)
        assert connect4.values(state)[3] == connect4.value(state) == value


@pytest.mark.parametrize("kind", KINDS)
def test_in_every_fixed_position_one_can_err(kind: Part) -> None:
    """500 positions without an immediate win, each with a mistake that does not lose at once."""
    assert len(positions(kind)) == 500
    for solved in positions(kind):
        state = solved.state
        assert list(solved.values) == state.legal
        assert solved.best in (0, 1)
        mistakes = [action for action in state.legal if solved.is_mistake(action)]
        assert 0 < len(mistakes) < len(state.legal)
        assert not wins_at_once(state)
        assert any(not wins_at_once(state.apply(action)) for action in mistakes)


def wins_at_once(state: rz.State) -> bool:
    """Whether the mover can make four now."""
    return any(state.apply(action).end_reason == "four" for action in state.legal)


@pytest.mark.parametrize("kind", KINDS)
def test_fixed_positions_are_spread(kind: Part) -> None:
    """The positions cover all numbers of men, seats and values; no two are mirror images."""
    states = [solved.state for solved in positions(kind)]
    texts = {state.text for state in states}
    assert len(texts | {mirrored(text) for text in texts}) == sum(
        2 - (mirrored(text) == text) for text in texts
    )
    assert len(texts) == 500
    men = Counter(connect4.men_of(state) for state in states)
    assert sorted(men) == list(MEN[kind])
    assert max(men.values()) - min(men.values()) <= 2
    assert min(Counter(state.mover for state in states).values()) > 200
    worths = Counter(solved.best * (1, -1)[solved.state.mover] for solved in positions(kind))
    assert min(worths[value] for value in (-1, 0, 1)) > 100


@pytest.mark.parametrize(("kind", "count"), [("early", 2), ("middle", 14), ("late", 14)])
def test_the_fixed_values_are_the_solvers(kind: Part, count: int) -> None:
    """A sample is solved again; of early positions only those with the most men, for speed."""
    known = positions(kind) if kind != "early" else positions(kind)[-70:]
    for solved in random.Random(kind).sample(known, count):
        assert connect4.values(solved.state) == solved.values
        assert connect4.value(solved.state) == solved.best * (1, -1)[solved.state.mover]


def test_positions_can_be_made_again() -> None:
    """The positions depend on the seed, not on the size of the hash table."""
    tries = [(3, 1), (3, 16), (4, 1)]
    made = [make("middle", seed=seed, each=6, table=table) for seed, table in tries]
    assert made[0] == made[1] != made[2]
    assert len(made[0]) == 6
    assert all(solved.values == connect4.values(solved.state) for solved in made[0])


def test_lines_are_read_as_written() -> None:
    """Every line of the file survives reading and writing; a full column is written as "."."""
    lines = connect4.POSITIONS.read_text(encoding="utf-8").splitlines()
    assert [connect4.write(connect4.read(line)) for line in lines] == lines
    solved = Solved(GAME.parse("X6/O6/X6/O6/X6/O6 x"), {1: 1, 2: 0, 3: -1, 4: 0, 5: 0, 6: 0})
    assert connect4.write(solved).endswith(" x .+=-===")


def test_an_unknown_kind_is_named() -> None:
    """The error quotes the unknown kind and lists the known ones."""
    with pytest.raises(rz.GameError, match="no 'endless' positions; known: early, middle, late"):
        positions("endless")  # type: ignore[arg-type]
