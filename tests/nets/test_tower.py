"""Towers: heads use the slots of their game, and the weights can learn."""

import itertools
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor, nn

import rulezero as rz
from rulezero.nets.config import SIZES, Head, NetConfig, sized
from rulezero.nets.heads import DenseHead, FromToHead, PlanesHead
from rulezero.nets.tower import Tower, create
from support import little_nets, samples

CONFIG = NetConfig(blocks=1, channels=8, key_channels=4)


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("chess", "planes"),
        ("random_chess", "planes"),
        ("random_chess:pieces=standard+custom", "planes"),
        ("monster", "from_to"),
        ("exchange", "from_to"),
        ("razzle", "from_to"),
        ("connect4", "flat"),
        ("tictactoe", "flat"),
    ],
)
def test_every_game_has_its_head(text: str, head: str) -> None:
    """auto is the cheapest head that fits the game; flat fits all games, dense whole planes."""
    facts = samples.game(text).facts
    heads: list[Head] = ["auto", "flat", "dense"]
    for wanted in heads[:2] if text in ("razzle", "connect4") else heads:
        tower = create(samples.game(text), NetConfig(blocks=1, channels=8, head=wanted))
        assert tower.config.head == (head if wanted == "auto" else wanted)
        policy, wdl, *_ = tower(torch.zeros(2, *facts.planes))
        assert policy.shape == (2, facts.slots)
        assert wdl.shape == (2, 3)


def features(rows: int, columns: int) -> Tensor:
    """Random features of two positions, [2, 8, rows, columns]."""
    return torch.from_numpy(
        np.random.default_rng(0).normal(size=(2, 8, rows, columns)).astype(np.float32)
    )


def at(conv: nn.Conv2d, seen: Tensor, square: int) -> Tensor:
    """The output of a 1x1 convolution for one square of the first position."""
    row, column = divmod(square, seen.shape[3])
    assert conv.bias is not None
    return (conv.weight[:, :, 0, 0] @ seen[0, :, row, column] + conv.bias).detach()


def test_planes_are_plane_by_plane() -> None:
    """The slot is plane * 64 + square, with squares numbered row by row, as in chess."""
    head, seen = PlanesHead(CONFIG, 8, 8, 4672), features(8, 8)
    logits = head(seen)[0].tolist()
    for plane, square in [(0, 0), (0, 7), (1, 8), (72, 63), (30, 35)]:
        assert logits[plane * 64 + square] == pytest.approx(
            float(at(head.planes, seen, square)[plane]), abs=1e-5
        )


def test_a_dense_head_is_a_matrix_of_planes() -> None:
    """Two planes of 2x3 squares are flattened plane by plane; a dense layer gives the slots."""
    head, seen = DenseHead(CONFIG, 2, 3, 12).eval(), features(2, 3)
    few = torch.relu(head.squeeze(seen))
    flat = torch.stack([at(head.planes, few, s)[p] for p in range(2) for s in range(6)])
    wanted = head.linear.weight @ flat + head.linear.bias
    torch.testing.assert_close(head(seen)[0], wanted, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("rows", "columns", "slots"), [(8, 8, 4096), (8, 8, 4608), (8, 7, 3137)])
def test_pairs_are_query_times_key(rows: int, columns: int, slots: int) -> None:
    """Slot from * S + to; then EXCHANGE's slots from * 8 + file, or Razzle's end of a turn."""
    head, seen = FromToHead(CONFIG, rows, columns, slots), features(rows, columns)
    squares = rows * columns
    with torch.no_grad():
        head.pair_bias.copy_(torch.arange(squares * squares) / 100)
    logits = head(seen)[0].tolist()
    assert len(logits) == slots
    for start, end in itertools.product((0, 5, squares - 1), (0, columns, squares - 2)):
        product = at(head.query, seen, start) @ at(head.key, seen, end) / 2  # sqrt(key_channels)
        slot = start * squares + end
        assert logits[slot] == pytest.approx(float(product) + slot / 100, abs=1e-4)
    if slots == 4608:
        assert isinstance(head.further, nn.Conv2d)
        for start, file in itertools.product((0, 9, 63), (0, 7)):
            wanted = float(at(head.further, seen, start)[file])
            assert logits[4096 + start * 8 + file] == pytest.approx(wanted, abs=1e-5)
    elif slots == 3137:
        (end,) = head.further(seen[:1].mean((2, 3)))[0]
        assert logits[3136] == pytest.approx(end.item(), abs=1e-5)


def test_slots_are_as_the_heads_take_them() -> None:
    """The core's slots of known moves: e2e4, and e7e5 as Black sees it."""
    e2, e4 = 12, 28
    chess = samples.game("chess").start()
    north_two = 1
    for move in ("e2e4", "e7e5"):
        action = chess.read(move)
        assert chess.slot(action) == north_two * 64 + e2
        chess = chess.apply(action)
    for text in ("monster", "exchange"):
        state = samples.game(text).start()
        assert state.slot(state.read("e2e4")) == e2 * 64 + e4
    razzle = samples.game("razzle").start()
    assert razzle.slot(razzle.read("b1c3")) == 1 * 56 + (2 * 7 + 2)


