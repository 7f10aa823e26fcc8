"""Ladders: known strengths are recovered for any seat advantage and any order of players."""

import math
import re
from typing import Any

import msgspec
import numpy as np
import pytest

from rulezero import RulezeroError
from rulezero.stats.ladder import Ladder, Meeting
from rulezero.stats.rating import elo
from rulezero.stats.tally import Counts, Tally
from support import matches

STRENGTHS = {"anchor": 0.0, "weak": -150.0, "fair": 100.0, "good": 220.0, "best": 380.0}


def meetings(
    rng: np.random.Generator, games: int, advantage: float = 0.0, draws: float = 0.3
) -> list[Meeting]:
    """Results of all players against each other, `games` from each seat."""
    names = list(STRENGTHS)
    return [
        Meeting(a, b, matches.tally(rng, STRENGTHS[a] - STRENGTHS[b], games, draws, advantage))
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]


def won(a: str, b: str, games: int) -> Meeting:
    """A meeting in which a wins all games, from both seats."""
    return Meeting(a, b, Tally(by_seat=(Counts(wins=games), Counts(wins=games))))


def figures(ladder: Ladder) -> dict[str, tuple[float, ...]]:
    """All figures of each player of a ladder, by name."""
    return {rating.player: msgspec.structs.astuple(rating)[1:] for rating in ladder.ratings}


@pytest.mark.parametrize("advantage", [-400.0, 0.0, 350.0])
def test_known_strengths_come_back(advantage: float) -> None:
    """The order, the ratings within their errors, and the advantage of seat 0 are recovered."""
    ladder = Ladder.fit(meetings(np.random.default_rng(31), 150, advantage), anchor="anchor")
    assert [rating.player for rating in ladder.ratings] == sorted(
        STRENGTHS, key=lambda name: -STRENGTHS[name]
    )
    for rating in ladder.ratings:
        assert abs(rating.elo - STRENGTHS[rating.player]) <= 3 * rating.error
        assert rating.error < 25
        assert rating.games == 4 * 300
    assert abs(ladder.advantage - advantage) <= 3 * ladder.advantage_error
    assert 0 < ladder.advantage_error < 15
    assert (ladder["anchor"].elo, ladder["anchor"].error) == (0, 0)


def test_seat_advantage_does_not_pass_for_strength() -> None:
    """A weaker player mostly in the better seat may score more, but is rated lower."""
    rng = np.random.default_rng(32)
    lucky = Tally(by_seat=(matches.counts(rng, 400, 300), matches.counts(rng, -400, 40)))
    unlucky = Tally(by_seat=(matches.counts(rng, 500, 40), matches.counts(rng, -300, 300)))
    ladder = Ladder.fit(
        [Meeting("lucky", "anchor", lucky), Meeting("unlucky", "anchor", unlucky)], anchor="anchor"
    )
    assert ladder["lucky"].score > 0.7 > 0.4 > ladder["unlucky"].score
    assert ladder["unlucky"].elo > ladder["lucky"].elo
    assert ladder.difference("unlucky", "lucky")[0] == pytest.approx(100, abs=60)
    blind = Ladder.fit(
        [Meeting("lucky", "anchor", lucky), Meeting("unlucky", "anchor", unlucky)],
        anchor="anchor",
        advantage=0.0,
    )
    assert blind["unlucky"].elo < blind["lucky"].elo  # what the fitted advantage prevents
    assert (blind.advantage, blind.advantage_error) == (0, 0)


@pytest.mark.parametrize("draws", [0.0, 0.6])
def test_intervals_hold_the_truth_in_95_of_100(draws: float) -> None:
    """Intervals of ratings, advantage and a difference hold the truth, over 150 ladders."""
    rng = np.random.default_rng(33)
    ratings, advantages, differences = [], [], []
    for _ in range(150):
        ladder = Ladder.fit(meetings(rng, 15, 200, draws), anchor="anchor")
        for rating in ladder.ratings:
            if rating.player != "anchor":
                ratings.append(rating.lower <= STRENGTHS[rating.player] <= rating.upper)
        advantages.append(abs(ladder.advantage - 200) <= 1.96 * ladder.advantage_error)
        difference, error = ladder.difference("best", "fair")
        differences.append(abs(difference - 280) <= 1.96 * error)
    for held in (ratings, advantages, differences):
        assert 0.9 <= np.mean(held) <= 0.99


