"""The net that distillation trains: a perceptron in torch, and its .nn file (cpp/eval/mlp.h)."""

import enum
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rulezero._core import Mlp, NetError
from rulezero.nets.chess_perceptron import SIZES

_LAST = 0.01  # spread of the last layer's weights: an untrained net says about 0.5


class Activation(enum.IntEnum):
    """What a hidden layer's sums go through, as a .nn file numbers it."""

    LINEAR = 0
    RELU = 1
    SIGMOID = 2
    TANH = 3


_FUNCTIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    Activation.LINEAR: nn.Identity(),
    Activation.RELU: torch.relu,
    Activation.SIGMOID: torch.sigmoid,
    Activation.TANH: torch.tanh,
}


class Perceptron(nn.Module):
    """Linear layers with an activation after each; the outputs go through a sigmoid."""

    def __init__(
        self, sizes: Sequence[int] = SIZES, activations: Sequence[Activation] | None = None
    ) -> None:
        """Random weights; without activations, all hidden layers are ReLUs."""
        super().__init__()
        self.dropout = 0.0  # share of each hidden layer that is left out in train mode
        hidden = max(0, len(sizes) - 2)
        self.sizes = tuple(sizes)
        self.activations = tuple([Activation.RELU] * hidden if activations is None else activations)
        if len(self.sizes) < 2 or any(type(size) is not int or size < 1 for size in self.sizes):
            raise NetError(f"a perceptron has two layers or more, each from 1 on, not {sizes!r}")
        if len(self.activations) != hidden:
            raise NetError(
                f"a perceptron of {len(self.sizes)} layers has {hidden} activations,"
                f" not {len(self.activations)}"
            )
        self._layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(self.sizes))
        for layer in self.layers:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
        nn.init.normal_(self.layers[-1].weight, std=_LAST)

    @property
    def layers(self) -> list[nn.Linear]:
        """Its weights [out, in] and biases [out], first to last."""
        return cast(list[nn.Linear], list(self._layers))

    def forward(self, features: Tensor) -> Tensor:
        """Each output in [0, 1], [B, outputs], for features [B, inputs]."""
        *hidden, last = self.layers
        for layer, activation in zip(hidden, self.activations, strict=True):
            features = _FUNCTIONS[activation](layer(features))
            if self.dropout:
                features = functional.dropout(features, self.dropout, self.training)
        return torch.sigmoid(last(features))


def create(sizes: Sequence[int] = SIZES, seed: int = 0) -> Perceptron:
    """An untrained perceptron, in eval mode; the same seed draws the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Perceptron(sizes).eval()


def to_nn(perceptron: Perceptron) -> bytes:
    """The .nn file of a perceptron. NetError where a weight is no finite number."""
    sizes, activations = perceptron.sizes, perceptron.activations
    parts = [b"NNWB", _words(1, len(sizes), *sizes, len(activations), *activations)]
    for layer in perceptron.layers:
        for tensor in (layer.weight, layer.bias):
            numbers = tensor.detach().cpu().numpy().astype("<f4")
            parts += [_words(numbers.size), numbers.tobytes()]
    file = b"".join(parts)
    Mlp.read(file)  # what cannot be read is not written
    return file


def from_nn(file: bytes) -> Perceptron:
    """The perceptron of a .nn file, in eval mode. NetError says what is wrong with other bytes."""
    sizes = Mlp.read(file).sizes  # knows the rules of the format: below, nothing is checked again
    words = np.frombuffer(file, "<u4")
    after = 3 + len(sizes) + 1  # the magic, the version, both counts and the sizes
    at = after + len(sizes) - 2
    with torch.device("meta"):
        made = Perceptron(sizes, [Activation(int(word)) for word in words[after:at]])
    made.to_empty(device="cpu")
    with torch.no_grad():
        for layer in made.layers:
            for tensor in (layer.weight, layer.bias):
                at += 1  # the count
                numbers = words[at : at + tensor.numel()].view("<f4").astype(np.float32)
                tensor.copy_(torch.from_numpy(numbers).view_as(tensor))
                at += tensor.numel()
    return made.eval()


def _words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)
