"""Batches: planes and targets are those of the recorded games, from the mover's view."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from games.test_symmetry import mirror_connect4, mirror_files, mirror_monster, mirror_razzle
from rulezero.data.replay import replay_of
from rulezero.learn.batch import Batch, Batches
from rulezero.learn.targets import TargetSettings, of_play
from rulezero.learn.window import Window
from support import record_samples, samples, windows

MIRRORS = {"connect4": mirror_connect4, "razzle": mirror_razzle, "monster": mirror_monster}


class Always(np.random.Generator):
    """A random generator that always gives the same number."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.number = number

    def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
        return np.full(size, self.number)


def whole(window: Window, text: str, number: float = 1.0, *, share: float = 0.0) -> Batch:
    """All positions of a window in a batch; mirrored if `number` is below 1/2."""
    batches = Batches(
        window, samples.game(text), settings=TargetSettings(search_share=share), mirrors=True
    )
    return batches.make(np.arange(len(window)), Always(number))


def states_of(window: Window, text: str) -> list[rz.State]:
    """The states of all positions of a window in which game n has seed n."""
    known = window.at(np.arange(len(window)))
    return [
        samples.played(text, int(game))[ply]
        for game, ply in zip(known.game, known.ply, strict=True)
    ]


def slots_of(state: rz.State) -> npt.NDArray[np.bool_]:
    """The mask of the slots of legal actions: [slots]."""
    legal = np.zeros(state.game.facts.slots, np.bool_)
    legal[[state.slot(action) for action in state.legal]] = True
    return legal


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_batch_is_the_game_replayed(text: str) -> None:
    """Planes, legal slots and policy of every position are the state's own."""
    window = windows.of_games(text)
    states, batch = states_of(window, text), whole(window, text)
    assert len(states) == len(batch.planes) > 20
    known = window.at(np.arange(len(window)))
    policies = 0
    for row, state in enumerate(states):
        np.testing.assert_array_equal(batch.planes[row], state.planes())
        np.testing.assert_array_equal(batch.legal[row], slots_of(state))
        thought = record_samples.several(text, 3)[known.game[row]].thought(int(known.ply[row]))
        wanted = np.zeros(state.game.facts.slots)
        for action, share in (thought.target if thought else {}).items():
            wanted[state.slot(action)] += share  # actions may share a slot
        np.testing.assert_allclose(batch.policy[row], wanted, atol=1e-6)
        policies += bool(wanted.any())
    assert 0 < policies < len(states)


@pytest.mark.parametrize("text", samples.GAMES)
def test_policies_are_shares_of_legal_slots(text: str) -> None:
    """A policy sums to 1, or to 0 if the position has none; illegal slots have 0."""
    batch = whole(windows.of_games(text), text)
    total = batch.policy.sum(1)
    assert ((np.abs(total - 1) < 1e-5) | (total == 0)).all()
    assert (batch.policy[~batch.legal] == 0).all()
    assert batch.legal.any(1).all()


@pytest.mark.parametrize("text", MIRRORS)
def test_mirrored_positions_are_positions(text: str) -> None:
    """Mirrored planes, legal slots and policies are those of the mirrored text's position."""
    window = windows.of_games(text)
    plain, batch = whole(window, text), whole(window, text, 0.0)
    known = window.at(np.arange(len(window)))
    turned = mirror_files(8) if text == "monster" else mirror_files(7)
    seen = 0
    for row, state in enumerate(states_of(window, text)):
        if text == "monster" and state.text.split(" ")[2] != "-":
            # Positions with castling rights have no mirror image and stay unmirrored.
            np.testing.assert_array_equal(batch.planes[row], plain.planes[row])
            np.testing.assert_array_equal(batch.policy[row], plain.policy[row])
            continue
        seen += 1
        there = state.game.parse(MIRRORS[text](state.text))
        np.testing.assert_array_equal(batch.planes[row], np.flip(plain.planes[row], -1))
        np.testing.assert_array_equal(batch.planes[row], there.planes())
        np.testing.assert_array_equal(batch.legal[row], slots_of(there))
        wanted = np.zeros(state.game.facts.slots)
        thought = record_samples.several(text, 3)[known.game[row]].thought(int(known.ply[row]))
        for action, share in (thought.target if thought else {}).items():
            move = state.say(action)
            there_move = move if move == "end" else turned(move[:4]) + move[4:]
            wanted[there.slot(there.read(there_move))] += share
        np.testing.assert_allclose(batch.policy[row], wanted, atol=1e-6)
    for name in ("wdl", "value", "weight", "plies_left"):
        np.testing.assert_array_equal(getattr(batch, name), getattr(plain, name))
    assert (batch.planes != plain.planes).any()
    assert seen > 20