def test_draws_make_a_ladder_surer() -> None:
    """With half of the games drawn, intervals are narrower than without draws."""
    plain = Ladder.fit(
        [Meeting("a", "b", Tally(by_seat=(Counts(75, 0, 25), Counts(75, 0, 25))))], anchor="b"
    )
    drawn = Ladder.fit(
        [Meeting("a", "b", Tally(by_seat=(Counts(50, 50, 0), Counts(50, 50, 0))))], anchor="b"
    )
    assert drawn["a"].elo == pytest.approx(plain["a"].elo)
    assert drawn["a"].error < 0.8 * plain["a"].error


@pytest.mark.parametrize("counts", [Counts(60, 20, 20), Counts(20, 70, 10), Counts(30, 0, 70)])
def test_two_players_are_a_match(counts: Counts) -> None:
    """Elo and interval are nearly those of the match; only the prior's one draw differs."""
    tally = Tally(by_seat=(counts, counts))
    rating = Ladder.fit([Meeting("a", "b", tally)], anchor="b")["a"]
    estimate = elo(tally)
    added = Counts(counts.wins * 2, counts.draws * 2 + 1, counts.losses * 2)
    assert rating.elo == pytest.approx(elo(added).elo, abs=1e-3)
    assert rating.elo == pytest.approx(estimate.elo, abs=2)
    width, wanted = rating.upper - rating.lower, estimate.upper - estimate.lower
    assert width == pytest.approx(wanted, rel=0.06)


def test_permuting_players_changes_nothing() -> None:
    """Other names, another order, or a and b swapped in meetings give the same ladder."""
    table = meetings(np.random.default_rng(34), 20, 250)
    ladder = Ladder.fit(table, anchor="anchor")
    names = {"anchor": "z", "weak": "y", "fair": "x", "good": "w", "best": "v"}
    turned = [
        Meeting(names[m.b], names[m.a], m.tally.swapped) for m in reversed(table)
    ]  # b's results against a
    other = Ladder.fit(turned, anchor="z")
    for name, wanted in figures(ladder).items():
        assert figures(other)[names[name]] == pytest.approx(wanted, abs=1e-6)
    assert other.advantage == pytest.approx(ladder.advantage)
    assert other.advantage_error == pytest.approx(ladder.advantage_error)
    split = [Meeting(m.a, m.b, Tally(by_seat=(m.tally.by_seat[0], Counts()))) for m in table]
    split += [Meeting(m.a, m.b, Tally(by_seat=(Counts(), m.tally.by_seat[1]))) for m in table]
    assert figures(Ladder.fit(split, anchor="anchor")) == figures(ladder)


def test_swapping_all_results_negates_the_ladder() -> None:
    """With wins and losses swapped, ratings and advantage change sign, and errors stay."""
    table = meetings(np.random.default_rng(35), 20, 250)
    ladder = Ladder.fit(table, anchor="anchor")
    lost = [
        Meeting(m.a, m.b, Tally(by_seat=(m.tally.by_seat[0].swapped, m.tally.by_seat[1].swapped)))
        for m in table
    ]
    other = Ladder.fit(lost, anchor="anchor")
    for name in STRENGTHS:
        assert other[name].elo == pytest.approx(-ladder[name].elo, abs=1e-6)
        assert other[name].error == pytest.approx(ladder[name].error)
        assert other[name].lower == pytest.approx(-ladder[name].upper, abs=1e-6)
    assert other.advantage == pytest.approx(-ladder.advantage)


def test_another_anchor_moves_all_alike() -> None:
    """Differences, their errors and the advantage do not depend on the anchor."""
    table = meetings(np.random.default_rng(36), 20, 100)
    ladder, other = (Ladder.fit(table, anchor=name) for name in ("anchor", "good"))
    for name in STRENGTHS:
        assert other[name].elo == pytest.approx(ladder[name].elo - ladder["good"].elo, abs=1e-6)
        there, back = ladder.difference(name, "fair"), other.difference(name, "fair")
        assert there == pytest.approx(back, abs=1e-6)
    assert other.advantage == pytest.approx(ladder.advantage)
    assert ladder.difference("good", "anchor")[1] == pytest.approx(ladder["good"].error)


