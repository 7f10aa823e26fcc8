"""Solves endgames of Monster Chess, smaller ones first; it can be stopped and resumed."""

import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from rulezero._core import (
    MonsterSolver,
    block_sums,
    monster_memory,
    monster_men,
    monster_needs,
    monster_setups,
    monster_size,
)
from rulezero.endgame.files import PART, REMEDY, TableError, Verdicts, write
from rulezero.endgame.monster import GAME, map_table, names_in, path_of
from rulezero.games.load import load

_STAGES = (1, 0, 2)  # second halves, first halves, Black's turns: in this order in each layer
_CHUNK = 4096  # set-ups (squares of the men) that a thread works on at a time
_SECONDS = 60.0  # between two saved layers; for each GiB of a large table


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a table after a layer."""

    men: str
    turns: int  # all wins of up to this many turns are found
    decided: int  # positions decided by such wins
    total: int  # entries of the table


class Tell(Protocol):
    """A function that is called after every layer."""

    def __call__(self, layer: Layer) -> None: ...


def order(men: str) -> list[str]:
    """All tables that some men need, each after those that it needs itself; theirs is last."""
    found: dict[str, None] = {}

    def visit(text: str) -> None:
        if text not in found:
            for smaller in monster_needs(text):
                visit(smaller)
            found[text] = None

    visit(monster_men(men))
    return list(found)


def solve(men: str, folder: str | Path, *, workers: int, tell: Tell | None = None) -> list[str]:
    """Makes the missing tables of some men and of all that they can become; returns their names.

    Tables in the folder are kept. A table that was stopped resumes from its last saved layer.
    """
    if not str(folder):
        raise TableError("'' is not a folder's name: give a folder for the tables")
    check_memory(men)
    place = Path(folder)
    if workers < 1:
        raise TableError(f"workers must be at least 1, not {workers}")
    if place.exists() and not place.is_dir():
        raise TableError(f"{place} is a file: give a folder for the tables")
    names_in(place)  # fails now if the folder could not be opened later
    missing = [text for text in order(men) if not path_of(place, text).exists()]
    _check_room(missing, place)
    place.mkdir(parents=True, exist_ok=True)
    for text in missing:
        _solve_one(text, place, workers, tell)
    return missing


def check_memory(men: str) -> None:
    """Raises TableError if this machine has too little memory to solve some men."""
    most = max(map(monster_memory, order(men)))
    if not hasattr(os, "sysconf"):  # on Windows, the memory is unknown
        return
    if most > (there := os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")):
        raise TableError(
            f"{monster_men(men)} needs {most / 2**30:.0f} GiB of memory to solve; this machine has"
            f" {there / 2**30:.0f}: solve fewer men"
        )


def _check_room(missing: list[str], folder: Path) -> None:
    """Raises TableError if the disk is too full; the largest table is briefly there twice."""
    sizes = [monster_size(men) for men in missing]
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if (most := sum(sizes) + max(sizes, default=0)) > (free := shutil.disk_usage(there).free):
        raise TableError(
            f"{missing[-1]} and smaller tables take {most / 2**30:.1f} GiB on disk; {there} has"
            f" {free / 2**30:.1f} left"
        )


def _solve_one(men: str, folder: Path, workers: int, tell: Tell | None) -> None:
    smaller = {text: map_table(folder, text) for text in monster_needs(men)}
    longest = max((table.header.layers for table in smaller.values()), default=0)
    part = path_of(folder, men, PART)
    verdicts, done = _begin(men, part)
    solver = MonsterSolver(
        men, {text: (table.verdicts, table.sums) for text, table in smaller.items()}, verdicts
    )
    rules = load(GAME).facts.version
    kept = time.monotonic()
    decided = int(np.count_nonzero(verdicts))
    with ThreadPoolExecutor(workers) as pool:
        for turns in count(done + 1):
            new = sum(_work(solver, pool, men, turns))
            decided += new
            if tell is not None:
                tell(Layer(men=men, turns=turns, decided=decided, total=verdicts.size))
            # No more wins can be found once no smaller table has longer ones.
            if new == 0 and turns > longest:
                break
            if time.monotonic() - kept > _SECONDS * max(1.0, verdicts.size / 2**30):
                write(part, verdicts, game=GAME, rules=rules, men=men, layers=turns)
                kept = time.monotonic()
    write(path_of(folder, men), verdicts, game=GAME, rules=rules, men=men, layers=turns - 1)
    part.unlink(missing_ok=True)


def _begin(men: str, part: Path) -> tuple[Verdicts, int]:
    """The verdicts so far, and the number of their layers."""
    verdicts = np.zeros(monster_size(men), np.int8)
    if not part.exists():
        return verdicts, 0
    kept = map_table(part.parent, men, PART)
    if block_sums(kept.verdicts) != kept.sums.tolist():
        raise TableError(f"{part} is damaged: {REMEDY}")
    verdicts[:] = kept.verdicts
    return verdicts, kept.header.layers


def _work(solver: MonsterSolver, pool: ThreadPoolExecutor, men: str, turns: int) -> Iterator[int]:
    """Works on one layer; yields the number of positions that each part decided."""
    setups = monster_setups(men)
    for stage in _STAGES:
        yield from pool.map(
            lambda begin, stage=stage: solver.work(
                stage, turns, begin, min(begin + _CHUNK, setups)
            ),
            range(0, setups, _CHUNK),
        )
