"""Elo between two players: known figures, intervals that hold, signs, shut-outs."""

import itertools
import math

import numpy as np
import pytest

from rulezero.stats.rating import Estimate, elo, likeliest, mean, score_interval, to_elo, to_score
from rulezero.stats.tally import Counts, Pairs, RatingError, Results, Tally
from support import matches
from support.documents import ROOT

Z = 1.959964  # of 95 %


def published() -> list[tuple[Results, list[float]]]:
    """Results and the figures of other programs for them: tests/golden/ratings/elo.txt."""
    rows: list[tuple[Results, list[float]]] = []
    for line in (ROOT / "tests/golden/ratings/elo.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        text, *figures = line.split("\t")
        rows.append((read(text), [float(figure) for figure in figures]))
    return rows


def read(text: str) -> Results:
    """Counts of games or pairs by points, fewest first."""
    numbers = [int(number) for number in text.split()]
    if len(numbers) == 3:
        return Counts(*reversed(numbers))
    a, b, c, d, e = numbers
    return Pairs((a, b, c, d, e))


def negated(estimate: Estimate) -> tuple[float, ...]:
    return (-estimate.elo, -estimate.upper, -estimate.lower, 1 - estimate.superiority)


def figures(estimate: Estimate) -> tuple[float, ...]:
    return (estimate.elo, estimate.lower, estimate.upper, estimate.superiority)


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0.5, 0.0), (0.75, 190.85), (0.25, -190.85), (0.64, 99.95), (10 / 11, 400.0), (0.9, 381.70)],
)
def test_known_figures(score: float, difference: float) -> None:
    """Scores and their Elo differences, from published tables."""
    assert to_elo(score) == pytest.approx(difference, abs=0.005)
    assert to_score(difference) == pytest.approx(score, abs=1e-5)
    wins = round(1000 * score)
    assert elo(Counts(wins, 0, 1000 - wins)).elo == pytest.approx(difference, abs=0.2)


def test_a_score_has_an_interval() -> None:
    """It is Wilson's without draws, contains the score, and ends at 0 or 1 for shut-outs."""
    lower, upper = score_interval(Counts(75, 0, 25))
    middle, width = (75 + Z**2 / 2) / (100 + Z**2), Z * math.sqrt(0.1875 * 100 + Z**2 / 4)
    assert lower == pytest.approx(middle - width / (100 + Z**2), abs=1e-4)
    assert upper == pytest.approx(middle + width / (100 + Z**2), abs=1e-4)
    lower, upper = score_interval(Counts(20, 0, 0))
    assert lower == pytest.approx(20 / (20 + Z**2), abs=1e-4)
    assert upper == 1
    assert score_interval(Counts()) == (0, 1)


def test_a_draw_is_half() -> None:
    """A score of 75 % is +190.85 with or without draws, but with draws the interval is narrower."""
    plain, drawn = elo(Counts(75, 0, 25)), elo(Counts(50, 50, 0))
    assert plain.elo == pytest.approx(190.85, abs=0.005)
    assert drawn.elo == pytest.approx(190.85, abs=0.005)
    assert drawn.upper - drawn.lower < 0.8 * (plain.upper - plain.lower)


@pytest.mark.parametrize(("results", "wanted"), published())
def test_published_figures(results: Results, wanted: list[float]) -> None:
    """fastchess gives the same Elo, and nearly the same interval (a symmetric normal one)."""
    estimate = elo(results)
    assert estimate.elo == pytest.approx(wanted[0], abs=0.006)
    assert (estimate.upper - estimate.lower) / 2 == pytest.approx(wanted[1], rel=0.02)
    assert estimate.superiority == pytest.approx(wanted[2], abs=5e-4)


@pytest.mark.parametrize(("wins", "losses"), [(7, 3), (1, 9), (60, 40), (10, 0), (0, 3)])
def test_without_draws_it_is_wilsons_interval(wins: int, losses: int) -> None:
    """Wilson's bounds in closed form, and superiority of (wins - losses) / sqrt(games)."""
    games = wins + losses
    centre = (wins + Z * Z / 2) / (games + Z * Z)
    half = Z * math.sqrt(wins * losses / games + Z * Z / 4) / (games + Z * Z)
    estimate = elo(Counts(wins, 0, losses))
    if wins:
        assert to_score(estimate.lower) == pytest.approx(centre - half, abs=2e-4)
    if losses:
        assert to_score(estimate.upper) == pytest.approx(centre + half, abs=2e-4)
    normal = (1 + math.erf((wins - losses) / math.sqrt(2 * games))) / 2
    assert estimate.superiority == pytest.approx(normal, abs=2e-4)