def test_the_unbeaten_are_finite_and_first() -> None:
    """A player that won all games is first, with a wide interval; one that lost all is last."""
    rng = np.random.default_rng(37)
    table = meetings(rng, 20)
    table += [won("unbeaten", name, 5) for name in STRENGTHS]
    table += [won(name, "hopeless", 5) for name in STRENGTHS]
    ladder = Ladder.fit(table, anchor="anchor")
    first, last = ladder.ratings[0], ladder.ratings[-1]
    assert (first.player, last.player) == ("unbeaten", "hopeless")
    assert ladder["best"].elo + 50 < first.elo < 2000
    assert ladder["weak"].elo - 50 > last.elo > -2000
    assert first.error > 3 * ladder["best"].error
    assert first.score == 1
    assert ladder.superiority("unbeaten", "best") > 0.9
    more = Ladder.fit([*table, won("unbeaten", "best", 50)], anchor="anchor")
    assert more["unbeaten"].elo > first.elo
    tight = Ladder.fit(table, anchor="anchor", prior=10)
    assert tight["unbeaten"].elo < first.elo


def test_a_seat_that_always_wins_is_finite() -> None:
    """The advantage is large but finite, and the players are rated equal."""
    tally = Tally(by_seat=(Counts(wins=20), Counts(losses=20)))
    ladder = Ladder.fit([Meeting("a", "b", tally)], anchor="b")
    assert ladder["a"].elo == pytest.approx(0, abs=1e-6)
    assert 400 < ladder.advantage < 1500
    other = Ladder.fit([Meeting("a", "b", tally.swapped)], anchor="a")
    assert other.advantage == pytest.approx(ladder.advantage)


def test_draws_alone_leave_some_doubt() -> None:
    """If all games are drawn, all ratings are 0, with errors that shrink with more games."""
    errors = []
    for games in (5, 500):
        tally = Tally(by_seat=(Counts(draws=games), Counts(draws=games)))
        ladder = Ladder.fit([Meeting("a", "b", tally)], anchor="b")
        assert ladder["a"].elo == pytest.approx(0, abs=1e-9)
        errors.append(ladder["a"].error)
    assert 100 > errors[0] > 10 * errors[1] > 0


def test_the_disconnected_are_told_not_rated() -> None:
    """Players without a chain of games to the anchor are in `disconnected`, and not rated."""
    table = [won("a", "anchor", 3), won("x", "y", 3), Meeting("x", "a", Tally())]
    ladder = Ladder.fit(table, anchor="anchor")
    assert ladder.disconnected == ("x", "y")
    assert [rating.player for rating in ladder.ratings] == ["a", "anchor"]
    assert figures(ladder) == figures(Ladder.fit(table[:1], anchor="anchor"))
    with pytest.raises(RulezeroError, match="'x' is not rated; let it play an opponent"):
        ladder["x"]
    joined = Ladder.fit([*table, won("y", "a", 1)], anchor="anchor")
    assert joined.disconnected == ()
    assert [rating.player for rating in joined.ratings] == ["x", "y", "a", "anchor"]


def test_superiority_is_between_two_players() -> None:
    ladder = Ladder.fit(meetings(np.random.default_rng(38), 20), anchor="anchor")
    assert ladder.superiority("best", "weak") > 0.99
    assert ladder.superiority("weak", "best") < 0.01
    assert ladder.superiority("fair", "fair") == 0.5
    there, back = ladder.superiority("good", "fair"), ladder.superiority("fair", "good")
    assert there == pytest.approx(1 - back)


def test_ladders_survive_json() -> None:
    ladder = Ladder.fit(meetings(np.random.default_rng(39), 5), anchor="anchor")
    again = msgspec.json.decode(msgspec.json.encode(ladder), type=Ladder)
    assert again == ladder
    assert again.difference("best", "good") == ladder.difference("best", "good")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"anchor": "rondom"}, "there is no player 'rondom' (did you mean 'random'?); known: "),
        ({"meetings": []}, "the anchor has no games: there is no player 'random'; known: none"),
        ({"meetings": [Meeting("x", "x", Tally())]}, "'x' meets itself; leave such games out"),
        ({"prior": 0}, "prior=0: give a number of games above 0"),
        ({"prior": math.nan}, "prior=nan: give a number of games above 0"),
        ({"decisive": 0}, "decisive=0: give a number of games above 0"),
        ({"advantage": math.inf}, "advantage=inf: give a finite number"),
        ({"confidence": 95}, "a confidence of 95 is impossible; give one such as 0.95"),
    ],
)
def test_nonsense_is_refused_in_one_line(wrong: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"meetings": [won("a", "random", 2)], "anchor": "random"}
    with pytest.raises(RulezeroError, match=re.escape(message)) as caught:
        Ladder.fit(**{**given, **wrong})
    assert "\n" not in str(caught.value)
