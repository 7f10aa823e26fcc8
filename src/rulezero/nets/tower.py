"""The residual tower: from planes to a policy and a value."""

import copy
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from rulezero._core import Facts, NetError
from rulezero.games.load import AnyGame, load
from rulezero.games.python_game import describe
from rulezero.nets.config import NetConfig
from rulezero.nets.graph import Graph
from rulezero.nets.heads import HEADS, VALUE_HEADS, FromToHead, MovesLeftHead, ValueHead
from rulezero.nets.layers import Block, ConvNorm, recompute

Builder = Callable[[int, Facts], nn.Module]  # makes a head, from channels and facts
HEAD = "_head"  # suffix of heads' names, to avoid clashes with torch's own


class Outputs(NamedTuple):
    """The outputs of a tower for a batch."""

    policy: Tensor  # [B, slots] logits, before any masking
    value: Tensor  # [B, n] the value head's own output, which only that head can read
    moves_left: Tensor | None = None  # [B, 1] see losses.MOVES_LEFT_UNIT; None: no such head
    extra: Mapping[str, Tensor] | None = None  # of users' own heads, by the names of their terms

    def float(self) -> "Outputs":
        """The same outputs in float32."""
        left = None if self.moves_left is None else self.moves_left.float()
        extra = self.extra and {name: said.float() for name, said in self.extra.items()}
        return Outputs(self.policy.float(), self.value.float(), left, extra)


class Tower(nn.Module):
    """AlphaZero's net for planes [B, C, H, W]: a stem, residual blocks and their heads."""

    def __init__(self, planes: tuple[int, int, int], slots: int, config: NetConfig) -> None:
        super().__init__()
        self.planes = planes
        self.slots = slots
        self.config = config  # with a chosen head: see NetConfig.for_game
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
        self.value: ValueHead = VALUE_HEADS[config.value](config, rows * columns)
        self.moves_left = MovesLeftHead(config, rows * columns) if config.moves_left else None
        self.extra: nn.ModuleDict | None = None  # users' own heads, see add_heads

    def __repr__(self) -> str:
        planes = "x".join(map(str, self.planes))
        weights = sum(each.numel() for each in self.parameters())
        widths = sorted({self.config.channels, *self.config.block_widths})
        channels = " to ".join(map(str, dict.fromkeys((widths[0], widths[-1]))))
        return (
            f"<tower of {self.config.blocks} blocks with {channels} channels, planes {planes},"
            f" {self.slots} slots, {weights:,} parameters>"
        )

    def forward(self, planes: Tensor, recomputed: int = 0) -> Outputs:
        """The outputs; the activations of the first `recomputed` blocks are not stored."""
        features = torch.relu(self.stem(planes))
        for number, block in enumerate(self.blocks):
            features = block(features) if number >= recomputed else recompute(block, features)
        moves_left = None if self.moves_left is None else self.moves_left(features)
        extra = {name: self._head(name)(features) for name in self.heads} or None
        return Outputs(self.policy(features), self.value(features), moves_left, extra)

    def export(self, graph: Graph) -> tuple[str, str]:
        """Adds a folded tower to an ONNX graph: its policy and the output of its value head."""
        features = graph.node("Relu", self.stem.export(graph, "planes"))
        for block in self.blocks:
            assert isinstance(block, Block)
            features = block.export(graph, features)
        return self.policy.export(graph, features), self.value.export(graph, features)

    @property
    def heads(self) -> tuple[str, ...]:
        """The names of the loss terms that have a head in this tower."""
        return tuple(key.removesuffix(HEAD) for key in self.extra or ())

    def _head(self, name: str) -> nn.Module:
        assert self.extra is not None
        return self.extra[name + HEAD]

    def add_heads(self, facts: Facts, heads: Mapping[str, Builder], seed: int) -> None:
        """Adds a head for each of these loss terms; the seed determines their weights."""
        if not heads:
            return
        made = nn.ModuleDict()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            for name, build in heads.items():
                try:
                    head = build(self.config.features, facts)
                except Exception as error:  # any error of the user's function
                    raise NetError(f"the head of '{name}' {describe(error)}") from error
                if not isinstance(head, nn.Module):
                    raise NetError(
                        f"the head of '{name}' must be a torch.nn.Module, not {head!r:.60}"
                    )
                made[name + HEAD] = head.train(self.training)
        self.extra = made

    def folded(self) -> "Tower":
        """A copy on the CPU for play: the same function in eval mode, with fewer operations.

        BatchNorm is folded into the convolutions, and heads used only in training are left out.
        """
        made = copy.deepcopy(self).cpu().float().eval()
        made.moves_left = made.extra = None
        for module in made.modules():
            if isinstance(module, ConvNorm | FromToHead):
                module.fold()
        return made


def tower_for(facts: Facts, config: NetConfig) -> Tower:
    """A tower with random weights for a game's planes and slots."""
    return Tower(facts.planes, facts.slots, config.for_game(facts))


def create(
    game: AnyGame,
    config: NetConfig | None = None,
    seed: int = 0,
    heads: Mapping[str, Builder] | None = None,
) -> Tower:
    """An untrained net for a game, in eval mode; the same seed gives the same weights.

    `heads` are functions that make users' own heads, by loss term: see rz.loss_term.
    """
    facts = load(game).facts
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tower = tower_for(facts, config or NetConfig())
    tower.add_heads(facts, heads or {}, seed)
    return tower.eval()
