"""Saving nets and loading them to train on: safetensors and JSON, never pickle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import safetensors.torch
import torch
from torch import nn

from rulezero._core import Game, NetError
from rulezero.files import write_whole
from rulezero.nets.card import (
    LARGEST_CARD,
    Card,
    beside,
    digest,
    game_of,
    read_card,
    read_part,
)
from rulezero.nets.config import ModuleConfig, NetConfig
from rulezero.nets.export import to_onnx
from rulezero.nets.tower import Tower, tower_for
from rulezero.settings import Settings
from rulezero.version import __version__


def save(
    net: str | Path, tower: Tower, game: Game, metadata: Mapping[str, Any] | None = None
) -> Path:
    """Writes NAME.safetensors, NAME.onnx and, once they are there, NAME.json; returns NAME."""
    facts = game.facts
    if (tower.planes, tower.slots) != (facts.planes, facts.slots):
        raise NetError(f"this tower was not made for '{game.text}'")
    return write(Path(net), tower, to_onnx(tower), game, tower.config, metadata)


def write(
    net: Path,
    module: nn.Module,
    onnx: bytes,
    game: Game,
    config: NetConfig | ModuleConfig,
    metadata: Mapping[str, Any] | None = None,
) -> Path:
    """Writes the weights of a module, the ONNX model that plays like it, and their card."""
    net.parent.mkdir(parents=True, exist_ok=True)
    facts = game.facts
    tensors = {name: tensor.contiguous() for name, tensor in module.state_dict().items()}
    weights = safetensors.torch.save(tensors)
    card = Card(
        game=game.text,
        name=facts.name,
        rules=facts.version,
        encoding=facts.encoding,
        planes=facts.planes,
        slots=facts.slots,
        config=config,
        weights=digest(weights),
        onnx=digest(onnx),
        rulezero=__version__,
        metadata=dict(metadata or {}),
    )
    written = msgspec.json.format(msgspec.json.encode(card, enc_hook=_keys)) + b"\n"
    if len(written) > LARGEST_CARD:
        raise NetError(f"the metadata of '{net}' are too long: a card has at most a mebibyte")
    write_whole(beside(net, ".safetensors"), weights)
    write_whole(beside(net, ".onnx"), onnx)
    write_whole(beside(net, ".json"), written)
    return net


def _keys(group: Settings) -> dict[str, Any]:
    """The keys of a card or a config; heads only where there are some, as it was before."""
    return {key: value for key, value in group if key != "heads" or value}


def load(net: Path, game: Game | None = None) -> Tower:
    """The tower of a net that resolve() has found, in eval mode.

    A game in a Python file must be given.
    """
    card = read_card(net)
    game = game_of(net, card, game)
    weights = read_part(net, ".safetensors", card.weights)
    with torch.device("meta"):
        tower = tower_for(game.facts, card.tower_config(net))
    if sum(tensor.nbytes for tensor in tower.state_dict().values()) > len(weights):
        raise NetError(f"'{net}.safetensors' is too small for the net that its card describes")
    try:
        tower.to_empty(device="cpu").load_state_dict(safetensors.torch.load(weights))
    except Exception as error:  # safetensors and torch each have their own
        line = str(error).strip().split("\n")[0]
        raise NetError(f"'{net}.safetensors' does not hold this net's weights: {line}") from error
    return tower.eval()
