"""Counting mistakes in Connect Four positions: seeds, expected counts and intervals."""

import msgspec
import pytest

import rulezero as rz
from rulezero.contest.mistakes import Mistakes, mistakes
from rulezero.endgame.connect4 import men_of, positions


def test_the_seed_settles_them() -> None:
    """The same seed gives the same mistakes at any `width`; another seed gives others."""
    once = mistakes("random", "middle", seed=4)
    assert once == mistakes("random", "middle", seed=4, width=7)
    assert once == mistakes(rz.player("random"), "middle", seed=4)
    assert once.numbers != mistakes("random", "middle", seed=5).numbers


def test_a_search_is_settled_too() -> None:
    """`width` does not change the mistakes of a tree search, nor of random choices among ties."""
    for text in ("ucb1:sims=20", "alphabeta:depth=2,eval=uniform,random_ties=true"):
        assert mistakes(text, "late", width=3) == mistakes(text, "late")


def test_a_careless_player_errs_as_often_as_there_are_mistakes() -> None:
    """`random` errs as often as the shares of wrong moves predict, within 4 standard errors."""
    shares = [
        sum(map(solved.is_mistake, solved.values)) / len(solved.values)
        for solved in positions("late")
    ]
    spread = sum(share * (1 - share) for share in shares) ** 0.5
    assert abs(mistakes("random", "late").count - sum(shares)) < 4 * spread


def test_who_sees_the_end_does_not_err() -> None:
    """Alpha-beta of depth 9 errs only in positions with more than nine empty squares."""
    numbers = mistakes("alphabeta:depth=9,eval=uniform", "late").numbers
    empty = [42 - men_of(solved.state) for solved in positions("late")]
    assert sum(squares <= 9 for squares in empty) == 100
    assert numbers
    assert all(empty[number] > 9 for number in numbers)


def test_what_was_given_away_is_counted() -> None:
    """Each mistake is counted once, by the fall in value."""
    found = mistakes("random", "early")
    assert sum(found.by_fall.values()) == found.count == len(set(found.numbers))
    assert set(found.by_fall) == {"win to draw", "win to loss", "draw to loss"}
    assert min(found.by_fall.values()) > 0


def test_the_interval_is_wilsons() -> None:
    """The 95 % Wilson intervals of 31 and of 0 mistakes in 500 positions."""
    found = Mistakes(
        player="random", kind="middle", positions=500, by_fall={}, numbers=tuple(range(31))
    )
    assert found.interval() == pytest.approx((0.0440, 0.0867), abs=1e-4)
    none = msgspec.structs.replace(found, numbers=())
    assert none.interval() == pytest.approx((0, 0.0076), abs=1e-4)
    assert found.text == "31 of 500 middle positions, 6.2 % (4.4 to 8.7, 95 %)"


def test_a_human_is_not_asked() -> None:
    """The player `human` is refused."""
    with pytest.raises(rz.PlayerError, match="a human cannot play here"):
        mistakes("human", "late")
