"""Tallies: results by seat and by pair, from player a's view."""

import math
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from rulezero import RulezeroError
from rulezero.stats.tally import Counts, GameResult, Pairs, RatingError, Tally, independent
from support import matches

GAMES = [
    GameResult(seat=0, outcome=1, cause="king", plies=30, pair=0),
    GameResult(seat=1, outcome=1, cause="king", plies=32, pair=0),
    GameResult(seat=0, outcome=0, cause="repetition", plies=80, pair=1),
    GameResult(seat=1, outcome=-1, cause="king", plies=30, pair=1),
    GameResult(seat=1, outcome=-0.5, cause="points", plies=50, pair=2),
    GameResult(seat=0, outcome=-1, cause="king", plies=12),
]


def test_a_tally_is_told_by_player_a() -> None:
    """Outcomes are seat 0's, so their sign is turned if a is in seat 1."""
    tally = Tally.of(GAMES)
    assert tally.by_seat == (Counts(1, 1, 1), Counts(2, 0, 1))
    assert tally.counts == Counts(wins=3, draws=1, losses=2)
    assert tally.games == 6
    assert tally.score == pytest.approx(3.5 / 6)
    assert tally.by_seat[1].score == pytest.approx(2 / 3)
    assert tally.by_cause == {
        "king": Counts(2, 0, 2),
        "repetition": Counts(0, 1, 0),
        "points": Counts(1, 0, 0),
    }
    assert tally.plies == {30: 2, 32: 1, 80: 1, 50: 1, 12: 1}
    assert tally.mean_plies == pytest.approx(39)


def test_pairs_count_once_both_games_are_there() -> None:
    """Pair 0 gave one point, pair 1 one and a half; the second game of pair 2 is missing."""
    assert Tally.of(GAMES).pairs == Pairs((0, 0, 1, 1, 0))
    for points, first, second in ((0, -1, 1), (1, -1, 0), (2, 1, 1), (3, 1, 0), (4, 1, -1)):
        pair = [GameResult(0, first, "", 1, 7), GameResult(1, second, "", 1, 7)]
        wanted = [0] * 5
        wanted[points] = 1
        assert list(Tally.of(pair).pairs.counts) == wanted
        assert Tally.of(pair).pairs.points == Tally.of(pair).counts.points == points / 2


def test_tallies_add() -> None:
    """The tally of all games is the sum of the tallies of its parts."""
    assert Tally.of(GAMES[:2]) + Tally.of(GAMES[2:]) == Tally.of(GAMES)
    assert sum((Tally.of(GAMES[i : i + 2]) for i in (0, 2, 4)), Tally()) == Tally.of(GAMES)
    assert Tally() + Tally.of(GAMES) == Tally.of(GAMES)


def test_swapping_tells_the_same_games_from_the_other_side() -> None:
    """b's tally is the tally of the same games with the players swapped."""
    other = [msgspec.structs.replace(game, seat=1 - game.seat) for game in GAMES]
    assert Tally.of(GAMES).swapped == Tally.of(other)
    assert Tally.of(GAMES).swapped.swapped == Tally.of(GAMES)
    assert Tally.of(other).score == pytest.approx(1 - Tally.of(GAMES).score)


def test_empty_tallies_have_an_even_score() -> None:
    assert Tally().score == Counts().score == Pairs().score == 0.5
    assert Tally().games == 0
    assert Tally().mean_plies == 0


def test_pairs_are_the_independent_events_where_they_are_most() -> None:
    """The events are pairs if at least half of the games are in pairs, else single games."""
    tally = Tally.of(GAMES)  # four games of six are paired
    assert independent(tally) == (0, 0, 1, 1, 0)
    assert independent(tally + Tally(by_seat=(Counts(3), Counts()))) == (2, 1, 6)
    assert independent(Tally()) == (0, 0, 0)
    assert independent(Counts(wins=1, draws=2, losses=3)) == (3, 2, 1)


def test_tallies_survive_json() -> None:
    text = msgspec.json.encode(Tally.of(GAMES))
    assert msgspec.json.decode(text, type=Tally) == Tally.of(GAMES)


def test_simulated_pairs_agree_with_their_games() -> None:
    """The points of the pairs are the points of the games."""
    tally = matches.opened(np.random.default_rng(3), 80, 60, openings=200)
    assert tally.pairs.total == 60
    assert tally.pairs.points == tally.counts.points
    assert tally.pairs.score == pytest.approx(tally.score)


def test_nonsense_is_refused_in_one_line() -> None:
    """Inconsistent counts raise a one-line RatingError."""
    twice = [GameResult(0, 1, "", 1, 0), GameResult(0, 1, "", 1, 0)]
    thrice = [*GAMES[:2], GameResult(0, 1, "", 1, 0)]
    attempts: list[Callable[[], object]] = [
        lambda: Tally.of(twice),
        lambda: Tally.of(thrice),
        lambda: Tally(pairs=Pairs((0, 0, 1, 0, 0))),
        lambda: Tally(by_seat=(Counts(1), Counts(1)), pairs=Pairs((1, 0, 0, 0, 0))),
        lambda: Counts(-1, 0, 0),
        lambda: Pairs((0, 0, -1, 0, 0)),
        lambda: GameResult(2, 1, "", 1),
        lambda: GameResult(0, math.nan, "", 1),
    ]
    for attempt in attempts:
        with pytest.raises(RatingError) as caught:
            attempt()
        assert isinstance(caught.value, RulezeroError)
        assert "\n" not in str(caught.value)
        assert ";" in str(caught.value)
