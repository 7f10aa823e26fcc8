"""The parts of a tower. `export` adds to an ONNX graph what `forward` computes, once folded."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils.checkpoint import checkpoint

from rulezero.nets.graph import Graph


class ConvNorm(nn.Module):
    """A convolution that keeps the board's size, then BatchNorm."""

    def __init__(self, channels: int, out: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, kernel, padding=kernel // 2, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(out)

    def forward(self, x: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.conv(x))
        return normed

    def export(self, graph: Graph, x: str) -> str:
        assert isinstance(self.norm, nn.Identity)
        return graph.conv(self.conv, x)

    def fold(self) -> None:
        """Merges both into one convolution: the same function in eval mode, for export only."""
        if isinstance(self.norm, nn.BatchNorm2d):
            self.conv = fuse_conv_bn_eval(self.conv, self.norm)
            self.norm = nn.Identity()


class Excitation(nn.Module):
    """Squeeze-and-excitation: scales each channel by weights computed from the whole board."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.squeeze = nn.Linear(channels, squeezed)
        self.excite = nn.Linear(squeezed, channels)

    def forward(self, x: Tensor) -> Tensor:
        shares = torch.sigmoid(self.excite(torch.relu(self.squeeze(x.mean((2, 3))))))  # [B, C]
        return x * shares[:, :, None, None]

    def export(self, graph: Graph, x: str) -> str:
        squeezed = graph.linear(self.squeeze, graph.over_squares("ReduceMean", x))
        excited = graph.linear(self.excite, graph.node("Relu", squeezed))
        shares = graph.node("Sigmoid", excited)
        return graph.node("Mul", x, graph.node("Unsqueeze", shares, graph.whole([2, 3])))


class BoardBias(nn.Module):
    """KataGo's global pooling: a bias for each channel, from means and maxima of others."""

    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        pooled = max(1, channels // 4)
        self.look = ConvNorm(channels, pooled, kernel=3)
        self.linear = nn.Linear(2 * pooled, out)

    def forward(self, x: Tensor) -> Tensor:
        seen = torch.relu(self.look(x))  # [B, C / 4, H, W]
        bias: Tensor = self.linear(torch.cat((seen.mean((2, 3)), seen.amax((2, 3))), 1))  # [B, out]
        return bias[:, :, None, None]

    def export(self, graph: Graph, x: str) -> str:
        seen = graph.node("Relu", self.look.export(graph, x))
        pooled = [graph.over_squares(kind, seen) for kind in ("ReduceMean", "ReduceMax")]
        bias = graph.linear(self.linear, graph.node("Concat", *pooled, axis=1))
        return graph.node("Unsqueeze", bias, graph.whole([2, 3]))


class Block(nn.Module):
    """Two convolutions with a skip connection, projected if the number of channels changes."""

    def __init__(self, channels: int, out: int, *, se: int = 0, is_pooling: bool = False) -> None:
        super().__init__()
        self.first = ConvNorm(channels, out, kernel=3)
        self.second = ConvNorm(out, out, kernel=3)
        self.projection = ConvNorm(channels, out, kernel=1) if out != channels else None
        self.bias = BoardBias(channels, out) if is_pooling else None
        self.excitation = Excitation(out, se) if se else None

    def forward(self, x: Tensor) -> Tensor:
        inner = self.first(x)
        if self.bias is not None:
            inner = inner + self.bias(x)
        change = self.second(torch.relu(inner))
        if self.excitation is not None:
            change = self.excitation(change)
        if self.projection is not None:
            x = self.projection(x)
        return torch.relu(x + change)

    def export(self, graph: Graph, x: str) -> str:
        inner = self.first.export(graph, x)
        if self.bias is not None:
            inner = graph.node("Add", inner, self.bias.export(graph, x))
        change = self.second.export(graph, graph.node("Relu", inner))
        if self.excitation is not None:
            change = self.excitation.export(graph, change)
        if self.projection is not None:
            x = self.projection.export(graph, x)
        return graph.node("Relu", graph.node("Add", x, change))


def recompute(block: nn.Module, x: Tensor) -> Tensor:
    """The block's output; its activations are not stored but recomputed for the gradient.

    The results and BatchNorm's running statistics are bit-identical to those of `block(x)`.
    """

    @contextmanager
    def keeping_statistics() -> Iterator[None]:
        norms = [module for module in block.modules() if isinstance(module, nn.BatchNorm2d)]
        before = [(norm.momentum, norm.num_batches_tracked) for norm in norms]
        for norm, (_, tracked) in zip(norms, before, strict=True):
            assert tracked is not None
            norm.momentum, norm.num_batches_tracked = 0.0, tracked.clone()
        try:
            yield
        finally:
            for norm, (momentum, tracked) in zip(norms, before, strict=True):
                norm.momentum, norm.num_batches_tracked = momentum, tracked

    made: Tensor = checkpoint(
        block,
        x,
        use_reentrant=False,
        preserve_rng_state=False,  # nothing in a block is random
        context_fn=lambda: (nullcontext(), keeping_statistics()),
    )
    return made
