"""The levels that the page offers, from the weakest to the strongest."""

import pytest

import rulezero as rz
from rulezero.web.levels import offer_of, offers
from rulezero.web.shown import meta


@pytest.mark.parametrize("name", offers())
def test_levels_are_in_order_of_their_strength(name: str) -> None:
    """Each level has a measured Elo with an interval, and is stronger than the one before."""
    levels = offers()[name].levels
    ratings = [level.elo for level in levels]
    assert all(rating is not None and rating > 0 for rating in ratings)
    assert ratings == sorted(set(ratings), key=ratings.index)
    assert ratings == sorted(rating for rating in ratings if rating is not None)
    for level in levels:
        assert level.elo is not None
        assert level.interval is not None
        low, high = level.interval
        assert low < level.elo < high


@pytest.mark.parametrize("name", offers())
def test_the_page_shows_intervals(name: str) -> None:
    """Wherever it has an Elo."""
    game = rz.load(name)
    for level, shown in zip(offer_of(game).levels, meta(game).levels, strict=True):
        assert level.interval is not None
        assert shown.interval == "{} to {}".format(*level.interval)
        assert shown.interval in shown.words
