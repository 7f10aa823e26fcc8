"""The planes of EXCHANGE, compared with a slow reference written from docs/planes.md."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import rulezero as rz
from reference import exchange, exchange_planes

Choose = Callable[[random.Random, list[str]], str]


def assert_same_planes(state: rz.State, repetitions: int = 1) -> None:
    """Asserts that the game's planes agree with the reference's, with values in [0, 1]."""
    fast, slow = state.planes(), exchange_planes.planes(state.text, repetitions)
    assert fast.shape == slow.shape == (75, 8, 8)
    assert fast.dtype == slow.dtype == np.float32
    assert fast.min() >= 0, state.text
    assert fast.max() <= 1, state.text
    differing = [
        f"channel {channel} on {'abcdefgh'[file]}{rank + 1}:"
        f" {fast[channel, rank, file]}, not {slow[channel, rank, file]}"
        for channel, rank, file in np.argwhere(~(abs(fast - slow) <= 1e-6))
    ]
    assert not differing, (state.text, differing[:8])


def strike_mostly(dice: random.Random, moves: list[str]) -> str:
    """Usually a strike, heal or Decree, so that men lose HP and charges and are killed."""
    loud = [move for move in moves if "x" in move or "+" in move or move == "decree"]
    return dice.choice(loud if loud and dice.random() < 0.6 else moves)


def key(text: str) -> object:
    """The parts of a position that are equal in a repetition."""
    state = exchange.State.parse(text)
    men = {(square, replace(man, promoted=False)) for square, man in state.men.items()}
    return frozenset(men), state.side, state.decree


def strewn(dice: random.Random) -> str:
    """A position of up to 60 men with random HP, charges and cooldowns; one king may be missing."""
    squares = dice.sample(range(64), dice.randint(3, 60))
    signs = ["k", "K", *dice.choices("qrbnppQRBNPP", k=len(squares) - 2)]
    if dice.random() < 0.1:
        signs[dice.randrange(2)] = "N"
    men: dict[int, exchange.Man] = {}
    for square, sign in zip(squares, signs, strict=True):
        if sign in "pP" and square // 8 in (0, 7):
            continue
        man = exchange.fresh_man(sign.upper(), int(sign.islower()))
        if dice.random() < 0.7:
            man = replace(man, hp=dice.randint(1, man.kind.max_hp))
        if man.charges is not None:
            man = replace(man, charges=dice.choice([0, dice.randint(0, man.charges), man.charges]))
        if man.kind.cools_down:
            man = replace(man, cooldown=max(0, dice.randint(-3, 3)))
        if man.letter == "P":
            man = replace(man, advance=dice.randint(0, 2))
        if man.letter == "Q":
            man = replace(man, promoted=dice.random() < 0.3)
        men[square] = man
    ply = dice.randint(0, 300)
    decree = (dice.randint(0, 2), dice.randint(0, 2))
    no_damage = min(ply, dice.randint(0, 60))
    return exchange.State(men, dice.randrange(2), decree, no_damage, ply, None).text


@pytest.mark.parametrize("choose", [random.Random.choice, strike_mostly])
@pytest.mark.parametrize("seed", range(4))
def test_planes_of_games_agree(seed: int, choose: Choose) -> None:
    """All positions of whole games agree; repetitions are counted from the texts."""
    dice, state = random.Random(seed), rz.load("exchange").start()
    times: Counter[object] = Counter()
    while True:
        if state.is_over or state.mover != rz.CHANCE:
            times[key(state.text)] += 1
            assert_same_planes(state, times[key(state.text)])
        if state.is_over:
            return
        moves = {state.say(action): action for action in state.legal}
        state = state.apply(moves[choose(dice, sorted(moves))])


@pytest.mark.parametrize("seed", range(8))
def test_planes_of_strewn_positions_agree(seed: int) -> None:
    """Random positions agree, whatever the game's dice."""
    dice = random.Random(seed)
    game = rz.load("exchange", dice=f"fixed:{seed}" if 1 <= seed <= 6 else "d6")
    for _ in range(250):
        assert_same_planes(game.parse(strewn(dice)))


def test_planes_count_repetitions() -> None:
    """Knights go out and back until the start position occurs for the third time."""
    state = rz.load("exchange").start()
    times: Counter[object] = Counter()
    for move in ["", *["b1c3", "b8c6", "c3b1", "c6b8"] * 2]:
        if move:
            state = state.apply({state.say(action): action for action in state.legal}[move])
        times[key(state.text)] += 1
        assert_same_planes(state, times[key(state.text)])
    assert state.end_reason == "repetition"


def test_a_pending_die_has_no_planes() -> None:
    """The game and the reference both raise while a die is pending."""
    text = "4k3/8/8/8/3p4/8/8/3QK3 w 0/0 0 0 - die:d1xd4"
    state = rz.load("exchange").parse(text)
    with pytest.raises(rz.PositionError, match="no planes"):
        state.planes()
    with pytest.raises(ValueError, match="no planes"):
        exchange_planes.planes(text)