def test_the_likeliest_distribution_is_that() -> None:
    """On a fine grid, no other distribution with the same mean has a higher likelihood."""
    counts, score = (10.0, 30.0, 60.0), 0.65
    found = likeliest(counts, score)
    assert sum(found) == pytest.approx(1)
    assert mean(found) == pytest.approx(score)

    def log_likelihood(shares: tuple[float, ...]) -> float:
        return sum(n * math.log(p) for n, p in zip(counts, shares, strict=True))

    grid = [
        (1 - score - drawn / 2, drawn, score - drawn / 2)
        for drawn in np.linspace(0.001, 0.699, 10000).tolist()
    ]
    best = max(grid, key=log_likelihood)
    assert log_likelihood(found) >= log_likelihood(best)
    assert found == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(("truth", "games"), [(60.0, 150), (-250.0, 40)])
def test_the_interval_holds_the_truth_in_95_of_100(truth: float, games: int) -> None:
    """In 400 matches, neither bound fails too often, and the estimates are centred on the truth."""
    rng = np.random.default_rng(11)
    estimates = [elo(matches.counts(rng, truth, games)) for _ in range(400)]
    too_high = sum(estimate.lower > truth for estimate in estimates)
    too_low = sum(estimate.upper < truth for estimate in estimates)
    assert 6 <= too_high + too_low <= 34  # 20 expected, deviation 4.4
    assert too_high <= 23
    assert too_low <= 23
    assert np.median([estimate.elo for estimate in estimates]) == pytest.approx(truth, abs=8)


def test_the_interval_holds_for_pairs_too() -> None:
    """It holds in 200 matches whose openings are often lost for one seat."""
    rng = np.random.default_rng(12)
    truth = to_elo(matches.expected_score(60, 300))
    estimates = [elo(matches.opened(rng, 60, 40, openings=300)) for _ in range(200)]
    missed = sum(not estimate.lower <= truth <= estimate.upper for estimate in estimates)
    assert 2 <= missed <= 19  # 10 expected, deviation 3.1


def test_pairs_tell_more_than_games_where_openings_are_uneven() -> None:
    """An opening that helps seat 0 helps each player once, which only pairs take into account."""
    tally = matches.opened(np.random.default_rng(13), 50, 200, openings=400)
    paired, single = elo(tally), elo(tally.counts)
    assert paired.elo == pytest.approx(single.elo)
    assert paired.upper - paired.lower < 0.8 * (single.upper - single.lower)
    assert figures(paired) == figures(elo(tally.pairs))
    even = matches.opened(np.random.default_rng(14), 50, 200, openings=0)
    ratio = (elo(even).upper - elo(even).lower) / (elo(even.counts).upper - elo(even.counts).lower)
    assert ratio == pytest.approx(1, abs=0.12)


def test_a_game_without_its_partner_still_counts() -> None:
    """The score is computed from all games, the variance from the pairs."""
    tally = matches.opened(np.random.default_rng(15), 50, 100, openings=300)
    more = tally + Tally(by_seat=(Counts(losses=1), Counts()))
    assert elo(more).games == 201
    assert elo(more).elo == pytest.approx(to_elo(more.score))
    assert elo(more).elo < elo(tally).elo
    width, before = elo(more).upper - elo(more).lower, elo(tally).upper - elo(tally).lower
    assert width == pytest.approx(before, rel=0.01)


def test_a_lone_game_beside_level_pairs_settles_nothing() -> None:
    """If all pairs are level, a single additional win does not become certain evidence."""
    halves = (Counts(wins=10), Counts(losses=10))
    level = Tally(by_seat=halves, pairs=Pairs((0, 0, 10, 0, 0)))
    more = level + Tally(by_seat=(Counts(wins=1), Counts()))
    assert 0.5 < elo(more).superiority < 0.9
    assert elo(more).lower < 0 < elo(more).upper


