"""Plays a game and its slow reference with the same random choices, and compares them."""

import random
from collections.abc import Callable, Iterator
from typing import Protocol, Self, TypeVar

import rulezero as rz


class Reference(Protocol):
    """The interface of references: that of states, with move texts instead of action numbers."""

    @property
    def text(self) -> str: ...
    @property
    def mover(self) -> int: ...
    @property
    def legal(self) -> list[str]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def outcome(self) -> float | None: ...
    @property
    def end_reason(self) -> str | None: ...
    def apply(self, move: str) -> Self: ...


R = TypeVar("R", bound=Reference)


def assert_same(state: rz.State, reference: Reference) -> dict[str, int]:
    """Asserts that all answers agree, and returns the legal actions by move text."""
    assert state.text == reference.text
    moves = {state.say(action): action for action in state.legal}
    assert sorted(moves) == reference.legal, state.text
    ending = (state.is_over, state.outcome, state.end_reason)
    assert ending == (reference.is_over, reference.outcome, reference.end_reason), state.text
    if not state.is_over:
        assert state.mover == reference.mover, state.text
    return moves


def play(
    state: rz.State,
    reference: R,
    seed: int,
    most: int = 1_000_000,
    choose: Callable[[random.Random, list[str]], str] = random.Random.choice,
) -> Iterator[tuple[rz.State, R]]:
    """Yields both states of a random game, from start to end, after asserting that they agree."""
    dice = random.Random(seed)
    for _ in range(most):
        moves = assert_same(state, reference)
        yield state, reference
        if state.is_over:
            return
        move = choose(dice, reference.legal)
        state = state.apply(moves[move])
        reference = reference.apply(move)
