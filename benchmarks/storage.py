"""Measures a large store: bytes per ply, planes made per second, and memory while it is read."""

import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

import rulezero as rz
from rulezero.data import replay
from rulezero.data.store import Store
from rulezero.fleet.local import run
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.positions import sample
from rulezero.nets.tower import Tower, create
from rulezero.play.task import Task
from timing import Figure, spread

GAMES = ("razzle", "exchange")
SIMS = 100
_SEARCH = f"sims={SIMS},noise=0.25,temperature=1"
_LITTLE = NetConfig(blocks=1, channels=16)  # its answers are random anyway, so a fast net will do
_LOGITS = 3.0  # spread of a trained net's logits
_MOST_GROWTH = 16.0  # MiB by which memory may grow while a store is read
_PIECES = 8  # parts of the store; each part is timed separately


class Reading(NamedTuple):
    """Speed and memory of reading a store."""

    rates: list[float]  # planes a second, piece by piece
    growth: float  # MiB, from the first twentieth of the records to the end
    plies: int


def measure(folder: Path, plies: int, sharp_plies: int) -> Iterator[Figure]:
    """Half of the plies are Razzle's and half EXCHANGE's."""
    for name in GAMES:
        store = folder / f"{name}_heuristic"
        written, size = write(store, name, f"puct:{_SEARCH}", plies // 2, width=64)
        yield Figure(
            part="store",
            what=f"{name} on disk, {SIMS} simulations a choice, heuristic",
            number=spread([size / written]),
            unit="bytes a ply",
            note=f"{written:,} plies, {size / 2**20:,.1f} MiB",
        )
        # In another process: the memory of the process that wrote would hide that of reading.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            reading = fresh.submit(read_through, store, written).result()
        yield Figure(
            part="store",
            what=f"{name} planes re-made, whole games",
            number=spread(reading.rates),
            unit="/s",
            note=f"{reading.plies:,} choices of {written:,} plies, read, unpacked and replayed",
        )
        yield Figure(
            part="store",
            what=f"{name} memory while reading, growth",
            number=spread([reading.growth]),
            unit="MiB",
            wanted=_MOST_GROWTH,
            is_most=True,
            note="resident, after the first twentieth of the games",
        )
        net = sharp_net(folder, name)
        seat = f"puct:net={net},{_SEARCH}"
        written, size = write(folder / f"{name}_sharp", name, seat, sharp_plies, width=8)
        yield Figure(
            part="store",
            what=f"{name} on disk, {SIMS} simulations a choice, sharp policy",
            number=spread([size / written]),
            unit="bytes a ply",
            note=f"{written:,} plies; a random net with logits spread by {_LOGITS:g}",
        )


def write(path: Path, game: str, seat: str, plies: int, width: int) -> tuple[int, int]:
    """Plays at least this many plies into a store; returns their number and their size in bytes."""
    task = Task(
        game=game, a=seat, b=seat, games=plies, name="bench", swap=False, purpose="self-play"
    )
    written = 0
    with Store(path) as store:
        for finished in run(task, width=width, cache=0):
            store.add(finished.record)
            written += finished.record.plies
            if written >= plies:
                break
    return written, sum(file.stat().st_size for file in path.iterdir())


def read_through(path: Path, plies: int) -> Reading:
    """Reads a store of this many plies to its end and makes the planes of every choice."""
    rates: list[float] = []
    total, seen, made = 0, 0, 0
    early = 0.0
    begin = time.process_time()
    for record in Store(path):
        chosen = np.flatnonzero(record.columns().sims)  # dice have no planes
        made += len(replay.planes(record, chosen))
        total += len(chosen)
        seen += record.plies
        if not early and seen >= plies / 20:
            early = resident()
        if seen >= plies * (len(rates) + 1) / _PIECES:
            now = time.process_time()
            rates.append(made / (now - begin))
            made, begin = 0, now
    return Reading(rates, resident() - early, total)


def resident() -> float:
    """The resident memory of this process in MiB; NaN if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return math.nan
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def sharp_net(folder: Path, name: str) -> Path:
    """A small random net with a policy as sharp as that of a trained net."""
    game = rz.load(name)
    tower = create(game, _LITTLE)
    positions = sample(game, 256, seed=0)
    with torch.no_grad():
        logits = tower(torch.from_numpy(positions.planes))[0].numpy()
        spreads = [row[legal].std() for row, legal in zip(logits, positions.legal, strict=True)]
        _scale(tower, _LOGITS / float(np.mean(spreads)))
    return save(folder / f"{name}_net", tower, game)


def _scale(tower: Tower, factor: float) -> None:
    """Multiplies the logits of a from_to head."""
    for name, weight in tower.policy.named_parameters():
        if not name.startswith("key."):  # scaling keys, too, would scale logits twice
            weight.mul_(factor)
