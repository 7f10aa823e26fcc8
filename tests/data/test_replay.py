"""Replayed records: movers, planes, slots and events are the same as in play."""

import threading
from typing import Any

import numpy as np
import pytest

import rulezero as rz
from rulezero import _core
from rulezero.data import RecordError
from rulezero.data.replay import follow, planes, replay_of
from support import record_samples, samples

pytestmark = pytest.mark.sanitize


def seen(states: tuple[rz.State, ...]) -> list[int]:
    """The plies whose positions have planes: all but those with a pending die."""
    return [i for i, state in enumerate(states) if state.is_over or state.mover != rz.CHANCE]


@pytest.mark.parametrize("text", samples.GAMES)
def test_planes_from_the_record_equal_planes_from_play(text: str) -> None:
    """Planes are equal byte for byte, including history planes, in any order of plies."""
    for seed in range(3):
        states = samples.played(text, seed)
        record = record_samples.made(text, seed)
        plies = np.random.default_rng(seed).permutation(seen(states))
        remade = planes(record, plies)
        assert remade.shape == (len(plies), *states[0].game.facts.planes)
        for ply, of_record in zip(plies, remade, strict=True):
            assert of_record.tobytes() == states[ply].planes().tobytes(), (seed, ply)


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_replay_is_what_was_played(text: str) -> None:
    """Movers, numbers of legal actions, events and the last state are those of the game."""
    states = samples.played(text, 1)
    told = replay_of(record_samples.made(text, 1))
    assert told.movers.tolist() == [state.mover for state in states[:-1]]
    assert told.choices.tolist() == [len(state.legal) for state in states[:-1]]
    assert told.events.shape == (len(states) - 1, len(states[0].game.facts.events))
    for row, state in zip(told.events, states[1:], strict=True):
        assert dict(zip(state.game.facts.events, row.tolist(), strict=True)) == state.events
    assert told.last == states[-1]


@pytest.mark.parametrize("text", samples.GAMES)
def test_slots_and_legal_masks_are_those_of_play(text: str) -> None:
    """A mask is true exactly at the slots of legal actions; pairs get their actions' slots."""
    states = samples.played(text, 2)
    record = record_samples.made(text, 2)
    columns = record.columns()
    game = states[0].game
    plies = np.flatnonzero(columns.has_policy)[::-1].astype(np.uint32)
    legal = np.ones((len(plies), game.facts.slots), bool)
    pairs = [columns.pair_actions[columns.offsets[p] : columns.offsets[p + 1]] for p in plies]
    slots = np.full(sum(map(len, pairs)), -1, np.int32)
    _core.remake(
        game,
        [(record.start, columns.actions)],
        plies,
        legal=legal,
        offsets=np.cumsum([0, *map(len, pairs)]),
        pairs=np.concatenate(pairs),
        slots=slots,
    )
    said = iter(slots.tolist())
    for row, (ply, actions) in enumerate(zip(plies, pairs, strict=True)):
        state = states[ply]
        assert set(np.flatnonzero(legal[row])) == {state.slot(a) for a in state.legal}
        assert [next(said) for _ in actions] == [state.slot(int(a)) for a in actions]


def test_an_array_of_the_caller_is_filled() -> None:
    """`out` may be part of a larger array; it is cleared first, and the rest stays unchanged."""
    record = record_samples.made("connect4")
    batch = np.full((5, 3, 6, 7), 9, np.float32)
    filled = planes(record, [4, 0], out=batch[1:3])
    assert filled.base is batch
    np.testing.assert_array_equal(batch[1], samples.played("connect4")[4].planes())
    np.testing.assert_array_equal(batch[2], samples.played("connect4")[0].planes())
    assert (batch[[0, 3, 4]] == 9).all()


