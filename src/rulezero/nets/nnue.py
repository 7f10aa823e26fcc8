"""Efficiently updatable nets (NNUE) as torch trains them; the file is in cpp/eval/nnue.h."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from rulezero._core import Facts, NetError

_UNIT = 255  # the sum that counts as 1 in the file
_LARGEST = 32767  # of 16 bits
_MAGIC, _VERSION = b"RZNN", 1


@dataclass(frozen=True)
class Shape:
    """The inputs of a net, and its size."""

    game: str  # the game's name
    version: int  # of its features
    features: int
    places: int
    width: int  # sums of a view
    phases: int  # sets of output weights, by the number of features that are on
    most: int  # features that are on at the beginning of a game, or at most

    @classmethod
    def of(cls, facts: Facts, *, width: int, phases: int, most: int) -> "Shape":
        """The shape of a net for the game with these facts."""
        if not facts.features:
            raise NetError(f"{facts.name} has no features for an efficiently updatable net")
        return cls(
            game=facts.name,
            version=facts.features_version,
            features=facts.features,
            places=facts.feature_places,
            width=width,
            phases=phases,
            most=most,
        )


class NnueNet(nn.Module):
    """Sums of the features' columns for both views, and one output for each phase of the game."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.columns = nn.EmbeddingBag(shape.features, shape.width, mode="sum")
        self.bias = nn.Parameter(torch.zeros(shape.width))
        self.output = nn.Linear(2 * shape.width, shape.phases)
        spread = shape.most**-0.5
        nn.init.uniform_(self.columns.weight, -spread, spread)
        nn.init.uniform_(self.bias, 0, spread)
        nn.init.normal_(self.output.weight, std=(2 * shape.width) ** -0.5 / 4)
        nn.init.zeros_(self.output.bias)
        self.trust = nn.Parameter(torch.ones(shape.phases))

    def forward(self, numbers: Tensor, offsets: Tensor, on: Tensor, heuristic: Tensor) -> Tensor:
        """The values for the movers, in (-1, 1), [B].

        `numbers` [m] are the features of B movers' views, then of the B other views; view i has
        those from offsets[i] [2B]; `on` [B] is the number of features of each mover's view, and
        `heuristic` [B] the value of the game's heuristic for each mover.
        """
        size = len(on)
        sums = self.columns(numbers, offsets) + self.bias
        active = sums.clamp(0, 1) ** 2
        outputs = self.output(torch.cat([active[:size], active[size:]], dim=1))
        phase = on.clamp(max=self.shape.most) * self.shape.phases // (self.shape.most + 1)
        learned = outputs.gather(1, phase[:, None])[:, 0]
        return torch.tanh(learned + self.trust[phase] * torch.atanh(heuristic))

    @torch.no_grad()
    def clip(self) -> None:
        """Limits the weights to what the file can hold; call it after every step."""
        limit = _LARGEST // _UNIT
        self.columns.weight.clamp_(-limit, limit)
        self.bias.clamp_(-limit, limit)
        self.output.weight.clamp_(-8, 8)


def create(shape: Shape, seed: int = 0) -> NnueNet:
    """An untrained net; the same seed gives the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return NnueNet(shape)


@torch.no_grad()
def to_nnue(net: NnueNet) -> bytes:
    """The .nnue file of a net; NetError if a weight is not finite."""
    if not all(bool(torch.isfinite(each).all()) for each in net.parameters()):
        raise NetError("a net with weights that are not finite cannot be written")
    net.clip()
    shape = net.shape
    outputs = net.output.weight.detach().numpy()
    scale = (_LARGEST // _UNIT) / max(float(np.abs(outputs).max()), 0.01)
    name = shape.game.encode()
    head = struct.pack("<I", len(name)) + name
    head += struct.pack(
        "<7I", shape.version, shape.features, shape.places, shape.width, shape.phases,
        shape.most, _UNIT,
    )  # fmt: skip
    head += struct.pack("<f", 1 / (_UNIT * _UNIT * scale))
    return b"".join(
        [
            _MAGIC,
            struct.pack("<I", _VERSION),
            head,
            _whole(net.columns.weight.detach().numpy() * _UNIT),
            _whole(net.bias.detach().numpy() * _UNIT),
            _whole(outputs * scale),
            net.output.bias.detach().numpy().astype("<f4").tobytes(),
            net.trust.detach().numpy().astype("<f4").tobytes(),
        ]
    )


def _whole(weights: npt.NDArray[Any]) -> bytes:
    return np.round(weights).astype("<i2").tobytes()
