"""A residual tower: planes in, a policy and the mover's chances out."""

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from rulezero._core import Facts, Game
from rulezero.nets.config import NetConfig
from rulezero.nets.heads import HEADS, VALUE_HEADS, MovesLeftHead
from rulezero.nets.layers import Block, ConvNorm


class Outputs(NamedTuple):
    """What a tower says of a batch."""

    policy: Tensor  # [B, slots] logits, before any masking
    value: Tensor  # [B, 3] logits of the mover's win, draw, loss, or [B, 1] its value by a tanh
    moves_left: Tensor | None = None  # [B, 1] see losses.MOVES_LEFT_UNIT; of towers with that head

    def float(self) -> "Outputs":
        """The same in float32, whatever they were computed in."""
        left = None if self.moves_left is None else self.moves_left.float()
        return Outputs(self.policy.float(), self.value.float(), left)


class Tower(nn.Module):
    """AlphaZero's net for planes [B, C, H, W]: a stem, residual blocks and their heads."""

    def __init__(self, planes: tuple[int, int, int], slots: int, config: NetConfig) -> None:
        super().__init__()
        self.planes = planes
        self.slots = slots
        self.config = config  # its head chosen: see NetConfig.for_game
        channels, rows, columns = planes
        self.stem = ConvNorm(channels, config.channels, kernel=3)
        every = config.pooling
        steps = pairwise((config.channels, *config.block_widths))
        self.blocks = nn.Sequential(
            *(
                Block(wide, out, se=config.se, is_pooling=every > 0 and number % every == 0)
                for number, (wide, out) in enumerate(steps, 1)
            )
        )
        self.policy = HEADS[config.head](config, rows, columns, slots)
        self.value = VALUE_HEADS[config.value](config, rows * columns)
        self.moves_left = MovesLeftHead(config, rows * columns) if config.moves_left else None

    def forward(self, planes: Tensor) -> Outputs:
        features = self.blocks(torch.relu(self.stem(planes)))
        moves_left = None if self.moves_left is None else self.moves_left(features)
        return Outputs(self.policy(features), self.value(features), moves_left)


def value_and_draw(value: Tensor) -> tuple[Tensor, Tensor]:
    """The mover's expected result [B] and the chance of a draw [B], by a value head's output.

    A tanh says nothing of draws: their chance is told as 0.
    """
    if value.shape[1] == 1:
        return value[:, 0], torch.zeros_like(value[:, 0])
    chances = torch.softmax(value, 1)
    return chances[:, 0] - chances[:, 2], chances[:, 1]


def chances(value: Tensor) -> Tensor:
    """The mover's chances of a win, a draw, a loss, by a value head's output: [B, 3]."""
    if value.shape[1] == 3:
        return torch.softmax(value, 1)
    return torch.cat(((1 + value) / 2, torch.zeros_like(value), (1 - value) / 2), 1)


def tower_for(facts: Facts, config: NetConfig) -> Tower:
    """A tower with random weights for a game's planes and slots."""
    return Tower(facts.planes, facts.slots, config.for_game(facts))


def create(game: Game, config: NetConfig | None = None, seed: int = 0) -> Tower:
    """An untrained net for a game, in eval mode; the same seed draws the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return tower_for(game.facts, config or NetConfig()).eval()
