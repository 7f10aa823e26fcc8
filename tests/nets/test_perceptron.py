"""Perceptrons: torch and core agree, files, and use by players."""

import itertools
import math
import struct
from pathlib import Path

import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero._core import Mlp, material
from rulezero.nets.chess_perceptron import SIZES
from rulezero.nets.perceptron import Activation, Perceptron, create, from_nn, of_material, to_nn
from rulezero.nets.runtime import Floats
from rulezero.play.binding import evaluator_for
from rulezero.play.nets import NetStore
from support import samples

HIDDEN = [[], *([each] for each in Activation), [Activation.TANH, Activation.RELU]]


def features() -> Floats:
    """The features of 100 chess positions, [100, 781]."""
    states = samples.states("chess:planes=features781")[:100]
    return np.stack([state.planes().reshape(-1) for state in states])


def stirred(sizes: list[int], activations: list[Activation]) -> Perceptron:
    """A perceptron whose biases and last layer are not near 0, as after training."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        made = Perceptron(sizes, activations)
        for layer in made.layers:
            torch.nn.init.normal_(layer.weight, std=1 / math.sqrt(layer.in_features))
            torch.nn.init.normal_(layer.bias, std=0.5)
    return made.eval()


def test_the_chess_net_has_the_original_size() -> None:
    """A 781-256-128-1 net has 233,217 parameters and 932,932 bytes."""
    made = create()
    assert made.sizes == SIZES == (781, 256, 128, 1)
    assert made.activations == (Activation.RELU, Activation.RELU)
    assert sum(weight.numel() for weight in made.parameters()) == 233_217
    assert sum(out * (wide + 1) for wide, out in itertools.pairwise(SIZES)) == 233_217
    assert len(to_nn(made)) == 932_932


@pytest.mark.parametrize("sizes", [SIZES, (781, 1), (781, 24, 16, 8, 1)])
def test_a_net_of_material_counts_men(sizes: tuple[int, ...]) -> None:
    """It follows the core's chance to win with this material, in every shape."""
    states = [each for each in samples.states("chess:planes=features781")[:100] if not each.is_over]
    seen = np.stack([state.planes().reshape(-1) for state in states])
    leads = np.array([material(state) * (1 - 2 * state.mover) for state in states])
    net = of_material(sizes)
    with torch.no_grad():
        said = net(torch.from_numpy(seen))[:, 0].numpy()
    assert np.corrcoef(said, 1 / (1 + np.exp(-leads / 600)))[0, 1] > 0.6
    assert np.ptp(leads) > 300
    assert Mlp.read(to_nn(net)).sizes == sizes


def test_an_untrained_net_knows_nothing() -> None:
    """Outputs are within 0.05 of 0.5, but not constant, so that the net can learn."""
    with torch.no_grad():
        said = create()(torch.from_numpy(features()))
    assert said.shape == (100, 1)
    assert (said - 0.5).abs().max() < 0.05
    assert said.std() > 1e-4


def test_a_seed_draws_the_weights() -> None:
    """A seed gives the same weights each time, without changing torch's global random state."""
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, same, other = (to_nn(create(seed=seed)) for seed in (1, 1, 2))
    from_nn(one)
    assert torch.equal(torch.get_rng_state(), before)
    assert one == same != other


def test_first_layers_are_drawn_by_he() -> None:
    """He initialisation: a standard deviation of sqrt(2 / inputs), and biases of 0."""
    for layer in create(seed=3).layers[:-1]:
        wanted = math.sqrt(2 / layer.in_features)
        assert float(layer.weight.detach().std()) == pytest.approx(wanted, rel=0.05)
        assert not layer.bias.any()


@pytest.mark.parametrize("hidden", HIDDEN, ids=lambda each: "+".join(a.name for a in each))
def test_the_core_says_the_same(hidden: list[Activation]) -> None:
    """Core and torch agree within 1e-6, with every activation, on real positions."""
    made = stirred([781, *([16] * len(hidden)), 1], hidden)
    seen = features()
    with torch.no_grad():
        said = made(torch.from_numpy(seen)).numpy()
    np.testing.assert_allclose(Mlp.read(to_nn(made)).evaluate(seen), said, atol=1e-6)
    assert np.ptp(said) > 0.01  # outputs differ between positions, as they must here


def test_the_chess_net_answers_alike() -> None:
    """At the full size of the chess net, core and torch agree within 1e-6."""
    made = stirred(list(SIZES), [Activation.RELU] * 2)
    seen = features()
    with torch.no_grad():
        said = made(torch.from_numpy(seen)).numpy()
    np.testing.assert_allclose(Mlp.read(to_nn(made)).evaluate(seen), said, atol=1e-6)


@pytest.mark.parametrize("hidden", HIDDEN, ids=lambda each: "+".join(a.name for a in each))
def test_a_file_comes_back_byte_for_byte(hidden: list[Activation]) -> None:
    """Files come back unchanged, with any activations, three outputs, -0.0 and subnormals."""
    made = stirred([5, *range(4, 4 + len(hidden)), 3], hidden)
    with torch.no_grad():
        made.layers[0].weight[0, :4] = torch.tensor([-0.0, 1e-45, 3.4e38, -3.4e38])
    file = to_nn(made)
    back = from_nn(file)
    assert not back.training
    assert (back.sizes, back.activations) == (made.sizes, tuple(hidden))
    assert to_nn(back) == file == Mlp.read(file).write()


