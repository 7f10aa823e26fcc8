"""Heads: from the tower's features to policy logits, a value, and the game's remaining length.

Squares are numbered row by row as in the planes, so a policy head needs to know only the layout of
a game's slots (docs/planes.md). Only the value head has dropout.

`export` adds to an ONNX graph what `forward` computes in eval mode, once folded.
"""

import math
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn

from rulezero._core import NetError
from rulezero.nets.config import NetConfig
from rulezero.nets.graph import Graph
from rulezero.nets.layers import ConvNorm


class PolicyHead(nn.Module):
    """A policy head: from features [B, C, H, W] to logits [B, slots]."""

    def __init__(self, config: NetConfig, rows: int, columns: int, slots: int) -> None:
        super().__init__()

    def export(self, graph: Graph, features: str) -> str:
        raise NotImplementedError


class FlatHead(PolicyHead):
    """Any layout: few channels, then a linear layer to all slots."""

    def __init__(self, config: NetConfig, rows: int, columns: int, slots: int) -> None:
        super().__init__(config, rows, columns, slots)
        self.squeeze = ConvNorm(config.features, config.policy_channels, kernel=1)
        self.linear = nn.Linear(config.policy_channels * rows * columns, slots)

    def forward(self, features: Tensor) -> Tensor:
        squeezed: Tensor = torch.relu(self.squeeze(features))  # [B, few, H, W]
        logits: Tensor = self.linear(squeezed.flatten(1))
        return logits

    def export(self, graph: Graph, features: str) -> str:
        squeezed = graph.node("Relu", self.squeeze.export(graph, features))
        return graph.linear(self.linear, graph.node("Flatten", squeezed))


class PlanesHead(PolicyHead):
    """Slots plane * H * W + square: a convolution gives the logits of each square's moves."""

    def __init__(self, config: NetConfig, rows: int, columns: int, slots: int) -> None:
        super().__init__(config, rows, columns, slots)
        planes = _whole_planes(rows, columns, slots)
        self.planes = nn.Conv2d(config.features, planes, kernel_size=1)

    def forward(self, features: Tensor) -> Tensor:
        logits: Tensor = self.planes(features)  # [B, P, H, W]
        return logits.flatten(1)

    def export(self, graph: Graph, features: str) -> str:
        return graph.node("Flatten", graph.conv(self.planes, features))


class DenseHead(PolicyHead):
    """Slots that fill whole planes: few channels, planes, then a linear layer over all slots."""

    def __init__(self, config: NetConfig, rows: int, columns: int, slots: int) -> None:
        super().__init__(config, rows, columns, slots)
        planes = _whole_planes(rows, columns, slots)
        self.squeeze = ConvNorm(config.features, config.policy_channels, kernel=1)
        self.planes = nn.Conv2d(config.policy_channels, planes, kernel_size=1)
        self.linear = nn.Linear(slots, slots)

    def forward(self, features: Tensor) -> Tensor:
        squeezed: Tensor = torch.relu(self.squeeze(features))  # [B, few, H, W]
        logits: Tensor = self.linear(self.planes(squeezed).flatten(1))
        return logits

    def export(self, graph: Graph, features: str) -> str:
        squeezed = graph.node("Relu", self.squeeze.export(graph, features))
        return graph.linear(self.linear, graph.node("Flatten", graph.conv(self.planes, squeezed)))


