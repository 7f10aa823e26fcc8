"""Perft counts from other sources: published suites, python-chess and slow references."""

from pathlib import Path
from typing import NamedTuple

import pytest

import rulezero as rz
from rulezero import _core

FOLDER = Path(__file__).parents[1] / "golden" / "perft"


class Count(NamedTuple):
    game: str
    depth: int
    paths: int
    position: str


def read_counts() -> list[Count]:
    """The counts of all files in FOLDER; lines with # are comments."""
    counts = []
    for file in sorted(FOLDER.glob("*.txt")):
        for line in file.read_text().splitlines():
            if line.startswith("#"):
                continue
            game, depth, paths, position = line.split("\t")
            counts.append(Count(game, int(depth), int(paths), position))
    return counts


COUNTS = read_counts()


@pytest.mark.parametrize("count", COUNTS, ids=lambda count: f"{count.game} {count.position}")
def test_perft_is_exact(count: Count) -> None:
    """The number of paths of the given depth is the expected one."""
    assert rz.perft(rz.load(count.game).parse(count.position), count.depth) == count.paths


def test_every_game_has_counts() -> None:
    """Every game of the core has perft counts."""
    assert {count.game.split(":")[0] for count in COUNTS} >= set(_core.game_options())


def test_every_custom_piece_has_counts() -> None:
    """Each of the ten custom pieces is on at least two of the boards."""
    boards = [count.position.split(" ")[0] for count in COUNTS if "custom" in count.game]
    for man in ["O", "A", "S", "{w+}", "C", "M", "Z", "{wNN}", "G", "X"]:
        assert sum(man in board for board in boards) >= 2, man


def test_the_table_counts_what_the_fast_path_counts() -> None:
    """The piece table and the fast generator give equal counts for standard men, to depth 4."""
    table = rz.load("random_chess:generator=table")
    fast = rz.load("random_chess")
    for count in COUNTS:
        if count.game in ("chess", "random_chess"):
            depth = min(4, count.depth)
            position = count.position
            assert rz.perft(table.parse(position), depth) == rz.perft(fast.parse(position), depth)
