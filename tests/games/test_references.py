"""EXCHANGE and Razzle Dazzle, compared with slow references written from the rules' text."""

import random

import pytest

import rulezero as rz
from reference import exchange, razzle, side_by_side
from support import boards


@pytest.mark.parametrize("seed", range(30))
def test_razzle_agrees_with_the_reference(seed: int) -> None:
    """Moves, texts, movers and ends agree in whole random games."""
    pairs = list(side_by_side.play(rz.load("razzle").start(), razzle.State.start(), seed))
    assert pairs[-1][0].is_over


def strike_mostly(dice: random.Random, moves: list[str]) -> str:
    """Usually a strike, heal or Decree, because such games use more of the rules."""
    strikes = [move for move in moves if "x" in move or "+" in move or move == "decree"]
    return dice.choice(strikes if strikes and dice.random() < 0.6 else moves)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("dice", [None, 1, 6])
def test_exchange_agrees_with_the_reference(seed: int, dice: int | None) -> None:
    """Whole games with real and fixed dice agree, including the events of each ply."""
    game = rz.load("exchange", dice="d6" if dice is None else f"fixed:{dice}")
    choose = strike_mostly if seed % 3 else random.Random.choice
    start = exchange.State.start(dice)
    for state, slow in side_by_side.play(game.start(), start, seed, choose=choose):
        events = state.events
        assert {name: events[name] for name in slow.events} == slow.events, state.text
    assert state.is_over


def strewn(dice: random.Random) -> str:
    """A random position of up to 20 men with random HP, charges and cooldowns."""
    hit_points = {"k": 25, "q": 10, "r": 13, "b": 10, "n": 11, "p": 7}
    charges = {"k": 3, "r": 5, "b": 3, "n": 5}
    board = [""] * 64
    details = []
    for square, man in zip(
        sorted(dice.sample(range(64), 20)),
        dice.sample("kK" + "rRqQbBnNrRqQbBnNpP", 20),
        strict=True,
    ):
        if man in "pP" and square // 8 in (0, 7):
            continue
        board[square] = man
        kind = man.lower()
        detail = f"{'abcdefgh'[square % 8]}{square // 8 + 1}={dice.randint(1, hit_points[kind])}"
        if kind in charges and dice.random() < 0.5:
            detail += f":u{dice.randint(0, charges[kind] - 1)}"
        if kind in "qrbn" and dice.random() < 0.3:
            detail += f":c{dice.randint(1, 3)}"
        if kind == "p" and dice.random() < 0.3:
            detail += f":a{dice.randint(1, 2)}"
        details.append(detail)
    side = dice.choice("wb")
    decree = f"{dice.randint(0, 2)}/{dice.randint(0, 2)}"
    return f"{boards.field(board)} {side} {decree} 3 {dice.randint(10, 290)} {','.join(details)}"


def test_strewn_exchange_positions_agree_with_the_reference() -> None:
    """Up to six plies from random positions agree, mostly strikes and abilities."""
    dice = random.Random(11)
    game = rz.load("exchange")
    for seed in range(400):
        text = strewn(dice)
        state, slow = game.parse(text), exchange.State.parse(text)
        for after, reference in side_by_side.play(state, slow, seed, most=6, choose=strike_mostly):
            events = after.events
            assert {name: events[name] for name in reference.events} == reference.events
