"""Canaries: honest machines reproduce a net's outputs; a wrong net or a damaged one does not."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

import rulezero as rz
from rulezero.fleet.canaries import canaries, differs
from rulezero.fleet.nets import pack_net
from rulezero.fleet.protocol import Canary, NetBundle, decode, encode
from rulezero.nets.checkpoint import save
from rulezero.nets.perceptron import create as create_perceptron
from rulezero.nets.perceptron import to_nn
from rulezero.nets.tower import Tower, create
from rulezero.play.nets import PATHS, NetStore
from support import little_nets, samples

GAMES = ["connect4", "exchange", "tictactoe"]


def sharpened(text: str, seed: int = 1) -> Tower:
    """A tower with clear preferences, as training gives them."""
    tower = create(samples.game(text), little_nets.SMALL, seed=seed).eval()
    with torch.no_grad():
        for name, weights in tower.named_parameters():
            if name.split(".")[0] in ("policy", "value"):
                weights.mul_(4)
    return tower


def saved(folder: Path, name: str, tower: Tower, text: str) -> str:
    """The path of a net."""
    return str(save(folder / name, tower, samples.game(text)))


def changed(canary: Canary, **fields: Any) -> Canary:
    return msgspec.structs.replace(canary, **fields)


@pytest.mark.parametrize("text", GAMES)
def test_honest_machines_pass(text: str, tmp_path: Path) -> None:
    """The same backend, another backend, and weights rounded to bfloat16 are near enough."""
    net = saved(tmp_path, "net", sharpened(text), text)
    given = canaries(net, {}, PATHS)
    assert 16 <= len(given) <= 32
    assert given == canaries(net, {}, PATHS)
    assert differs(given, net, PATHS) is None
    elsewhere = [changed(canary, options={"backend": "torch"}) for canary in given]
    assert differs(elsewhere, net, PATHS) is None
    rounded = sharpened(text)
    with torch.no_grad():
        for weights in rounded.parameters():
            weights.copy_(weights.bfloat16().float())
    copy = Path(saved(tmp_path, "rounded", rounded, text))
    assert differs(given, net, NetStore(copies={net: copy})) is None


@pytest.mark.parametrize("text", GAMES)
def test_wrong_nets_are_found(text: str, tmp_path: Path) -> None:
    """Another net, a net with a damaged layer, and one without numbers as outputs are refused."""
    net = saved(tmp_path, "net", sharpened(text), text)
    given = canaries(net, {}, PATHS)
    damaged, broken = sharpened(text), sharpened(text)
    with torch.no_grad():
        layer = next(weights for weights in damaged.parameters() if weights.dim() == 4)
        layer[0].mul_(-8)
        next(broken.parameters()).fill_(torch.nan)
    for name, tower in {"other": sharpened(text, 2), "damaged": damaged, "broken": broken}.items():
        copy = Path(saved(tmp_path, name, tower, text))
        reason = differs(given, net, NetStore(copies={net: copy}))
        assert reason is not None, name
        assert "gives other outputs on this machine" in reason
        assert len(reason.splitlines()) == 1


def test_canaries_travel_with_their_net(tmp_path: Path) -> None:
    """A bundle is the same after the way, and its digest depends on the canaries."""
    net = str(little_nets.net("connect4"))
    packed = pack_net(net, [".onnx"], PATHS)
    bundle = NetBundle(net=packed, canaries=canaries(net, {"precision": "fp32"}, PATHS))
    got = decode(encode(bundle), NetBundle)
    assert got == bundle
    assert got.digest == bundle.digest != NetBundle(net=packed).digest
    assert differs(got.canaries, net, PATHS) is None
    assert len(encode(bundle)) - len(encode(NetBundle(net=packed))) < 32_000


def test_a_perceptron_has_no_canaries(tmp_path: Path) -> None:
    """The core computes perceptrons, so that no backend can be wrong."""
    path = tmp_path / "small.nn"
    path.write_bytes(to_nn(create_perceptron()))
    assert canaries(str(path), {}, PATHS) == []
    assert differs([], str(path), PATHS) is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"game": "razzle"}, "not positions of connect4"),
        ({"game": "python:file=/etc/passwd"}, "not positions of connect4"),
        ({"actions": [0, 0, 0, 0, 0, 0, 0, 0]}, "cannot be tested on this machine: at ply 6"),
        ({"actions": [2**40]}, "cannot be tested on this machine"),
        ({"start": "nonsense"}, "cannot be tested on this machine"),
        ({"options": {"backend": "abacus"}}, "there is no backend=abacus"),
        ({"options": {"precision": "fp16", "backend": "torch"}}, "precision=fp16 is for GPUs"),
        ({"shares": [1.0]}, "other legal moves"),
        ({"shares": [float("nan")] * 7}, "gives other outputs"),
        ({"value": float("inf")}, "gives other outputs"),
    ],
)
def test_wrong_canaries_are_refused(fields: dict[str, Any], said: str) -> None:
    """Canaries come from a server: whatever they say, the answer is one line."""
    net = str(little_nets.net("connect4"))
    first = next(each for each in canaries(net, {}, PATHS) if len(each.shares) == 7)
    reason = differs([changed(first, **fields)], net, PATHS)
    assert reason is not None
    assert said in reason
    assert reason.isprintable()


def test_a_missing_net_is_an_error() -> None:
    """The answer names the net that is missing."""
    with pytest.raises(rz.NetError, match="there is no net 'nowhere'"):
        canaries("nowhere", {}, PATHS)
    assert "there is no net 'nowhere'" in (
        differs(canaries(str(little_nets.net("connect4")), {}, PATHS), "nowhere", PATHS) or ""
    )
