"""Golden trees: a search that is not meant to change does not."""

from itertools import zip_longest

import pytest

from golden import trees
from support import samples


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_tree_is_still_the_same(text: str) -> None:
    """Every search gives the same visits, values and choices as it did, line by line."""
    golden = trees.path_of(text).read_text(encoding="utf-8").split("\n")
    for then, now in zip_longest(golden, trees.write(samples.game(text)).split("\n")):
        assert now == then, "the search behaves differently; if it is meant to, make golden FORCE=1"


def test_no_tree_is_of_no_game() -> None:
    """Each file is some game's."""
    assert {trees.path_of(text) for text in samples.GAMES} == set(trees.FOLDER.glob("*.txt"))
