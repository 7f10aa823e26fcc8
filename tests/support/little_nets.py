"""Tiny untrained nets of every game, made once for all tests of a process."""

import atexit
import functools
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

import rulezero as rz
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import Tower, create
from support import samples

# One game for each kind of head and shape of slots.
GAMES = ["chess", "connect4", "exchange", "monster", "razzle", "tictactoe"]
TINY = NetConfig(blocks=1, channels=8)
SMALL = NetConfig(blocks=2, channels=16)

# Every option of a net by itself, and all of them together.
_CHANGES: dict[str, dict[str, Any]] = {
    "none": {},
    "se": {"se": 4},
    "pooling": {"pooling": 2},
    "widths": {"widths": (16, 24)},
    "tanh": {"value": "tanh"},
    "value_pooled": {"value_pooled": True},
    "value_hidden": {"value_hidden": (32, 16)},
    "moves_left": {"moves_left": True},
    "dropout": {"dropout": 0.2},
}
_ALL = {name: value for change in _CHANGES.values() for name, value in change.items()}
OPTIONS = {
    name: SMALL.model_copy(update=change) for name, change in [*_CHANGES.items(), ("all", _ALL)]
}

torch.set_num_threads(1)  # more threads would compete for shared cores

_folder = Path(tempfile.mkdtemp(prefix="little_nets_"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)


@functools.cache
def tower(text: str, config: NetConfig = TINY) -> Tower:
    """An untrained tower with BatchNorm statistics of positions, so that folding matters."""
    made = create(samples.game(text), config, seed=1)
    made.train()
    with torch.no_grad():
        for _ in range(10):
            made(torch.from_numpy(batch(text, 64)))
    return made.eval()


@functools.cache
def net(text: str, config: NetConfig = TINY) -> Path:
    """The path of that tower as a saved net, as resolve() would return it."""
    differing = {name: value for name, value in config if value != getattr(NetConfig(), name)}
    name = "_".join([samples.game(text).facts.name, *(f"{n}{v}" for n, v in differing.items())])
    return save(_folder / name, tower(text, config), samples.game(text), {"seed": 1})


@functools.cache
def positions(text: str, count: int) -> tuple[rz.State, ...]:
    """States of random games that a net can evaluate."""
    found = [s for s in samples.states(text) if not s.is_over and s.mover != rz.CHANCE]
    return tuple(random.Random(0).sample(found, count))


@functools.cache
def batch(text: str, count: int) -> Floats:
    """The planes of these positions, [count, C, H, W]."""
    return np.stack([state.planes() for state in positions(text, count)])
