"""Computes the size of a net without creating its weights."""

from functools import cache
from typing import NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode

from rulezero.games.load import load
from rulezero.nets.config import NetConfig
from rulezero.nets.tower import tower_for


class Size(NamedTuple):
    """The size of a net."""

    parameters: int
    multiply_adds: int  # of one evaluation


@cache
def size_of(game: str, net: NetConfig) -> Size:
    """The size of a net for a game."""
    facts = load(game).facts
    with torch.device("meta"):  # shapes without data: fast for any size
        tower = tower_for(facts, net).eval()
        with FlopCounterMode(display=False) as counter:
            tower(torch.empty((1, *facts.planes)))
    parameters = sum(each.numel() for each in tower.parameters())
    return Size(parameters, counter.get_total_flops() // 2)