class FromToHead(PolicyHead):
    """Slots from * S + to: the product of a query and a key for each pair of squares, plus a bias.

    Features hardly contain their place on the board; the biases learn which pairs are moves at all.

    If the number of slots beyond S * S is a multiple k of the S squares, they are planes,
    from * k + plane (EXCHANGE); otherwise they are logits of the whole board (the end of a turn in
    Razzle).
    """

    def __init__(self, config: NetConfig, rows: int, columns: int, slots: int) -> None:
        super().__init__(config, rows, columns, slots)
        self.squares = squares = rows * columns
        further = slots - squares * squares
        if further < 0:
            raise NetError(f"{slots} slots are fewer than {squares} x {squares} from-to pairs")
        self.scale = 1 / math.sqrt(config.key_channels)
        self.query = nn.Conv2d(config.features, config.key_channels, kernel_size=1)
        self.key = nn.Conv2d(config.features, config.key_channels, kernel_size=1)
        self.pair_bias = nn.Parameter(torch.zeros(squares * squares))
        by_square = further % squares == 0
        self.planes = further // squares if by_square else 0
        if self.planes:
            self.further: nn.Conv2d | nn.Linear = nn.Conv2d(
                config.features, self.planes, kernel_size=1
            )
        elif further:
            self.further = nn.Linear(config.features, further)

    def forward(self, features: Tensor) -> Tensor:
        query = self.query(features).flatten(2).transpose(1, 2)  # [B, from, d]
        key = self.key(features).flatten(2)  # [B, d, to]
        if self.scale != 1:
            query = query * self.scale
        pairs: Tensor = (query @ key).flatten(1) + self.pair_bias  # [B, from * to]
        if not hasattr(self, "further"):
            return pairs
        if self.planes:
            further = self.further(features).flatten(2).transpose(1, 2).flatten(1)
        else:
            further = self.further(features.mean((2, 3)))
        return torch.cat((pairs, further), 1)

    def export(self, graph: Graph, features: str) -> str:
        assert self.scale == 1  # folded
        query = self._by_square(graph, self.query, features)
        key = self._squares(graph, self.key, features)
        pairs = graph.node("Flatten", graph.node("MatMul", query, key))
        pairs = graph.node("Add", pairs, graph.weight(self, "pair_bias"))
        if not hasattr(self, "further"):
            return pairs
        if isinstance(self.further, nn.Conv2d):
            further = graph.node("Flatten", self._by_square(graph, self.further, features))
        else:
            further = graph.linear(self.further, graph.over_squares("ReduceMean", features))
        return graph.node("Concat", pairs, further, axis=1)

    def _squares(self, graph: Graph, layer: nn.Conv2d, features: str) -> str:
        sizes = graph.whole([0, 0, self.squares])  # 0: as before
        return graph.node("Reshape", graph.conv(layer, features), sizes)

    def _by_square(self, graph: Graph, layer: nn.Conv2d, features: str) -> str:
        return graph.node("Transpose", self._squares(graph, layer, features), perm=[0, 2, 1])

    def fold(self) -> None:
        """Merges the scale into the query's weights: the same function, for export only."""
        with torch.no_grad():
            for weight in self.query.parameters():
                weight.mul_(self.scale)
        self.scale = 1.0


HEADS: dict[str, type[PolicyHead]] = {
    "flat": FlatHead,
    "planes": PlanesHead,
    "from_to": FromToHead,
    "dense": DenseHead,
}


def _whole_planes(rows: int, columns: int, slots: int) -> int:
    """The number of planes of these slots; NetError if it is not whole."""
    planes, rest = divmod(slots, rows * columns)
    if rest or not planes:
        raise NetError(f"{slots} slots are not whole planes of {rows}x{columns} squares")
    return planes


class _BoardHead(nn.Module):
    """Numbers about the whole board: few channels, or the means of all; then hidden layers."""

    def __init__(self, config: NetConfig, squares: int, dropout: float = 0.0) -> None:
        super().__init__()
        few = config.value_channels
        self.squeeze = None if config.value_pooled else ConvNorm(config.features, few, kernel=1)
        seen = config.features if config.value_pooled else few * squares
        self.hidden = nn.Linear(seen, config.hidden[0])
        self.further = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(config.hidden))
        self.dropout = nn.Dropout(dropout)

    def considered(self, features: Tensor) -> Tensor:
        """The last hidden layer, [B, hidden]."""
        if self.squeeze is None:
            seen = features.mean((2, 3))
        else:
            seen = torch.relu(self.squeeze(features)).flatten(1)
        for layer in (self.hidden, *self.further):
            seen = self.dropout(torch.relu(layer(seen)))
        return seen

    def export_considered(self, graph: Graph, features: str) -> str:
        if self.squeeze is None:
            seen = graph.over_squares("ReduceMean", features)
        else:
            squeezed = graph.node("Relu", self.squeeze.export(graph, features))
            seen = graph.node("Flatten", squeezed)
        for layer in (self.hidden, *self.further):
            assert isinstance(layer, nn.Linear)
            seen = graph.node("Relu", graph.linear(layer, seen))
        return seen


