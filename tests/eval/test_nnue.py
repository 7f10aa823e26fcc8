"""Efficiently updatable nets: values against a reference, and torch's net."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
import torch

import rulezero as rz
from reference import nnue
from rulezero._core import NetError, Nnue, heuristic
from rulezero.nets.nnue import NnueNet, Shape, create, to_nnue
from support import samples
from support.little_nnues import GAMES, most_of, net, silent, states

# --- values --------------------------------------------------------------------------------------


@pytest.mark.sanitize
@pytest.mark.parametrize("text", GAMES)
def test_values_are_the_formulas(text: str) -> None:
    """Random nets agree with a slow reference, in every phase and for movers of both seats."""
    found: list[float] = []
    for number, (width, phases) in enumerate([(8, 4), (24, 1), (1, 7)]):
        made = net(text, width=width, phases=phases, seed=number)
        core = Nnue.read(nnue.write(made))
        assert nnue.write(nnue.read(nnue.write(made))) == nnue.write(made)
        assert (core.game, core.width, core.phases) == (made.game, width, phases)
        assert core.features == made.features
        seen = set()
        for state in states(text):
            said = core.evaluate(state)
            assert said == pytest.approx(nnue.evaluate(made, state), abs=1e-5), state.text
            seen.add((nnue.phase_of(made, len(state.features(0))), state.mover))
            found.append(said)
        assert {seat for _, seat in seen} == {0, 1}
        assert len(seen) > phases or text == "razzle"  # where no man is ever taken
    assert np.std(found) > 0.2
    assert len({round(each, 4) for each in found}) > len(found) / 2


@pytest.mark.sanitize
@pytest.mark.parametrize("text", GAMES)
def test_the_largest_weights_are_added_up(text: str) -> None:
    """No sum overflows, also where one feature is on several times (EXCHANGE)."""
    made = net(text)
    signs = np.where(np.arange(made.width) % 2, 1, -1)
    largest = np.broadcast_to(32767 * signs, made.columns.shape).astype(np.int16)
    made = replace(made, columns=largest)
    core = Nnue.read(nnue.write(made))
    for state in states(text)[::7]:
        assert core.evaluate(state) == pytest.approx(nnue.evaluate(made, state), abs=1e-5)


@pytest.mark.sanitize
@pytest.mark.parametrize("text", GAMES)
def test_the_path_to_a_position_does_not_count(text: str) -> None:
    """With the sums of any other position the value is the same, to the last bit."""
    core, dice = Nnue.read(nnue.write(net(text))), random.Random(3)
    chosen = states(text)
    for state in chosen[::3]:
        alone = core.evaluate(state)
        for before in [state, *dice.sample(chosen, 4)]:
            assert core.evaluate(state, before) == alone
    play = [each for each in samples.played(text, 1) if each in chosen]
    for before, state in itertools.pairwise(play):
        assert core.evaluate(state, before) == core.evaluate(state)


@pytest.mark.parametrize("text", GAMES)
def test_without_weights_it_is_the_heuristic(text: str) -> None:
    """With trust 1 it is the heuristic's value for the mover, with trust -1 that of the other."""
    for trust in (1, -1):
        core = Nnue.read(nnue.write(silent(text, trust=np.full(1, trust, np.float32))))
        seen = set()
        for state in states(text):
            wanted = trust * heuristic(state) * (1 if state.mover == 0 else -1)
            assert core.evaluate(state) == pytest.approx(wanted, abs=2e-6), state.text
            seen.add((state.mover, wanted > 0.01, wanted < -0.01))
        assert seen >= {(seat, *way) for seat in (0, 1) for way in ((True, False), (False, True))}


def test_a_bias_is_for_the_mover() -> None:
    """A net that adds a constant prefers the mover, whoever it is."""
    bias = np.full(1, 0.3, np.float32)
    zero = np.zeros(1, np.float32)
    core = Nnue.read(nnue.write(silent("razzle", output_biases=bias, trust=zero)))
    for state in states("razzle")[::9]:
        assert core.evaluate(state) == pytest.approx(np.tanh(0.3), abs=1e-6)


