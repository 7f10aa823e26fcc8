"""`rulezero bench`: the figures of rulezero.play.speed in a table."""

import json

import msgspec
import pytest

import rulezero as rz
from rulezero import _core
from rulezero.play.speed import Speed, measure
from support import little_nets, samples
from support.commands import fails, succeeds


@pytest.mark.parametrize("text", ["connect4", "exchange", "tictactoe"])
def test_every_figure_is_measured(text: str) -> None:
    """Every speed is measured, also for a game in Python, which has no heuristic."""
    speed = measure(samples.game(text), seconds=0.01)
    assert speed.game == text
    assert min(speed.leaves, speed.planes, speed.uniform_sims) > 0
    assert (speed.heuristic_sims is None) == (text == "tictactoe")
    assert (speed.net_positions, speed.net_sims) == (None, None)


def test_a_net_is_measured_in_self_play() -> None:
    """A net's evaluations and simulations are measured; a net of another game is refused."""
    speed = measure(samples.game("connect4"), net=str(little_nets.net("connect4")), seconds=0.05)
    assert speed.net_positions
    assert speed.net_sims
    with pytest.raises(rz.NetError, match="is for connect4"):
        measure(samples.game("chess"), net=str(little_nets.net("connect4")), seconds=0.05)


def test_the_command_prints_them() -> None:
    """Prints a line or a JSON object for each game; --net makes the net's game the default."""
    output = succeeds("bench", "--seconds", "0.01")
    lines = [line.split() for line in output.splitlines()]
    assert [line[0] for line in lines[1:]] == sorted(_core.game_options())
    for line in lines[1:]:
        assert all(int(figure.replace(",", "")) > 0 for figure in line[1:])
    told = succeeds("bench", "razzle", "connect4", "--seconds", "0.01", "--json").splitlines()
    assert [msgspec.json.decode(line, type=Speed).game for line in told] == ["razzle", "connect4"]
    net = little_nets.net("connect4")
    speed = json.loads(succeeds("bench", "--net", net, "--seconds", "0.01", "--json"))
    assert speed["game"] == "connect4"
    assert speed["net_positions"] > 0


def test_wrong_input_is_one_line() -> None:
    """The error is one line that names the wrong argument."""
    assert "did you mean 'chess'" in fails("bench", "razzle", "ches")
    assert "--seconds" in fails("bench", "--seconds", "0")
    assert "nowhere" in fails("bench", "--net", "nowhere")
    assert "is for connect4" in fails("bench", "chess", "--net", little_nets.net("connect4"))