class ValueHead(_BoardHead):
    """A value head: only this class knows how its output [B, n] is computed, read and fitted.

    Its name and whether it predicts draws are listed in nets/config.py, which does not need torch.
    No matrix product may follow the last layer: this is how quantisation finds the last layer.
    """

    onnx_name: ClassVar[str | None] = None  # the name of the output in an ONNX file; None: left out

    def __init__(self, config: NetConfig, squares: int) -> None:
        super().__init__(config, squares, config.dropout)

    @classmethod
    def chances(cls, out: Tensor) -> Tensor:
        """The mover's probabilities of a win, a draw and a loss: [B, 3]."""
        raise NotImplementedError

    @classmethod
    def value_and_draw(cls, out: Tensor) -> tuple[Tensor, Tensor]:
        """The mover's expected result [B] and the probability of a draw [B]."""
        chances = cls.chances(out)
        return chances[:, 0] - chances[:, 2], chances[:, 1]

    def export(self, graph: Graph, features: str) -> str:
        raise NotImplementedError

    @classmethod
    def export_value_and_draw(cls, graph: Graph, out: str) -> tuple[str, str]:
        """Adds to a graph what value_and_draw computes."""
        raise NotImplementedError

    @classmethod
    def loss(cls, out: Tensor, wdl: Tensor, power: float | None = None) -> Tensor:
        """The loss of each output, [B], against target probabilities [B, 3].

        With `power`, it is the absolute error of the expected result to that power, for every head.
        """
        expected, _ = cls.value_and_draw(out)
        error: Tensor = (expected - (wdl[:, 0] - wdl[:, 2])).abs()
        return error ** (power or 2.0)


class WdlHead(ValueHead):
    """Logits of the mover's win, draw and loss: [B, 3]; the loss is their cross-entropy."""

    onnx_name = "wdl"

    def __init__(self, config: NetConfig, squares: int) -> None:
        super().__init__(config, squares)
        self.wdl = nn.Linear(config.hidden[-1], 3)

    def forward(self, features: Tensor) -> Tensor:
        logits: Tensor = self.wdl(self.considered(features))
        return logits

    def export(self, graph: Graph, features: str) -> str:
        return graph.linear(self.wdl, self.export_considered(graph, features))

    @classmethod
    def chances(cls, out: Tensor) -> Tensor:
        return torch.softmax(out, 1)

    @classmethod
    def export_value_and_draw(cls, graph: Graph, out: str) -> tuple[str, str]:
        chances = graph.node("Softmax", out, axis=1)
        win, loss = graph.column(chances, 0), graph.column(chances, 2)
        return graph.node("Sub", win, loss), graph.column(chances, 1)

    @classmethod
    def loss(cls, out: Tensor, wdl: Tensor, power: float | None = None) -> Tensor:
        if power is not None:
            return super().loss(out, wdl, power)
        return -(wdl * nn.functional.log_softmax(out, 1)).sum(1)


class TanhHead(ValueHead):
    """The mover's expected result, in [-1, 1]: [B, 1]; draws are not predicted.

    The loss is the squared error.
    """

    def __init__(self, config: NetConfig, squares: int) -> None:
        super().__init__(config, squares)
        self.value = nn.Linear(config.hidden[-1], 1)

    def forward(self, features: Tensor) -> Tensor:
        return torch.tanh(self.value(self.considered(features)))

    def export(self, graph: Graph, features: str) -> str:
        return graph.node("Tanh", graph.linear(self.value, self.export_considered(graph, features)))

    @classmethod
    def chances(cls, out: Tensor) -> Tensor:
        return torch.cat(((1 + out) / 2, torch.zeros_like(out), (1 - out) / 2), 1)

    @classmethod
    def value_and_draw(cls, out: Tensor) -> tuple[Tensor, Tensor]:
        return out[:, 0], torch.zeros_like(out[:, 0])

    @classmethod
    def export_value_and_draw(cls, graph: Graph, out: str) -> tuple[str, str]:
        value = graph.column(out, 0)
        return value, graph.node("ConstantOfShape", graph.node("Shape", value))


class MovesLeftHead(_BoardHead):
    """The remaining length of the game, at least 0: [B, 1], in the unit that the loss uses."""

    def __init__(self, config: NetConfig, squares: int) -> None:
        super().__init__(config, squares)
        self.length = nn.Linear(config.hidden[-1], 1)

    def forward(self, features: Tensor) -> Tensor:
        return nn.functional.softplus(self.length(self.considered(features)))


VALUE_HEADS: dict[str, type[ValueHead]] = {"wdl": WdlHead, "tanh": TanhHead}
