"""How weights are moved, and by how many threads."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from rulezero.learn.fit import FitSettings
from rulezero.machine import cores


def optimiser_of(net: nn.Module, settings: FitSettings) -> torch.optim.Optimizer:
    """Moves the weights of a net."""
    rate, decay = settings.rate.start, settings.weight_decay
    if settings.optimiser == "sgd":
        return torch.optim.SGD(
            net.parameters(), lr=rate, momentum=settings.momentum, weight_decay=decay
        )
    kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
    return kind(net.parameters(), lr=rate, weight_decay=decay)


@contextmanager
def threads(wanted: int) -> Iterator[None]:
    """Torch computes in so many threads, and then in as many as before.

    Sums are rounded differently in other numbers of threads: it must not matter who else has set
    them in this process.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(wanted or cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)