@pytest.mark.parametrize(
    ("text", "head", "message"),
    [
        ("chess:planes=features781", "auto", "one flat vector of 781 numbers"),
        ("chess", "from_to", "the slots of chess are not laid out for from_to; use flat or planes"),
        ("monster", "planes", "not laid out for planes; use flat or from_to or dense$"),
        ("razzle", "dense", "not laid out for dense; use flat or from_to$"),
        ("connect4", "dense", "not laid out for dense; use flat$"),
        ("connect4", "planes", "not laid out for planes; use flat$"),
        ("tictactoe", "from_to", "not laid out for from_to"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, head: str, message: str) -> None:
    """A head for other slots, or planes that are not a board, raise NetError."""
    with pytest.raises(rz.NetError, match=message):
        create(samples.game(text), CONFIG.model_copy(update={"head": head}))


@pytest.mark.parametrize("size", [{"blocks": -1}, {"channels": 0}, {"channels": 10**6}])
def test_sizes_are_bounded(size: dict[str, Any]) -> None:
    """Sizes out of bounds raise NetError, from Python and from a file."""
    with pytest.raises(rz.NetError, match=f"{next(iter(size))} is .*; give a whole number from"):
        NetConfig(**size)
    with pytest.raises(rz.NetError, match="give a whole number from"):
        NetConfig(**msgspec.json.decode(msgspec.json.encode(size)))


def test_a_size_is_blocks_and_channels() -> None:
    """Explicit blocks and channels override `size`; other keys are kept."""
    assert sized({"size": "medium", "head": "dense"}) == {
        **{"blocks": 4, "channels": 64},
        "head": "dense",
    }
    assert sized({"channels": 8, "size": "full"}) == {"blocks": 12, "channels": 8}
    assert sized({"blocks": 3}) == {"blocks": 3}
    assert list(SIZES) == ["tiny", "small", "medium", "large", "full"]
    for size in SIZES:
        NetConfig(**sized({"size": size}))


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("larg", "there is no net of size 'larg' (did you mean 'large'?); known: tiny, small,"),
        (64, "there is no net of size '64'; known: tiny, small, medium, large, full"),
        (None, "there is no net of size 'None'; known:"),
        (["tiny"], "there is no net of size '['tiny']'"),
    ],
)
def test_an_unknown_size_is_one_clear_line(size: object, message: str) -> None:
    """The error suggests the nearest size, or lists the known ones."""
    with pytest.raises(rz.NetError) as error:
        sized({"size": size})
    assert str(error.value).startswith(message)


def test_a_seed_draws_the_weights() -> None:
    """A seed gives the same weights each time, without changing torch's global random state."""
    game = samples.game("connect4")
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, same, other = (create(game, CONFIG, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(one.stem.conv.weight, same.stem.conv.weight)
    assert not torch.equal(one.stem.conv.weight, other.stem.conv.weight)


def test_a_new_net_is_in_eval_mode() -> None:
    """Outputs do not depend on the batch, as they would with BatchNorm in training mode."""
    tower, planes = little_nets.tower("connect4"), little_nets.batch("connect4", 8)
    assert not tower.training
    with torch.no_grad():
        whole, part = tower(torch.from_numpy(planes))[0], tower(torch.from_numpy(planes[:4]))[0]
        torch.testing.assert_close(whole[:4], part)
        tower.train()
        state = tower.state_dict()
        kept = {name: tensor.clone() for name, tensor in state.items()}
        assert not torch.allclose(tower(torch.from_numpy(planes[:4]))[0], part, atol=1e-3)
        tower.load_state_dict(kept)
        tower.eval()


@pytest.mark.parametrize(
    ("text", "head"),
    [("connect4", "auto"), ("exchange", "auto"), ("chess", "auto"), ("tictactoe", "dense")],
)
def test_one_batch_can_be_learnt(text: str, head: Head) -> None:
    """Every head can overfit the slots and results of one batch."""
    states = little_nets.positions(text, 8)
    planes = torch.from_numpy(little_nets.batch(text, 8))
    slots = torch.tensor([state.slot(state.legal[0]) for state in states])
    results = torch.arange(8) % 3
    tower = create(samples.game(text), NetConfig(blocks=1, channels=16, head=head)).train()
    optimiser = torch.optim.Adam(tower.parameters(), 1e-2)
    for _ in range(80):
        loss = learn(tower, optimiser, planes, slots, results)
    assert loss < 0.3


def learn(
    tower: Tower, optimiser: torch.optim.Optimizer, planes: Tensor, slots: Tensor, results: Tensor
) -> float:
    """Makes one step, and returns the loss before it."""
    policy, wdl, *_ = tower(planes)
    loss = nn.functional.cross_entropy(policy, slots) + nn.functional.cross_entropy(wdl, results)
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    return float(loss.detach())
