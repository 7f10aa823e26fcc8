"""Tiny untrained nets of every game, made once for all tests of a process."""

import atexit
import functools
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch

import rulezero as rz
import samples
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import Tower, create

# One game for each kind of head and shape of slots.
GAMES = ["chess", "connect4", "exchange", "monster", "razzle", "tictactoe"]
TINY = NetConfig(blocks=1, channels=8)

torch.set_num_threads(1)  # on shared cores, more of them wait for each other

_folder = Path(tempfile.mkdtemp(prefix="little_nets_"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)


@functools.cache
def tower(text: str, config: NetConfig = TINY) -> Tower:
    """An untrained tower whose BatchNorm has seen positions, so that folding it changes much."""
    made = create(samples.game(text), config, seed=1)
    made.train()
    with torch.no_grad():
        for _ in range(10):
            made(torch.from_numpy(batch(text, 64)))
    return made.eval()


@functools.cache
def net(text: str, config: NetConfig = TINY) -> Path:
    """That tower saved: the path that resolve() would give."""
    name = f"{samples.game(text).facts.name}_{config.blocks}x{config.channels}_{config.head}"
    return save(_folder / name, tower(text, config), samples.game(text), {"seed": 1})


@functools.cache
def positions(text: str, count: int) -> tuple[rz.State, ...]:
    """States of random games that a net can judge."""
    found = [s for s in samples.states(text) if not s.is_over and s.mover != rz.CHANCE]
    return tuple(random.Random(0).sample(found, count))


@functools.cache
def batch(text: str, count: int) -> Floats:
    """Their planes, [count, C, H, W]."""
    return np.stack([state.planes() for state in positions(text, count)])
