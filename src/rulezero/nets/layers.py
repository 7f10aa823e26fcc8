"""The tower's parts."""

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval


class ConvNorm(nn.Module):
    """A convolution that keeps the board's size, then BatchNorm."""

    def __init__(self, channels: int, out: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, kernel, padding=kernel // 2, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(out)

    def forward(self, x: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.conv(x))
        return normed

    def fold(self) -> None:
        """Makes one convolution of the two: the same function in eval mode, for export only."""
        if isinstance(self.norm, nn.BatchNorm2d):
            self.conv = fuse_conv_bn_eval(self.conv, self.norm)
            self.norm = nn.Identity()


class Block(nn.Module):
    """Two convolutions around which the input passes."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, kernel=3)
        self.second = ConvNorm(channels, channels, kernel=3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class WdlHead(nn.Module):
    """Logits of the mover's win, draw and loss."""

    def __init__(self, channels: int, squeezed: int, hidden: int, squares: int) -> None:
        super().__init__()
        self.squeeze = ConvNorm(channels, squeezed, kernel=1)
        self.hidden = nn.Linear(squeezed * squares, hidden)
        self.wdl = nn.Linear(hidden, 3)

    def forward(self, features: Tensor) -> Tensor:
        squeezed = torch.relu(self.squeeze(features)).flatten(1)
        logits: Tensor = self.wdl(torch.relu(self.hidden(squeezed)))
        return logits
