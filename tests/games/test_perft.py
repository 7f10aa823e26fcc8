"""Path counts that somebody else computed: published suites, python-chess, slow references."""

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
    """Every line of every file that is not a comment."""
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
    """Paths of exactly so many choices."""
    assert rz.perft(rz.load(count.game).parse(count.position), count.depth) == count.paths


def test_every_game_has_counts() -> None:
    """No game of the core goes uncounted."""
    assert {count.game.split(":")[0] for count in COUNTS} >= set(_core.game_options())


def test_every_custom_piece_has_counts() -> None:
    """Each of the ten stands on at least two of the boards."""
    boards = [count.position.split(" ")[0] for count in COUNTS if "custom" in count.game]
    for man in ["O", "A", "S", "{w+}", "C", "M", "Z", "{wNN}", "G", "X"]:
        assert sum(man in board for board in boards) >= 2, man


def test_the_table_counts_what_the_fast_path_counts() -> None:
    """Orthodox men driven by the piece table alone: the published counts again, less deep."""
    table = rz.load("random_chess:generator=table")
    fast = rz.load("random_chess")
    for count in COUNTS:
        if count.game in ("chess", "random_chess"):
            depth = min(4, count.depth)
            position = count.position
            assert rz.perft(table.parse(position), depth) == rz.perft(fast.parse(position), depth)
