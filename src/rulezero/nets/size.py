"""How large a net is, without making it."""

from functools import cache
from typing import NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode

from rulezero.games.load import load
from rulezero.nets.config import NetConfig
from rulezero.nets.tower import tower_for


class Size(NamedTuple):
    """What a net takes."""

    parameters: int
    multiply_adds: int  # of an evaluation


@cache
def size_of(game: str, net: NetConfig) -> Size:
    """The size of a net for a game."""
    facts = load(game).facts
    with torch.device("meta"):  # shapes without numbers: any size is counted at once
        tower = tower_for(facts, net).eval()
        with FlopCounterMode(display=False) as counter:
            tower(torch.empty((1, *facts.planes)))
    parameters = sum(each.numel() for each in tower.parameters())
    return Size(parameters, counter.get_total_flops() // 2)