def test_swapping_the_players_negates_everything() -> None:
    """All counts of up to three of each kind of game, and random pairs."""
    for wins, draws, losses in itertools.product(range(4), repeat=3):
        counts = Counts(wins, draws, losses)
        assert figures(elo(counts.swapped)) == pytest.approx(negated(elo(counts)), abs=1e-6)
    rng = np.random.default_rng(16)
    for _ in range(30):
        a, b, c, d, e = (int(n) for n in rng.integers(0, 20, 5) * rng.integers(0, 2, 5))
        pairs = Pairs((a, b, c, d, e))
        assert figures(elo(pairs.swapped)) == pytest.approx(negated(elo(pairs)), abs=1e-6)


def test_few_games_give_finite_estimates_inside_wide_intervals() -> None:
    """Intervals are never nan and never of width 0; bounds are infinite only for shut-outs."""
    for wins, draws, losses in itertools.product(range(4), repeat=3):
        counts = Counts(wins, draws, losses)
        estimate = elo(counts)
        assert math.isfinite(estimate.elo)
        assert estimate.lower < estimate.elo < estimate.upper
        assert math.isinf(estimate.upper) == (draws == losses == 0)
        assert math.isinf(estimate.lower) == (draws == wins == 0)
        assert 0 < estimate.superiority < 1
        assert (estimate.superiority > 0.5) == (wins > losses)


@pytest.mark.parametrize(
    ("ten", "forty"),
    [(Counts(wins=10), Counts(wins=40)), (Pairs((0, 0, 0, 0, 10)), Pairs((0, 0, 0, 0, 40)))],
)
def test_a_shut_out_is_bounded_from_one_side(ten: Results, forty: Results) -> None:
    """A longer shut-out has a tighter bound; a shut-out but for one draw a slightly looser one."""
    shorter, longer = elo(ten), elo(forty)
    assert math.inf > longer.elo > shorter.elo > 300
    assert longer.lower > shorter.lower > 100
    assert longer.upper == shorter.upper == math.inf
    assert to_score(longer.lower) == pytest.approx(40 / (40 + Z * Z), abs=2e-4)
    assert longer.text == f"{longer.elo:+.1f} (at least {longer.lower:+.1f}, 95 %)"
    spoilt = elo(Counts(wins=39, draws=1))
    assert spoilt.lower < elo(Counts(wins=40)).lower
    assert spoilt.upper < math.inf


def test_draws_alone_narrow_the_interval() -> None:
    """If all games are drawn, Elo is 0, with an interval that shrinks with more games."""
    widths = []
    for estimate in (elo(Counts(draws=n)) for n in (1, 10, 100, 10**6)):
        assert estimate.elo == 0
        assert estimate.superiority == pytest.approx(0.5)
        assert estimate.lower == pytest.approx(-estimate.upper)
        widths.append(estimate.upper)
    assert 400 > widths[0] > 2 * widths[1] > 4 * widths[2] > 8 * widths[3] > 0


def test_no_games_no_bounds() -> None:
    estimate = elo(Tally())
    assert figures(estimate) == (0, -math.inf, math.inf, 0.5)
    assert estimate.text == "+0.0 (no bounds, 95 %)"


def test_confidence_widens_the_interval() -> None:
    """At confidence 2 * superiority - 1, the lower bound is exactly 0."""
    counts = Counts(60, 30, 40)
    widths = [
        elo(counts, confidence=c).upper - elo(counts, confidence=c).lower for c in (0.8, 0.99)
    ]
    assert widths[0] < elo(counts).upper - elo(counts).lower < widths[1]
    sure = 2 * elo(counts).superiority - 1
    assert elo(counts, confidence=sure).lower == pytest.approx(0, abs=1e-6)
    assert elo(counts).text == "+53.9 (+1.1 to +106.4, 95 %)"


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, -0.5, math.nan])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(RatingError, match=r"^a confidence of .*; give one such as 0.95$"):
        elo(Counts(1, 1, 1), confidence=confidence)


def test_impossible_scores_and_floors_are_refused() -> None:
    for score in (-0.1, 1.1, math.nan):
        with pytest.raises(RatingError, match="give one from 0 to 1"):
            to_elo(score)
    with pytest.raises(RatingError, match="floor=0: give"):
        elo(Counts(1, 1, 1), floor=0)