def test_half_of_the_positions_are_mirrored() -> None:
    """Half are mirrored at random; none without dice, with mirrors=False, or without a mirror."""
    window, game = windows.of_games("razzle"), samples.game("razzle")
    plain, mirrored = whole(window, "razzle"), whole(window, "razzle", 0.0)
    everything = np.arange(len(window))

    def is_plain(mirrors: bool, seed: int | None) -> npt.NDArray[np.bool_]:
        batches = Batches(window, game, settings=TargetSettings(), mirrors=mirrors)
        dice = None if seed is None else np.random.default_rng(seed)
        planes = batches.make(everything, dice).planes
        same: npt.NDArray[np.bool_] = (planes == plain.planes).all((1, 2, 3))
        assert (same | (planes == mirrored.planes).all((1, 2, 3))).all()
        return same

    assert is_plain(True, None).all()
    assert is_plain(False, 1).all()
    assert 0.4 < is_plain(True, 1).mean() < 0.6
    np.testing.assert_array_equal(is_plain(True, 1), is_plain(True, 1))
    chess = windows.of_games("chess", 1)
    np.testing.assert_array_equal(
        whole(chess, "chess", 0.0).planes, whole(chess, "chess", 1.0).planes
    )


@pytest.mark.parametrize("text", samples.GAMES)
@pytest.mark.parametrize("outcome", [1.0, 0.0, -1.0])
def test_values_are_the_movers(text: str, outcome: float) -> None:
    """Values are results for the mover, also in games with several plies per turn."""
    records = [record_samples.made(text, seed, outcome=outcome) for seed in range(3)]
    window = windows.of(records)
    states, batch = states_of(window, text), whole(window, text)
    signs = np.array([1 - 2 * state.mover for state in states])
    np.testing.assert_array_equal(batch.value, outcome * signs)
    np.testing.assert_array_equal(batch.wdl[:, 1], outcome == 0)
    np.testing.assert_array_equal(batch.wdl[:, 0], outcome * signs == 1)
    np.testing.assert_array_equal(batch.wdl.sum(1), 1)
    is_twice = signs[1:] == signs[:-1]
    if text in ("razzle", "monster"):  # passes keep the mover; White moves twice
        assert is_twice.mean() > 0.1


