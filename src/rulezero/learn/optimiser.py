"""The optimiser of a recipe."""

import torch
from torch import nn

from rulezero.learn.fit import FitSettings


def optimiser_of(net: nn.Module, settings: FitSettings) -> torch.optim.Optimizer:
    """The optimiser of a net's weights."""
    rate, decay = settings.rate.start, settings.weight_decay
    if settings.optimiser == "sgd":
        return torch.optim.SGD(
            net.parameters(), lr=rate, momentum=settings.momentum, weight_decay=decay
        )
    kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
    return kind(net.parameters(), lr=rate, weight_decay=decay)