def test_an_estimate_is_no_proof() -> None:
    """However large the output is, the value stays below 1."""
    for bias in (-50, 50):
        made = silent("razzle", output_biases=np.full(1, bias, np.float32))
        said = Nnue.read(nnue.write(made)).evaluate(samples.game("razzle").start())
        assert 0.99 < abs(said) < 1
        assert said * bias > 0


# --- torch ---------------------------------------------------------------------------------------


def stirred(text: str, width: int = 16, phases: int = 4) -> NnueNet:
    """A torch net whose values vary as after training."""
    game = samples.game(text)
    made = create(Shape.of(game.facts, width=width, phases=phases, most=most_of(game)), seed=3)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(4)
        torch.nn.init.normal_(made.output.weight, std=0.4)
        torch.nn.init.normal_(made.output.bias, std=0.2)
        torch.nn.init.uniform_(made.trust, 0.2, 1.2)
    return made


def said_by_torch(made: NnueNet, chosen: tuple[rz.State, ...]) -> list[float]:
    """The net's values for the movers."""
    movers = [each.features(each.mover) for each in chosen]
    views = movers + [each.features(1 - each.mover) for each in chosen]
    offsets = np.cumsum([0, *map(len, views)])[:-1]
    values = [heuristic(each) * (1 - 2 * each.mover) for each in chosen]
    with torch.no_grad():
        said = made(
            torch.tensor([number for view in views for number in view]),
            torch.from_numpy(offsets),
            torch.tensor([len(view) for view in movers]),
            torch.tensor(values, dtype=torch.float32),
        )
    return [float(each) for each in said]


@pytest.mark.parametrize("text", GAMES)
def test_torch_says_the_same(text: str) -> None:
    """With weights that the file holds exactly, torch and the core agree for movers of both seats;
    with other weights they differ by less than the error of rounding."""
    made, chosen = stirred(text), states(text)
    assert {each.mover for each in chosen} == {0, 1}
    rounded = Nnue.read(to_nnue(made))
    apart = []
    for state, said in zip(chosen, said_by_torch(made, chosen), strict=True):
        apart.append(abs(rounded.evaluate(state) - min(max(said, -nnue.SUREST), nnue.SUREST)))
    weights = made.output.weight.detach().abs()
    slip = 0.5 / 255 * (most_of(samples.game(text)) + 3)  # of a sum of rounded columns
    assert max(apart) < float(weights.sum(dim=1).max()) * 2 * slip + 0.5 / 128 * weights.max() * 32
    assert np.mean(apart) < 0.01
    with torch.no_grad():
        scale = 128 / made.output.weight.abs().max()
        made.output.weight.copy_(torch.round(made.output.weight * scale) / scale)
        for each in (made.columns.weight, made.bias):
            each.copy_(torch.round(each * 255) / 255)
    exact = Nnue.read(to_nnue(made))
    for state, said in zip(chosen, said_by_torch(made, chosen), strict=True):
        said = min(max(said, -nnue.SUREST), nnue.SUREST)
        assert exact.evaluate(state) == pytest.approx(said, abs=2e-5), state.text
    assert np.std(said_by_torch(made, chosen)) > 0.1


def test_a_net_of_torch_is_limited_to_what_a_file_holds() -> None:
    """Large weights are clipped, in the net and in its file; infinite ones are a NetError."""
    made = stirred("razzle")
    with torch.no_grad():
        made.columns.weight.mul_(1000)
        made.output.weight.mul_(1000)
    core = Nnue.read(to_nnue(made))
    start = samples.game("razzle").start()
    assert core.evaluate(start) == pytest.approx(
        min(max(said_by_torch(made, (start,))[0], -nnue.SUREST), nnue.SUREST), abs=0.05
    )
    with torch.no_grad():
        made.trust[0] = np.nan
    with pytest.raises(NetError, match="not finite cannot be written"):
        to_nnue(made)


def test_a_seed_draws_the_weights() -> None:
    """A seed gives the same net each time, without changing torch's random numbers."""
    game = samples.game("razzle")
    shape = Shape.of(game.facts, width=8, phases=1, most=20)
    before = torch.get_rng_state()
    one, same, other = (to_nnue(create(shape, seed)) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert one == same != other
    with pytest.raises(NetError, match="connect4 has no features"):
        Shape.of(samples.game("connect4").facts, width=8, phases=1, most=20)