def test_plies_left_are_until_the_end() -> None:
    """plies_left counts the plies to the end; the last ply has 1."""
    window = windows.of_games("connect4")
    known = window.at(np.arange(len(window)))
    plies = np.array([record.plies for record in record_samples.several("connect4", 3)])
    batch = whole(window, "connect4")
    np.testing.assert_array_equal(batch.plies_left, plies[known.game] - known.ply)
    assert batch.plies_left.min() == 1


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_search_values_are_mixed_in(share: float) -> None:
    """A share of the search's win, draw and loss for the mover, at plies with a search value."""
    window = windows.of(record_samples.several("connect4", 3))
    known = window.at(np.arange(len(window)))
    plain, mixed = whole(window, "connect4"), whole(window, "connect4", share=share)
    thoughts = 0
    for row, state in enumerate(states_of(window, "connect4")):
        record = record_samples.several("connect4", 3)[known.game[row]]
        thought = record.thought(int(known.ply[row]))
        wanted = plain.wdl[row]
        if thought is not None and thought.value is not None:
            value = thought.value * (1 - 2 * state.mover)
            draw = min(thought.draw or 0.0, 1 - abs(value))
            said = np.array([(1 - draw + value) / 2, draw, (1 - draw - value) / 2])
            wanted = (1 - share) * wanted + share * said
            thoughts += 1
        np.testing.assert_allclose(mixed.wdl[row], wanted, atol=1e-5)
        assert mixed.value[row] == pytest.approx(wanted[0] - wanted[2], abs=1e-5)
    assert 0 < thoughts < len(window)
    assert (mixed.wdl >= 0).all()
    assert mixed.wdl.dtype == np.float32


def test_batches_take_positions_in_any_order_and_often() -> None:
    """Positions may be repeated and in any order; the batch has them sorted, game by game."""
    window, game = windows.of_games("connect4"), samples.game("connect4")
    batches = Batches(window, game, settings=TargetSettings(), mirrors=False)
    drawn = np.array([7, 3, len(window) - 1, 3, 0])
    batch, everything = batches.make(drawn), batches.make(np.arange(len(window)))
    for name in ("planes", "legal", "policy", "wdl", "plies_left"):
        np.testing.assert_array_equal(
            getattr(batch, name), getattr(everything, name)[np.sort(drawn)]
        )
    assert batch.weight.tolist() == [1] * 5
    assert len(batches.make(np.zeros(0, np.int64)).planes) == 0


def shares(settings: TargetSettings, done: float = 0.0) -> tuple[float, float]:
    """The share of the search's value in the targets of a won game, and of a drawn game."""
    found = []
    for outcome in (1.0, 0.0):
        record = record_samples.made("connect4", outcome=outcome, end_reason="four")
        window = windows.of([record], targets=settings)
        batches = Batches(window, samples.game("connect4"), settings=settings, mirrors=False)
        known = window.at(np.arange(len(window)))
        is_known = np.isfinite(known.search)
        batch = batches.make(np.arange(len(window)), done=done)
        told = (batch.value - known.result)[is_known]
        found.append(float(np.mean(told / (known.search - known.result)[is_known])))
    return found[0], found[1]


def test_the_search_s_share_may_change_over_a_fit() -> None:
    """The share changes linearly from search_share to search_share_end over a fit."""
    settings = TargetSettings(search_share=0.8, search_share_end=0.5)
    for done, wanted in ((0.0, 0.8), (0.5, 0.65), (1.0, 0.5)):
        assert shares(settings, done) == pytest.approx((wanted, wanted), abs=1e-4)


def test_drawn_games_may_have_a_share_of_their_own() -> None:
    """search_share_drawn=1 uses the search values of drawn games, and results of other games."""
    assert shares(TargetSettings(search_share_drawn=1)) == pytest.approx((0, 1), abs=1e-4)
    assert shares(TargetSettings(search_share=0.25)) == pytest.approx((0.25, 0.25), abs=1e-4)


def test_a_judge_tells_values_that_nobody_knew() -> None:
    """A judge's values fill in for missing search values; the mover's own are never replaced."""
    record = record_samples.made("connect4", end_reason="four")
    columns, played = record.columns(), replay_of(record, samples.game("connect4"))
    other = record_samples.made("connect4", seed=0).columns()
    note = msgspec.structs.replace(other, value=np.full(record.plies, 0.25, np.float32))
    found = of_play(record, columns, played, TargetSettings(), note)
    is_known = np.isfinite(columns.value)
    assert 0 < is_known.sum() < record.plies
    np.testing.assert_array_equal(found.search[is_known], columns.value[is_known])
    assert (found.search[~is_known] == 0.25).all()
