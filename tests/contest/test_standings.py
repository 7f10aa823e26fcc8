"""The choice of the nets that are rated, and of the pairs of players."""

import itertools

import pytest

from rulezero.contest.standings import Entrant, pairings, spaced
from rulezero.errors import RunError


def test_nets_are_evenly_spaced() -> None:
    """The best net is always included, and the last one if two or more nets are asked for."""
    names = [f"iter_{number}" for number in range(1, 12)]
    assert spaced(names, 3, "iter_11") == ["iter_1", "iter_6", "iter_11"]
    assert spaced(names, 3, "iter_5") == ["iter_1", "iter_5", "iter_11"]
    assert spaced(names, 2, "iter_10") == ["iter_10", "iter_11"]
    assert spaced(names, 1, "iter_3") == ["iter_3"]
    assert spaced(names[:2], 5, "iter_1") == names[:2]
    assert spaced(names[:1], 5, "iter_1") == names[:1]
    with pytest.raises(RunError, match="at least one net"):
        spaced(names, 0, "iter_1")


def test_everybody_is_joined_to_the_anchor() -> None:
    """Neighbours in the list play each other, and no two players are paired twice."""
    fixed = [Entrant(name=name, text=name) for name in ("random", "heuristic", "alphabeta")]
    nets = [Entrant(name=f"iter_{n}", text=f"policy:net=iter_{n}", is_net=True) for n in range(4)]
    pairs = [{a.text, b.text} for a, b in pairings([*fixed, *nets])]
    players = [player.text for player in (*fixed, *nets)]
    assert all({a, b} in pairs for a, b in itertools.pairwise(players))
    assert {"alphabeta", "policy:net=iter_3"} in pairs
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert pairings([fixed[0], nets[0]]) == [(fixed[0], nets[0])]
