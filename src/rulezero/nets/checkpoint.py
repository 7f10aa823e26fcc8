"""Saves nets and loads them for training: safetensors and JSON, never pickle."""

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
from rulezero.nets.tower import HEAD, Builder, Tower, tower_for
from rulezero.settings import Settings
from rulezero.version import __version__

_EXTRA = "extra."  # prefix of the weights of users' own heads


def save(
    net: str | Path, tower: Tower, game: Game, metadata: Mapping[str, Any] | None = None
) -> Path:
    """Writes NAME.safetensors, NAME.onnx and, once they are there, NAME.json; returns NAME."""
    facts = game.facts
    if (tower.planes, tower.slots) != (facts.planes, facts.slots):
        raise NetError(f"this tower was not made for '{game.text}'")
    return write(Path(net), tower, to_onnx(tower), game, tower.config, metadata, tower.heads)


def write(
    net: Path,
    module: nn.Module,
    onnx: bytes,
    game: Game,
    config: NetConfig | ModuleConfig,
    metadata: Mapping[str, Any] | None = None,
    heads: tuple[str, ...] = (),
) -> Path:
    """Writes the weights of a module, its ONNX model, and their card."""
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
        heads=heads,
    )
    written = msgspec.json.format(msgspec.json.encode(card, enc_hook=_keys)) + b"\n"
    if len(written) > LARGEST_CARD:
        raise NetError(f"the metadata of '{net}' are too long: a card has at most 1 MiB")
    write_whole(beside(net, ".safetensors"), weights)
    write_whole(beside(net, ".onnx"), onnx)
    write_whole(beside(net, ".json"), written)
    return net


def _keys(group: Settings) -> dict[str, Any]:
    """The keys of a card or a config; without empty `heads`, as older versions wrote them."""
    return {key: value for key, value in group if key != "heads" or value}


def load(
    net: Path,
    game: Game | None = None,
    heads: Mapping[str, Builder] | None = None,
    seed: int = 0,
) -> Tower:
    """The tower of a net that resolve() has found, in eval mode.

    A game in a Python file must be given. `heads` are those of loss terms, needed to continue
    training: heads that the net has get its weights, others are initialised with the seed. Without
    `heads` they are left out, as a search does not use them.
    """
    card = read_card(net)
    game = game_of(net, card, game)
    for name in card.heads:
        if heads is not None and name not in heads:
            raise NetError(
                f"the net '{net}' has a head for the loss term '{name}': to continue its training,"
                f" add fit.loss.extra.{name}=WEIGHT (0 keeps it as it is) and hooks=FILE, the"
                " Python file that registers it"
            )
    weights = read_part(net, ".safetensors", card.weights)
    with torch.device("meta"):
        tower = tower_for(game.facts, card.tower_config(net))
    if sum(tensor.nbytes for tensor in tower.state_dict().values()) > len(weights):
        raise NetError(f"'{net}.safetensors' is too small for the net that its card describes")
    tower.to_empty(device="cpu").eval().add_heads(game.facts, heads or {}, seed)
    fresh = {} if tower.extra is None else tower.extra.state_dict(prefix=_EXTRA)
    try:
        tensors = safetensors.torch.load(weights)
        if heads is None:
            tensors = {key: each for key, each in tensors.items() if not key.startswith(_EXTRA)}
        of_new = tuple(f"{_EXTRA}{name}{HEAD}." for name in tower.heads if name not in card.heads)
        tensors |= {key: each for key, each in fresh.items() if key.startswith(of_new)}
        tower.load_state_dict(tensors)
    except Exception as error:  # safetensors and torch raise different errors
        line = " ".join(str(error).split())
        raise NetError(
            f"'{net}.safetensors' does not hold this net's weights: {line:.200}"
        ) from error
    return tower
