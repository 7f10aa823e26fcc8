"""The perceptron that distillation trains with torch, and its .nn file (cpp/eval/mlp.h)."""

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

_PER_PAWN = 1 / 6  # a pawn's part in the logit of the chance to win (cpp/eval/heuristic.h)
_LARGEST_LEAD = 105.0  # pawns: nine queens and all other men against a king
_LAST = 0.01  # std of the last layer's weights: an untrained net's output is about 0.5
_OTHERS = 48.0  # times this, a search with a net of material is as wide as with a net that learned


class Activation(enum.IntEnum):
    """Activation functions, with their numbers in a .nn file."""

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
    """Linear layers with an activation after each hidden one, and a sigmoid at the end."""

    def __init__(
        self, sizes: Sequence[int] = SIZES, activations: Sequence[Activation] | None = None
    ) -> None:
        """Draws random weights; `activations` of the hidden layers (default: all ReLU)."""
        super().__init__()
        self.dropout = 0.0  # probability of dropout after each hidden layer, in train mode
        hidden = max(0, len(sizes) - 2)
        self.sizes = tuple(sizes)
        self.activations = tuple([Activation.RELU] * hidden if activations is None else activations)
        if len(self.sizes) < 2 or any(type(size) is not int or size < 1 for size in self.sizes):
            raise NetError(f"give a perceptron two sizes or more, each at least 1, not {sizes!r}")
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
        """The layers, first to last, with weights [out, in] and biases [out]."""
        return cast(list[nn.Linear], list(self._layers))

    def forward(self, features: Tensor) -> Tensor:
        """Outputs in [0, 1], [B, outputs], for features [B, inputs]."""
        *hidden, last = self.layers
        for layer, activation in zip(hidden, self.activations, strict=True):
            features = _FUNCTIONS[activation](layer(features))
            if self.dropout:
                features = functional.dropout(features, self.dropout, self.training)
        return torch.sigmoid(last(features))


def create(sizes: Sequence[int] = SIZES, seed: int = 0) -> Perceptron:
    """An untrained perceptron, in eval mode; the same seed gives the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Perceptron(sizes).eval()


def of_material(sizes: Sequence[int] = SIZES, seed: int = 0) -> Perceptron:
    """A perceptron of random weights that also counts material, so its output follows the lead.

    One neuron of each hidden layer carries the material. The others keep random weights, so that
    an evaluation takes as long as that of any net, and a search visits as many positions.
    """
    made = create(sizes, seed)
    *hidden, last = made.layers
    men = torch.tensor([1.0, 3.2, 3.3, 5.0, 9.0, 0.0]).repeat_interleave(64)  # P N B R Q K
    lead = torch.cat([men, -men, torch.zeros(made.sizes[0] - 2 * len(men))])
    with torch.no_grad():
        if not hidden:
            last.weight[0] += _PER_PAWN * lead
            return made
        last.weight *= _OTHERS
        hidden[0].weight[0], hidden[0].bias[0] = lead, _LARGEST_LEAD  # above 0, for the ReLU
        for layer in hidden[1:]:
            layer.weight[0], layer.weight[:, 0] = 0.0, 0.0
            layer.weight[0, 0] = 1.0
        last.weight[0, 0], last.bias[0] = _PER_PAWN, -_PER_PAWN * _LARGEST_LEAD
    return made


def to_nn(perceptron: Perceptron) -> bytes:
    """The .nn file of a perceptron; NetError if a weight is not finite."""
    sizes, activations = perceptron.sizes, perceptron.activations
    parts = [b"NNWB", _words(1, len(sizes), *sizes, len(activations), *activations)]
    for layer in perceptron.layers:
        for tensor in (layer.weight, layer.bias):
            numbers = tensor.detach().cpu().numpy().astype("<f4")
            parts += [_words(numbers.size), numbers.tobytes()]
    file = b"".join(parts)
    Mlp.read(file)  # refuses to write what cannot be read
    return file


def from_nn(file: bytes) -> Perceptron:
    """The perceptron of a .nn file, in eval mode; NetError if the bytes are wrong."""
    sizes = Mlp.read(file).sizes  # checks the format, so that nothing below needs to
    words = np.frombuffer(file, "<u4")
    after = 3 + len(sizes) + 1  # words before them: magic, version, both counts, sizes
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
