"""A diagnosis: its figures agree with figures computed from states and a net."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero.data.steps import steps
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.reports.diagnosis import (
    answers_of,
    calibration,
    diagnose,
    judge,
    positions_of,
)
from rulezero.reports.openings import entropy, openings, repeated
from rulezero.reports.sample import newest_games
from support import little_nets, little_runs


def test_figures_by_hand() -> None:
    """Legal mass, top-1, cross-entropy and values of a few games, position by position."""
    run = little_runs.run()
    net = rz.net(run.path)
    records = newest_games(run, 3)
    masses, losses, agree, said, ended = [], [], [], [], []
    for record in records:
        for step in steps(record):
            if step.ply < record.opening:
                continue
            logits, value = net.evaluate([step.state])
            shares = np.exp(logits[0].astype(np.float64))
            shares /= shares.sum()
            legal = [step.state.slot(action) for action in step.state.legal]
            sign = 1 - 2 * step.state.mover
            said.append(sign * value[0])
            ended.append(sign * record.outcome)
            assert step.thought is not None
            target = np.zeros(len(shares))
            for action, share in step.thought.target.items():
                target[step.state.slot(action)] = share
            among = np.zeros(len(shares))
            among[legal] = shares[legal] / shares[legal].sum()
            masses.append(shares[legal].sum())
            losses.append(-sum(target[slot] * np.log(among[slot]) for slot in legal))
            agree.append(among.argmax() == target.argmax())
    batch = positions_of(records, rz.load("connect4"))
    found = judge("net", answers_of(OnnxEvaluator(run.path), batch, has_draws=True), batch)
    assert len(batch.value) == len(said)
    assert found.legal_mass == pytest.approx(np.mean(masses), abs=1e-5)
    assert found.policy == pytest.approx(np.mean(losses), abs=1e-4)
    assert found.top1 == pytest.approx(np.mean(agree), abs=1e-6)
    assert found.value_spread == pytest.approx(np.std(said), abs=1e-5)
    right = [np.sign(a) == b for a, b in zip(said, ended, strict=True) if b]
    assert found.winner == pytest.approx(np.mean(right))


def test_calibration_by_hand() -> None:
    """Bins of equal width with their means; the error is the mean distance over positions."""
    predicted = np.array([-1.0, -0.95, 0.31, 0.35, 0.39, 1.0], np.float32)
    outcome = np.array([-1.0, 1.0, 0.0, 0.0, 0.0, 1.0], np.float32)
    lost, middle, won = calibration(predicted, outcome, 10)
    assert [lost.low, lost.high] == pytest.approx([-1.0, -0.8])
    assert [lost.positions, lost.predicted, lost.outcome] == pytest.approx([2, -0.975, 0.0])
    assert [middle.positions, middle.predicted] == pytest.approx([3, 0.35])
    assert (won.high, won.positions, won.outcome) == (1.0, 1, 1.0)
    batch = positions_of(newest_games(little_runs.run(), 5), rz.load("connect4"))
    answers = answers_of(OnnxEvaluator(little_runs.run().path), batch, has_draws=True)
    found = judge("net", answers, batch)
    distances = [abs(each.predicted - each.outcome) * each.positions for each in found.bins]
    assert sum(each.positions for each in found.bins) == len(batch.value)
    assert found.calibration_error == pytest.approx(sum(distances) / len(batch.value))


def test_openings_by_hand() -> None:
    """Of four games two are identical, and a third reaches their position in another order."""
    game = rz.load("connect4")
    (record,) = newest_games(little_runs.run(), 1)

    def played(moves: str) -> rz.Record:
        state = game.start()
        for move in moves:
            state = state.apply(state.read(move))
        actions, thoughts = rz.data.pack(state.actions)
        return msgspec.structs.replace(
            record, start=game.start().text, actions=actions, thoughts=thoughts, opening=0
        )

    games = [played(moves) for moves in ("abcd", "abcd", "cdab", "aabbc")]
    four, five = openings(games, game, plies=(4, 5))
    assert (four.ply, four.games, four.distinct) == (4, 4, 2)
    assert four.bits == pytest.approx(-(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)))
    assert (five.games, five.distinct, five.bits) == (1, 1, 0.0)
    assert repeated(games) == 0.25
    assert entropy([1] * 8) == 3.0


def test_a_run_is_diagnosed_by_its_newest_games() -> None:
    """At most the wanted number of games is used; the run's untrained net is compared."""
    run = little_runs.run()
    found = diagnose(run.path, games=7)
    assert (found.game, found.games) == ("connect4", 7)
    assert found.source == "self-play of iteration 2"
    assert found.net.net == "iter_2"
    assert found.untrained is not None
    assert found.untrained.value_spread < found.net.value_spread
    assert diagnose(run.path).source == "self-play of iterations 1 to 2"
    assert diagnose(f"{run.path}@1", 7).net.net == "iter_1"


def test_a_net_without_a_run_plays() -> None:
    """A bare net plays against itself, and is compared with a new net of the same shape."""
    found = diagnose(little_nets.net("razzle"), games=2)
    assert (found.game, found.games) == ("razzle", 2)
    assert found.source.startswith("of the net against itself")
    assert found.untrained is not None
    assert found.untrained.policy != found.net.policy


def test_a_tanh_value_is_judged_as_one() -> None:
    """A tanh value is measured by squared errors, as in training."""
    config = little_nets.TINY.model_copy(update={"value": "tanh"})
    found = diagnose(little_nets.net("connect4", config), games=2)
    assert not found.has_draws
    assert found.net.value == pytest.approx(
        1, abs=0.5
    )  # an untrained net predicts 0 in decided games
    assert found.best_constant.value <= 1


_WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from rulezero.reports.diagnosis import diagnose
print(diagnose(sys.argv[1], 2).untrained is not None, diagnose(sys.argv[2], 2).untrained)
"""


def test_torch_is_not_needed() -> None:
    """Without torch, only the comparison with an untrained net that was not saved is missing."""
    run, net = str(little_runs.run().path), str(little_nets.net("connect4"))
    program = [sys.executable, "-c", _WITHOUT_TORCH, run, net]
    told = subprocess.run(program, capture_output=True, encoding="utf-8", check=False)
    assert (told.stdout, told.stderr) == ("True None\n", "")
