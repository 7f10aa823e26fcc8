"""Weights of a game's hand-written heuristic, from a YAML file: `alphabeta:weights=mine.yaml`."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from pydantic import create_model

from rulezero._core import Game, PlayerError
from rulezero.nets.card import digest
from rulezero.play.players import Player
from rulezero.settings import Settings, number
from rulezero.yaml_files import read_file

_MISSING = "give a YAML file with a number for each weight's name"


class Weights(NamedTuple):
    """The weights of a heuristic."""

    numbers: tuple[float, ...]  # in the order of the game's table; (): all defaults
    identity: str | None  # the file's name and a digest of all numbers, for records


def weights_of(player: Player, game: Game) -> Weights:
    """The weights from the file that a player's text names; missing ones have their defaults."""
    given = player.spec.options.get("weights")
    if given is None:
        return Weights((), None)
    table = game.facts.weights
    if not table:
        raise PlayerError(f"{game.facts.name} has no tunable weights: leave weights= out")
    fields: dict[str, Any] = {
        each.name: (Annotated[float, number(each.low, each.high)], each.fallback) for each in table
    }
    form = create_model("Weights", __base__=Settings, **fields)
    path = Path(given)
    read = read_file(path, _MISSING, PlayerError).read(form).model_dump()
    # Rounded to float32 like the core's numbers, so that 0.18 equals a default of 0.18.
    known = {name: float(np.float32(value)) for name, value in read.items()}
    return Weights(tuple(known.values()), f"{path.name}#{digest(msgspec.json.encode(known))[:12]}")
