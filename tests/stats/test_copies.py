"""Copies of a game are no evidence: intervals, tests and gates count different games."""

import random

import pytest

from rulezero.stats.ladder import Ladder, Meeting
from rulezero.stats.rating import elo, to_elo
from rulezero.stats.running import RunningTally
from rulezero.stats.sprt import SequentialTest, Sprt
from rulezero.stats.tally import Evidence, GameResult, RatingError, Tally, different
from rulezero.training.tasks import GateSettings
from rulezero.training.trials import verdict


def pair(number: int, opening: int, first: int, second: int) -> list[GameResult]:
    """Two games of an opening, by a's results in seat 0 and in seat 1."""
    return [
        GameResult(0, first, "end", 9, number, f"{opening} a"),
        GameResult(1, -second, "end", 9, number, f"{opening} b"),
    ]


def test_copies_count_as_one_game() -> None:
    """The interval of forty copies is that of one game; without copies nothing changes."""
    copies = Tally.of(GameResult(0, 1, "end", 9, key="x") for _ in range(40))
    once = Tally.of([GameResult(0, 1, "end", 9, key="x")])
    assert (copies.different, copies.games, copies.share) == (1, 40, 1 / 40)
    assert elo(copies).lower == pytest.approx(elo(once).lower)
    assert elo(copies).elo == pytest.approx(elo(once).elo)
    fresh = Tally.of(GameResult(0, 1, "end", 9, key=str(at)) for at in range(40))
    plain = Tally.of(GameResult(0, 1, "end", 9) for _ in range(40))
    assert fresh == plain
    assert (fresh.different, fresh.share) == (40, 1.0)


def test_half_copied_pairs_count_as_two() -> None:
    """If all games from seat 0 are identical, different games from seat 1 do not help."""
    games = [game for at in range(200) for game in pair(at, at, 1, 1)]
    games = [GameResult(0, 1, "end", 9, g.pair, "x") if g.seat == 0 else g for g in games]
    assert Tally.of(games).share * 400 == pytest.approx(4, rel=0.01)


def test_a_running_tally_is_the_tally_of_all() -> None:
    """A tally updated game by game equals the tally of all games, in any order."""
    rng = random.Random(1)
    games = [game for at in range(30) for game in pair(at, at % 4, 1, at % 3 - 1)]
    rng.shuffle(games)
    running = RunningTally()
    for at, game in enumerate(games, 1):
        running.add(game)
        assert running.tally == Tally.of(games[:at])


def test_evidence_must_fit_the_games() -> None:
    """More different games than games is an error."""
    with pytest.raises(RatingError, match="does not fit 0 games"):
        Tally(evidence=Evidence(2, 2))


@pytest.mark.parametrize("openings", [2, 5, 20])
def test_the_interval_covers_the_truth_with_few_openings(openings: int) -> None:
    """With deterministic players and few openings, 95 % intervals still cover the true score."""
    rng = random.Random(openings)
    truth, covered, naive, runs = to_elo(0.6), 0, 0, 150
    for _ in range(runs):
        outcomes = [
            (rng.choices((1, -1), (0.6, 0.4))[0], rng.choices((1, -1), (0.6, 0.4))[0])
            for _ in range(openings)
        ]
        drawn = [rng.randrange(openings) for _ in range(60)]
        tally = Tally.of(g for at, k in enumerate(drawn) for g in pair(at, k, *outcomes[k]))
        found, blind = elo(tally), elo(tally, share=1.0)
        covered += found.lower <= truth <= found.upper
        naive += blind.lower <= truth <= blind.upper
    assert covered / runs >= 0.9
    assert naive / runs < 0.85


def test_a_sequential_test_is_not_decided_by_copies() -> None:
    """100 copies of a won pair do not decide a test; 100 different won pairs do."""
    for openings, is_decided in ((1, False), (100, True)):
        test = SequentialTest(Sprt(elo0=0, elo1=50), pairs=True)
        games = [game for at in range(100) for game in pair(at, at % openings, 1, 1)]
        for index, game in enumerate(games):
            test.add(index, game)
        assert (test.sprt.verdict != "undecided") == is_decided


def test_a_gate_does_not_promote_by_copies() -> None:
    """12 copies of a won pair against 8 different lost ones: 60 % of all games, 11 % of them."""
    games = [game for at in range(12) for game in pair(at, 0, 1, 1)]
    games += [game for at in range(12, 20) for game in pair(at, at, -1, -1)]
    assert len(different(games)) == 18
    found = verdict(GateSettings(threshold=0.55), 1, {"0001/gate": games})
    assert not found.is_promoted
    assert found.reason == (
        "60.0% of all games, but 11.1% of the 18 different games: copies do not count"
    )
    fresh = [game for at in range(20) for game in pair(at, at, 1, 1)]
    assert verdict(GateSettings(threshold=0.55), 1, {"0001/gate": fresh}).is_promoted


def test_a_ladder_is_no_surer_for_copies() -> None:
    """The error of a rating is that of the different games."""
    many = Tally.of(game for at in range(50) for game in pair(at, at % 2, 1, -1))
    few = Tally.of(game for at in range(2) for game in pair(at, at, 1, -1))
    errors = [
        Ladder.fit([Meeting("a", "b", tally)], anchor="b", advantage=0.0)["a"].error
        for tally in (many, few)
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)
