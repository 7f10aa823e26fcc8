"""Golden trees: searches change only when this is intended."""

from itertools import zip_longest

import pytest

from golden import trees
from support import samples


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_tree_is_still_the_same(text: str) -> None:
    """Every search gives the visits, values and choices of the golden file, line by line."""
    golden = trees.path_of(text).read_text(encoding="utf-8").split("\n")
    for then, now in zip_longest(golden, trees.write(samples.game(text)).split("\n")):
        assert now == then, "the search behaves differently; if it is meant to, make golden FORCE=1"


def test_no_tree_is_of_no_game() -> None:
    """Every golden file belongs to a game."""
    assert {trees.path_of(text) for text in samples.GAMES} == set(trees.FOLDER.glob("*.txt"))