def test_a_net_read_can_be_trained() -> None:
    """The loaded weights do not share the file's memory, and can overfit one batch."""
    file = to_nn(create())
    back = from_nn(file).train()
    seen = torch.from_numpy(features()[:8])
    wanted = (torch.arange(8) % 2)[:, None] * 0.8 + 0.1
    optimiser = torch.optim.Adam(back.parameters(), 1e-2)
    for _ in range(60):
        optimiser.zero_grad()
        loss = ((back(seen) - wanted) ** 2).mean()
        loss.backward()
        optimiser.step()
    assert loss < 1e-3
    assert to_nn(from_nn(file)) == file != to_nn(back)


FILE = to_nn(create((5, 4, 1)))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "cut off"),
        (FILE[:-1], "bytes, but its layer sizes need"),
        (FILE[:10], "cut off: it ends within its header"),
        (b"NNWA" + FILE[4:], "begins with NNWB, not 'NNWA'"),
        (FILE[:4] + struct.pack("<I", 2) + FILE[8:], "version 2; only version 1"),
        (FILE[:28] + struct.pack("<I", 4) + FILE[32:], r"2 \(sigmoid\) or 3 \(tanh\), not 4"),
        (FILE[:-4] + struct.pack("<f", math.nan), "bias that is not a finite number"),
    ],
)
def test_a_broken_file_is_one_clear_line(file: bytes, message: str) -> None:
    """A broken file raises NetError with the core's one-line message."""
    with pytest.raises(rz.NetError, match=message) as error:
        from_nn(file)
    assert "\n" not in str(error.value)


def test_a_net_that_has_diverged_is_not_written() -> None:
    """Infinite weights raise NetError, because such a file could not be read."""
    made = create((5, 4, 1))
    with torch.no_grad():
        made.layers[0].weight[0, 0] = math.inf
    with pytest.raises(rz.NetError, match="weight that is not a finite number"):
        to_nn(made)


def test_dropout_is_of_training_alone() -> None:
    """Neurons are dropped at random only in train mode; files do not contain dropout."""
    made, seen = create((781, 64, 32, 1), seed=2), torch.from_numpy(features())
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        wanted, file = made(seen), to_nn(made)
        made.dropout = 0.5
        assert torch.equal(made(seen), wanted)
        assert to_nn(made) == file
        made.train()
        torch.manual_seed(1)
        first, second = made(seen), made(seen)
        assert not torch.equal(first, second)
        torch.manual_seed(1)
        assert torch.equal(made(seen), first)
        made.dropout = 0.0
        before = torch.get_rng_state()
        assert torch.equal(made(seen), wanted)
        assert torch.equal(torch.get_rng_state(), before)
    assert from_nn(file).dropout == 0


def test_nonsense_is_no_perceptron() -> None:
    """A single layer, an empty layer, or too many activations raise NetError."""
    for sizes in ((781,), (781, 0, 1), (5, 2.5, 1)):
        with pytest.raises(rz.NetError, match="two sizes or more, each at least 1"):
            Perceptron(sizes)  # type: ignore[arg-type]
    with pytest.raises(rz.NetError, match="of 3 layers has 1 activations, not 2"):
        Perceptron((5, 4, 1), [Activation.RELU] * 2)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder whose only net is a perceptron, of iteration 3."""
    nets = tmp_path / "run" / "nets"
    nets.mkdir(parents=True)
    (nets / "iter_3.nn").write_bytes(to_nn(create()))
    (nets / "best").write_text("iter_3", encoding="utf-8")
    return tmp_path / "run"


def test_a_seat_finds_its_perceptron(run: Path) -> None:
    """A player finds it by file, by run, and by name in the folder of nets."""
    game, nets = samples.game("chess"), run / "nets"
    texts = [(f"{run}", None), (f"{run}@3", None), (f"{nets}/iter_3.nn", None)]
    for net, folder in [*texts, ("iter_3", nets), ("iter_3.nn", nets)]:
        sight = evaluator_for(rz.player("oneply", net=net), game, NetStore(folder))
        assert sight.mlp is not None
        assert sight.evaluator is None
        assert (sight.mlp.sizes, sight.identity) == (SIZES, "iter_3.nn")
    action = rz.player("oneply", net=f"{run}").think(game.start()).action
    assert action in game.start().legal


def test_a_seat_that_cannot_use_it_says_why(run: Path) -> None:
    """Errors: the player needs a policy, the game or the width differs, or the file is missing."""
    chess = samples.game("chess")
    with pytest.raises(rz.PlayerError, match="has no policy: use alphabeta, oneply or puct"):
        evaluator_for(rz.player("policy", net=f"{run}"), chess)
    with pytest.raises(rz.NetError, match="perceptron for chess; it cannot judge connect4"):
        evaluator_for(rz.player("oneply", net=f"{run}"), samples.game("connect4"))
    narrow = run / "nets" / "narrow.nn"
    narrow.write_bytes(FILE)
    with pytest.raises(rz.NetError, match="has 5 inputs and 1 outputs"):
        evaluator_for(rz.player("oneply", net="narrow"), chess, NetStore(run / "nets"))
    with pytest.raises(rz.NetError, match=r"no net 'lost\.nn': there is no such file"):
        evaluator_for(rz.player("oneply", net="lost.nn"), chess, NetStore(run / "nets"))
