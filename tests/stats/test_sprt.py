"""The sequential test: published ratios, error rates, signs, refusals."""

import math
import re
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import numpy as np
import pytest

from rulezero import RulezeroError
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import Counts, Pairs, Tally
from support import matches
from support.documents import ROOT

Model = Literal["logistic", "normalized"]


def published() -> list[tuple[Sprt, float]]:
    """Tests and other programs' ratios for them: tests/golden/ratings/llr.txt."""
    rows = []
    for line in (ROOT / "tests/golden/ratings/llr.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        model, elo0, elo1, text, llr = line.split("\t")
        chosen: Model = "logistic" if model == "logistic" else "normalized"
        counts = tuple(int(number) for number in text.split())
        sprt = Sprt(elo0=float(elo0), elo1=float(elo1), model=chosen, counts=counts)
        rows.append((sprt, float(llr)))
    return rows


def slow_llr(sprt: Sprt) -> float:
    """The ratio for games without pairs, by trying every share of draws under each hypothesis."""
    lost, drawn, won = (count or sprt.floor for count in sprt.counts)
    share = np.linspace(1e-7, 1 - 1e-7, 200_001)  # of draws
    best = []
    for elo in (sprt.elo0, sprt.elo1):
        if sprt.model == "logistic":
            ahead = np.full_like(share, 1 / (1 + 10 ** (-elo / 400)) - 0.5)
        else:
            t = elo * math.log(10) / 800
            ahead = t / math.sqrt(1 + t * t) * np.sqrt((1 - share) / 4)
        wins, losses = (1 - share) / 2 + ahead, (1 - share) / 2 - ahead
        possible = (wins > 0) & (losses > 0)
        logs = [np.log(p[possible]) for p in (losses, share, wins)]
        best.append((lost * logs[0] + drawn * logs[1] + won * logs[2]).max())
    return float(best[1] - best[0])


def played(
    sprt: Sprt, rng: np.random.Generator, chances: list[float], step: int = 4
) -> tuple[str, int]:
    """The verdict, checked after every `step` results, and the number of games until then."""
    results = np.cumsum(rng.multinomial(step, chances, 1000), axis=0)
    for taken, row in enumerate(results + np.array(sprt.counts), start=1):
        now = msgspec.structs.replace(sprt, counts=tuple(int(n) for n in row))
        if now.verdict != "undecided":
            return now.verdict, taken * step * (2 if len(row) == 5 else 1)
    raise AssertionError("no verdict")


@pytest.mark.parametrize(("sprt", "llr"), published())
def test_published_ratios(sprt: Sprt, llr: float) -> None:
    """Ratios equal those of fishtest and fastchess in the two decimals that they show."""
    assert sprt.llr == pytest.approx(llr, abs=0.0051)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("counts", [(30, 50, 41), (3, 0, 9), (0, 200, 0), (0, 0, 25), (1, 90, 2)])
def test_ratios_are_those_of_a_slow_search(model: Model, counts: tuple[int, ...]) -> None:
    """Ratios agree with a slow search, also if some results never occurred."""
    sprt = Sprt(elo0=-10, elo1=35, model=model, counts=counts)
    assert sprt.llr == pytest.approx(slow_llr(sprt), abs=1e-4)


@pytest.mark.parametrize(
    ("sprt", "chances"),
    [
        (Sprt(elo0=0, elo1=50), matches.chances),
        (Sprt(elo0=0, elo1=50, counts=(0,) * 5), matches.pentanomial),
        (Sprt(elo0=-60, elo1=-10, alpha=0.1, beta=0.02, counts=(0,) * 5), matches.pentanomial),
    ],
)
def test_error_rates_are_kept(sprt: Sprt, chances: Callable[[float, float], list[float]]) -> None:
    """Of 300 tests at each hypothesis, some are wrong, but no more than the error rates allow."""
    rng = np.random.default_rng(21)
    for truth, right, rate in (
        (sprt.elo0, "accepted H0", sprt.alpha),
        (sprt.elo1, "accepted H1", sprt.beta),
    ):
        verdicts = [played(sprt, rng, chances(truth, 0.4))[0] for _ in range(300)]
        wrong = sum(verdict != right for verdict in verdicts) / 300
        deviation = math.sqrt(rate * (1 - rate) / 300)
        assert rate / 6 <= wrong <= rate + 2 * deviation


def test_normalized_bounds_keep_their_error_rates() -> None:
    """The error rate holds with and without draws, and the tests are about equally long."""
    rng = np.random.default_rng(22)
    sprt = Sprt(elo0=0, elo1=30, model="normalized", counts=(0,) * 5)
    lengths = []
    for draws in (0.0, 0.8):
        ends = [played(sprt, rng, matches.pentanomial(0, draws), step=8) for _ in range(100)]
        assert sum(verdict == "accepted H1" for verdict, _ in ends) <= 5 + 2 * 2.2
        lengths.append(np.mean([games for _, games in ends]))
    assert lengths[1] == pytest.approx(lengths[0], rel=0.25)


@pytest.mark.parametrize("truth", [0.0, 25.0, 50.0])
def test_the_expected_remainder_is_what_matches_need(truth: float) -> None:
    """After 21 even pairs, it agrees with the mean of 200 simulated continuations."""
    rng = np.random.default_rng(23)
    share = matches.pentanomial(truth, 0.4)
    sprt = Sprt(elo0=0, elo1=50, counts=(2, 5, 7, 5, 2))
    assert sprt.verdict == "undecided"
    games = np.mean([played(sprt, rng, share, step=2)[1] for _ in range(200)])
    assert sprt.remaining(truth) == pytest.approx(games, rel=0.2)


def test_the_remainder_shrinks_towards_a_verdict() -> None:
    """It uses the Elo so far by default, is longest between the hypotheses, and 0 at the end."""
    sprt = Sprt(elo0=0, elo1=20).after(Counts(60, 40, 40))
    assert sprt.remaining(10) > sprt.remaining(20) > sprt.remaining(40) > 0
    assert sprt.remaining(10) > sprt.remaining(0) > sprt.remaining(-20) > 0
    assert sprt.remaining(20) > sprt.remaining() > 0  # 50 Elo so far
    nearer = sprt.after(Counts(120, 80, 80))
    assert nearer.remaining() < sprt.remaining()
    assert nearer.after(Counts(1200, 800, 800)).remaining() == 0
    assert 1000 < Sprt(elo0=0, elo1=20).remaining() < 3000
    assert math.isfinite(sprt.after(Counts(draws=3)).remaining())


def test_signs() -> None:
    """Wins are evidence for H1, losses for H0; the verdict follows the bounds."""
    sprt = Sprt(elo0=0, elo1=100)
    lower, upper = sprt.bounds
    assert lower == pytest.approx(-2.944, abs=1e-3)
    assert upper == pytest.approx(2.944, abs=1e-3)
    assert sprt.llr == pytest.approx(0, abs=1e-3)
    won, lost = sprt.after(Counts(40, 20, 10)), sprt.after(Counts(10, 20, 40))
    assert won.llr > upper
    assert won.verdict == "accepted H1"
    assert lost.llr < lower
    assert lost.verdict == "accepted H0"
    assert sprt.after(Counts(5, 5, 4)).verdict == "undecided"
    strict = Sprt(elo0=0, elo1=100, alpha=0.01, beta=0.2)
    assert list(strict.bounds) == pytest.approx([math.log(0.2 / 0.99), math.log(80)])


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_swapping_the_players_negates_the_ratio(model: Model) -> None:
    """Testing a against b for 10 to 30 Elo equals testing b against a for -30 to -10 Elo."""
    sprt = Sprt(elo0=10, elo1=30, alpha=0.01, beta=0.2, model=model)
    other = Sprt(elo0=-30, elo1=-10, alpha=0.2, beta=0.01, model=model)
    assert other.bounds == pytest.approx([-bound for bound in reversed(sprt.bounds)])
    for results in (
        Counts(9, 5, 2),
        Counts(draws=4),
        Pairs((3, 9, 20, 11, 2)),
        Pairs((0, 0, 0, 1, 9)),
    ):
        assert sprt.after(results).llr == pytest.approx(-other.after(results.swapped).llr)
        there, back = sprt.after(results).remaining(), other.after(results.swapped).remaining()
        assert there == pytest.approx(back)


def test_pairs_decide_sooner_where_openings_are_uneven() -> None:
    """The same games are more evidence as pairs; a tally with pairs counts as pairs."""
    tally = matches.opened(np.random.default_rng(24), 60, 150, openings=400)
    sprt = Sprt(elo0=0, elo1=20)
    assert sprt.after(tally).counts == tally.pairs.counts
    assert sprt.after(tally).llr > 1.3 * sprt.after(tally.counts).llr > 0
    assert sprt.after(Tally(by_seat=tally.by_seat)).llr == sprt.after(tally.counts).llr


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0=5, elo1=5: give an elo0 below elo1"),
        ({"elo0": 10, "elo1": 0}, "elo0=10, elo1=0: give an elo0 below elo1"),
        ({"elo0": math.nan, "elo1": 0}, "elo0=nan, elo1=0: give an elo0 below elo1"),
        ({"elo0": -math.inf, "elo1": 0}, "elo0=-inf: give logistic Elo from -1000 to 1000"),
        ({"elo1": 300, "model": "normalized"}, "elo1=300: give normalized Elo from -200 to 200"),
        ({"alpha": 0}, "alpha=0: give an error rate between 0 and 0.5"),
        ({"alpha": 0.5}, "alpha=0.5: give an error rate between 0 and 0.5"),
        ({"beta": 5}, "beta=5: give an error rate between 0 and 0.5"),
        ({"beta": math.nan}, "beta=nan: give an error rate"),
        ({"model": "bayesian"}, "model='bayesian': give 'logistic' or 'normalized'"),
        ({"floor": 0}, "floor=0: give a small count"),
        ({"counts": (1, 2)}, "counts=(1, 2): give three of games or five of pairs"),
        ({"counts": (1, 2, -1)}, "counts=(1, 2, -1): give three of games or five of pairs"),
    ],
)
def test_nonsense_is_refused_in_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(RulezeroError, match=re.escape(message)) as caught:
        Sprt(**{"elo0": 0, "elo1": 10, **wrong})
    assert "\n" not in str(caught.value)


def test_an_impossible_truth_is_refused() -> None:
    with pytest.raises(RulezeroError, match="elo=nan: give logistic Elo from -1000 to 1000"):
        Sprt(elo0=0, elo1=10).remaining(math.nan)


def test_tests_survive_json() -> None:
    sprt = Sprt(elo0=0, elo1=10, model="normalized").after(Pairs((1, 2, 3, 4, 5)))
    again = msgspec.json.decode(msgspec.json.encode(sprt), type=Sprt)
    assert again == sprt
    assert again.llr == sprt.llr
