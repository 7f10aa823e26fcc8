"""rz.net: policies and values of states."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero.nets.checkpoint import save
from rulezero.nets.heads import WdlHead
from rulezero.nets.tower import create
from rulezero.play.net import Net
from support import little_nets, samples
from support.evaluators import RandomEvaluator


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_values_are_seat_0s(text: str) -> None:
    """The evaluator's values are the mover's, and Net turns them; policy logits are unchanged."""
    states, planes = little_nets.positions(text, 64), little_nets.batch(text, 64)
    assert {state.mover for state in states} == {0, 1}
    net = rz.net(little_nets.net(text))
    policy, value = net.evaluate(states)
    answers = net.evaluator.evaluate(planes)
    assert (policy == answers.policy).all()
    sign = [1 if state.mover == 0 else -1 for state in states]
    assert (value == answers.value * np.array(sign, np.float32)).all()
    chances = net.chances(states)
    np.testing.assert_allclose(chances.sum(1), 1, atol=1e-6)
    np.testing.assert_allclose(chances[:, 0] - chances[:, 2], value, atol=1e-6)
    np.testing.assert_allclose(chances[:, 1], answers.draw, atol=1e-6)


def test_a_mover_who_wins(tmp_path: Path) -> None:
    """If the net predicts a win for the mover, the value is +1 for seat 0 and -1 for seat 1."""
    tower = create(samples.game("connect4"), little_nets.TINY)
    head = tower.value
    assert isinstance(head, WdlHead)
    with torch.no_grad():
        head.wdl.weight.zero_()
        head.wdl.bias.copy_(torch.tensor([20.0, 0.0, 0.0]))
    net = rz.net(save(tmp_path / "net", tower, samples.game("connect4")))
    state = samples.game("connect4").start()
    _, value = net.evaluate([state, state.apply(3)])
    assert value.tolist() == pytest.approx([1, -1])
    chances = net.chances([state, state.apply(3)])
    np.testing.assert_allclose(chances, [[1, 0, 0], [0, 0, 1]], atol=1e-6)


def test_no_states_and_many() -> None:
    """A batch may have any size."""
    net = rz.net(little_nets.net("connect4"))
    policy, value = net.evaluate([])
    assert (policy.shape, value.shape, net.chances([]).shape) == ((0, 7), (0,), (0, 3))
    states = [*little_nets.positions("connect4", 64)] * 3
    policy, value = net.evaluate(states)
    assert (policy[:64] == policy[128:]).all()
    assert (value[:64] == value[128:]).all()


def test_games_that_look_alike_fit() -> None:
    """A net accepts a game whose rule options change neither planes nor slots."""
    net = rz.net(little_nets.net("exchange"))
    plain, fixed = samples.game("exchange").start(), samples.game("exchange:dice=fixed:3").start()
    policy, _ = net.evaluate([plain, fixed])
    assert (policy[0] == policy[1]).all()


@pytest.mark.parametrize(
    ("net", "text", "message"),
    [
        ("connect4", "monster", "the net is for connect4, not for monster"),
        ("chess", "random_chess", "the net is for chess, not for random_chess"),
        ("chess", "chess:planes=features781", r"planes \(119, 8, 8\) and 4672 slots, but"),
    ],
)
def test_games_that_do_not_fit_are_refused(net: str, text: str, message: str) -> None:
    """A state of another game raises a NetError that says why it does not fit."""
    with pytest.raises(rz.NetError, match=message):
        rz.net(little_nets.net(net)).evaluate([samples.game(text).start()])


def test_any_evaluator_can_be_a_net() -> None:
    """Any evaluator can be used as a net, with a card that names its game."""
    card = rz.net(little_nets.net("connect4")).card
    net = Net(RandomEvaluator(7), card)
    policy, value = net.evaluate([samples.game("connect4").start()])
    assert (policy.shape, value.shape) == ((1, 7), (1,))
    assert repr(net) == "<net random:seed=0 for connect4>"


WORKER = """
import sys
import rulezero as rz
assert not {"torch", "onnxruntime", "onnx"} & sys.modules.keys(), "import rulezero is slow"
for precision in ("fp32", "int8"):
    net = rz.net(sys.argv[1], precision)
    net.evaluate([rz.load("connect4").start()])
    assert not {"torch", "sympy", "safetensors"} & sys.modules.keys(), precision
    assert precision == "int8" or "onnx" not in sys.modules
player = rz.player(f"puct:net={sys.argv[1]},sims=4")
player.think(rz.load("connect4").start())
assert "torch" not in sys.modules
rz.player("puct:net=x,backend=torch,device=cuda,precision=fp16")
assert "torch" not in sys.modules, "reading a text needs no torch"
rz.net(sys.argv[1], backend="torch").evaluate([rz.load("connect4").start()])
assert "torch" in sys.modules
print(net)
"""


def test_workers_do_not_import_torch() -> None:
    """Playing with a net, also in int8, imports onnxruntime but not torch; importing neither."""
    net = little_nets.net("connect4")
    result = subprocess.run(
        [sys.executable, "-c", WORKER, str(net)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"<net {net.name}.int8#")