def test_threads_replay_at_once() -> None:
    """The core releases the GIL while it replays, and each thread gets the right planes."""
    record = record_samples.made("chess")
    plies = np.arange(0, record.plies, 3)
    wanted = planes(record, plies)
    found: list[bytes] = []

    def work() -> None:
        found.extend(planes(record, plies).tobytes() for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {wanted.tobytes()}
    assert len(found) == 20


def test_what_cannot_be_replayed_is_told_with_its_ply() -> None:
    """The error for an illegal action, a ply beyond the end or a pending die names the ply."""
    game = rz.load("connect4")
    start = game.start().text

    def actions(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        return np.array(numbers, np.uint32)

    with pytest.raises(RecordError, match=r"connect4: at ply 2, in .* action 7 is not legal"):
        follow(game, start, actions(0, 1, 7))
    with pytest.raises(RecordError, match=r"at ply 7, .*the game is over"):
        follow(game, start, actions(0, 1, 0, 1, 0, 1, 0, 1))
    with pytest.raises(RecordError, match="a board and a side"):
        follow(game, "nonsense", actions())
    record = record_samples.made("connect4")
    with pytest.raises(RecordError, match="there is no ply 99"):
        planes(record, [0, 99])
    with pytest.raises(RecordError, match="there is no ply"):
        planes(record, [-1])
    exchange = record_samples.made("exchange")
    die = replay_of(exchange).movers.tolist().index(rz.CHANCE)
    with pytest.raises(RecordError, match=f"at ply {die}, .*a die is pending"):
        planes(exchange, [die])


def test_plies_of_several_games_come_in_the_order_asked_for() -> None:
    """Plies of different games may be requested in any order."""
    records = [record_samples.made("razzle", seed) for seed in range(3)]
    game = rz.load("razzle")
    which = np.array([2, 0, 1, 2, 0, 2], np.uint32)
    plies = np.array([3, 5, 0, 9, 1, 3], np.uint32)
    found = np.empty((6, *game.facts.planes), np.float32)
    games = [(record.start, record.action_numbers()) for record in records]
    _core.remake(game, games, plies, which=which, planes=found)
    for row, (number, ply) in enumerate(zip(which, plies, strict=True)):
        np.testing.assert_array_equal(found[row], planes(records[number], [ply])[0])
    with pytest.raises(IndexError, match="there is no game 3 among 3"):
        _core.remake(game, games, plies, which=which + 1, planes=found)
    with pytest.raises(ValueError, match="which needs the shape"):
        _core.remake(game, games, plies, which=which[:5], planes=found)


def test_arrays_that_do_not_fit_are_refused() -> None:
    """Arrays with wrong shapes, types, strides or offsets, or read-only ones, are refused."""
    game = rz.load("connect4")
    start = game.start().text
    none = np.zeros(0, np.uint32)
    two = np.zeros(2, np.uint32)
    good: dict[str, Any] = {
        "offsets": np.array([0, 1, 2]),
        "pairs": two,
        "slots": np.zeros(2, np.int32),
    }
    _core.remake(game, [(start, none)], two, **good)
    wrong: list[dict[str, object]] = [
        {"planes": np.zeros((2, 3, 6, 6), np.float32)},
        {"planes": np.zeros((1, 3, 6, 7), np.float32)},
        {"planes": np.zeros((2, 3, 6, 7), np.float64)},
        {"planes": np.zeros((2, 3, 6, 14), np.float32)[..., ::2]},
        {"legal": np.zeros((2, 8), bool)},
        {"legal": np.zeros((2, 7), np.uint8)},
        {"pairs": two},
        {**good, "slots": np.zeros(1, np.int32)},
        {**good, "slots": np.zeros(2, np.int64)},
        {**good, "offsets": np.array([0, 1])},
        {**good, "offsets": np.array([0, 1, 3])},
        {**good, "offsets": np.array([-1, 1, 2])},
        {**good, "offsets": np.array([2, 1, 0])},
    ]
    for arrays in wrong:
        with pytest.raises((ValueError, TypeError)):
            _core.remake(game, [(start, none)], two, **arrays)  # type: ignore[arg-type]
    readonly = np.zeros((2, 3, 6, 7), np.float32)
    readonly.flags.writeable = False
    with pytest.raises(TypeError):
        _core.remake(game, [(start, none)], two, planes=readonly)
