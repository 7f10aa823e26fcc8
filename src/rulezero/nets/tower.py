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

    def __init__(self, planes: tuple[int, int, int], slots: int, config: NetConfig) -> None:
        super().__init__()
        self.planes = planes
        self.slots = slots
        self.config = config  # its head chosen: see NetConfig.for_game
        channels, rows, columns = planes
        wide = config.channels
        self.stem = ConvNorm(channels, wide, kernel=3)
        self.blocks = nn.Sequential(*(Block(wide) for _ in range(config.blocks)))
        self.policy = HEADS[config.head](config, rows, columns, slots)
        self.value = WdlHead(wide, config.value_channels, config.value_hidden, rows * columns)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        features = self.blocks(torch.relu(self.stem(planes)))
        return self.policy(features), self.value(features)


def tower_for(facts: Facts, config: NetConfig) -> Tower:
    """A tower with random weights for a game's planes and slots."""
    return Tower(facts.planes, facts.slots, config.for_game(facts))


def create(game: Game, config: NetConfig | None = None, seed: int = 0) -> Tower:
    """An untrained net for a game, in eval mode; the same seed draws the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return tower_for(game.facts, config or NetConfig()).eval()
