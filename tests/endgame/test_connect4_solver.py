"""The Connect Four solver: compared with exhaustive search, and on mirrored positions."""

import random
import signal
import threading

import pytest

import rulezero as rz
from rulezero._core import Connect4Solver

GAME = rz.load("connect4")
SOLVER = Connect4Solver(table=64)


def played(men: int, dice: random.Random) -> rz.State:
    """A position with this many men, reached by random moves, in which the game is not over."""
    while True:
        state = GAME.start()
        while not state.is_over:
            if len(state.actions) == men:
                return state
            state = state.apply(dice.choice(state.legal))


def exhaustive(state: rz.State, known: dict[str, int]) -> int:
    """Seat 0's value by plain minimax, without bounds, move ordering or symmetry."""
    if state.outcome is not None:
        return int(state.outcome)
    if state.text not in known:
        values = [exhaustive(state.apply(action), known) for action in state.legal]
        known[state.text] = max(values) if state.mover == 0 else min(values)
    return known[state.text]


def mirrored(state: rz.State) -> rz.State:
    """The position with its columns in reverse."""
    board, side = state.text.split()
    return GAME.parse("/".join(row[::-1] for row in board.split("/")) + " " + side)


@pytest.mark.sanitize
def test_it_agrees_with_exhaustive_search() -> None:
    """400 positions with few empty squares, every legal column, and all three values."""
    dice = random.Random(1)
    seen: list[int] = []
    for number in range(400):
        state = played(30 + number % 12, dice)
        known: dict[str, int] = {}
        wanted = {action: exhaustive(state.apply(action), known) for action in state.legal}
        assert SOLVER.values(state) == wanted, state.text
        assert SOLVER.value(state) == exhaustive(state, known), state.text
        seen += wanted.values()
    assert all(seen.count(value) > 100 for value in (-1, 0, 1))


@pytest.mark.parametrize("men", [16, 20, 24])
def test_a_position_is_worth_its_best_move(men: int) -> None:
    """A position's value is its best move's, for hash tables of 1 and 64 MiB."""
    dice = random.Random(men)
    little = Connect4Solver(table=1)
    for _ in range(15):
        state = played(men, dice)
        values = SOLVER.values(state)
        assert list(values) == state.legal
        best = max(values.values()) if state.mover == 0 else min(values.values())
        assert SOLVER.value(state) == little.value(state) == best


def test_mirror_images_are_worth_the_same() -> None:
    """Mirrored columns have equal values; each position gets a new solver with an empty table."""
    dice = random.Random(3)
    for men in range(18, 40):
        state = played(men, dice)
        images = Connect4Solver(table=1).values(mirrored(state))
        assert Connect4Solver(table=1).values(state) == {6 - c: v for c, v in images.items()}


@pytest.mark.parametrize(
    ("columns", "value"),
    [
        pytest.param("abababa", 1, id="four"),
        pytest.param("abffacdcadefdgedfgccccdaebgbaefabbbeedfggg", 0, id="full board"),
        pytest.param("dbadgebfdgcbadcegeggcadgacccedebfbaefafffb", -1, id="four at the last"),
    ],
)
def test_a_finished_game_is_worth_its_outcome(columns: str, value: int) -> None:
    """A finished game's value is its outcome, and there are no values of moves."""
    state = GAME.replay(GAME.start().text, ["abcdefg".index(column) for column in columns])
    assert state.outcome == value
    assert (SOLVER.value(state), SOLVER.values(state)) == (value, {})


def test_threads_may_share_a_solver() -> None:
    """Four threads that share a solver get the same values as one thread."""
    dice = random.Random(5)
    states = [played(20, dice) for _ in range(12)]
    wanted = [SOLVER.values(state) for state in states]
    shared = Connect4Solver(table=1)
    got: list[list[dict[int, int]]] = []
    threads = [
        threading.Thread(target=lambda: got.append([shared.values(state) for state in states]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [wanted] * 4


def test_a_long_search_can_be_broken_off() -> None:
    """A signal handler's exception ends the search, and the solver still works afterwards."""

    class BrokenOffError(Exception):
        """Raised by the signal handler."""

    def break_off(*_: object) -> None:
        raise BrokenOffError

    before = signal.signal(signal.SIGINT, break_off)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    try:
        solver = Connect4Solver(table=1)
        timer.start()
        with pytest.raises(BrokenOffError):
            solver.value(GAME.start())
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    state = played(20, random.Random(8))
    assert solver.values(state) == SOLVER.values(state)


def test_what_it_cannot_answer_it_says() -> None:
    """Other games and impossible table sizes raise GameError."""
    with pytest.raises(rz.GameError, match="for connect4, not chess"):
        SOLVER.value(rz.load("chess").start())
    for table in (0, -1, 1 << 20):
        with pytest.raises(rz.GameError, match="1 to 65536 MiB"):
            Connect4Solver(table=table)
