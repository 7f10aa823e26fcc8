"""A residual tower: planes in, a policy and the mover's chances out."""

import torch
from torch import Tensor, nn

from rulezero._core import Facts, Game
from rulezero.nets.config import NetConfig
from rulezero.nets.heads import HEADS
from rulezero.nets.layers import Block, ConvNorm, WdlHead


class Tower(nn.Module):
    """AlphaZero's net: a stem, residual blocks, a policy head and a win/draw/loss head.

    planes  [B, C, H, W]
    policy  [B, slots]    logits, before any masking
    wdl     [B, 3]        logits of the mover's win, draw, loss
    """

    def __init__(self, facts: Facts, config: NetConfig) -> None:
        super().__init__()
        self.config = config.for_game(facts)
        self.planes = facts.planes
        self.slots = facts.slots
        channels, rows, columns = facts.planes
        wide = config.channels
        self.stem = ConvNorm(channels, wide, kernel=3)
        self.blocks = nn.Sequential(*(Block(wide) for _ in range(config.blocks)))
        self.policy = HEADS[self.config.head](self.config, rows, columns, facts.slots)
        self.value = WdlHead(wide, config.value_channels, config.value_hidden, rows * columns)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        features = self.blocks(torch.relu(self.stem(planes)))
        return self.policy(features), self.value(features)


def create(game: Game, config: NetConfig | None = None, seed: int = 0) -> Tower:
    """An untrained net for a game, in eval mode; the same seed draws the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Tower(game.facts, config or NetConfig()).eval()
