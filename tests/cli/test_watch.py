"""The progress lines that `rulezero train` prints."""

import io
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from rulezero import config
from rulezero.cli.terminal.watch import Watch, _Moment, say_draws, say_entry, say_figures
from rulezero.stats.tally import Counts
from rulezero.training.games.exchange import TARGETS
from rulezero.training.games.figures import GameFigures, TierResults, Usage
from rulezero.training.log import Entry, WarningEntry
from support import logs

FIGURES = {**logs.FIGURES, "policy": 1.5, "value": 0.25, "legal_mass": 0.5}
ENDS = {"line": {"wins": 5, "losses": 1}, "repetition": {"draws": 1}, "full board": {"draws": 3}}
PLAYED: dict[str, Any] = {"games": 10, "plies": 200, "sims": 4000, "seconds": 2.0, "ends": ENDS}
GAMES = logs.games(3, first_seat=0.75, **PLAYED)
FIT = logs.fit(
    3,
    steps=7,
    samples=900,
    seconds=2.0,
    held_out=logs.measures(FIGURES, {**FIGURES, "policy": 1.75}),
)
RATING = logs.games(3, "rating", score=0.9, elo={**logs.ELO, "elo": 381.7}, **PLAYED)


def test_entries_are_said_in_words() -> None:
    """Rates, losses next to the best constant's loss, and draws by cause, most frequent first."""
    assert say_draws(GAMES) == "draws 40% (full board 3, repetition 1)"
    assert say_draws(replace(GAMES, ends={"line": Counts(5, 0, 1)})) == "draws 0%"
    assert say_entry(GAMES).startswith("   3  self-play: 10 games, 200 plies, 2,000 sims/s; first")
    taught = replace(GAMES, b="oneply", score=0.8)
    assert "first seat 75%, puct 80% against oneply, draws" in say_entry(taught)
    assert say_entry(logs.verdict(3, is_promoted=False)) == "   3  iter_3 is rejected"
    untried = logs.verdict(3, is_promoted=False, is_tried=False)
    assert say_entry(untried) == "   3  iter_3 is not tried against the best"
    assert say_entry(FIT) == (
        "   3  fit: 7 steps, 450 samples/s; held out: policy 1.500 (best constant 1.750),"
        " value 0.250 (best constant 0.250), legal 50%"
    )
    assert say_entry(replace(FIT, held_out=None)) == "   3  fit: 7 steps, 450 samples/s"
    assert say_entry(RATING) == "   3  rating: 90.0% against random, Elo +382"
    warning = WarningEntry(iteration=3, about="draws", words="too many", seconds_so_far=1.0)
    assert say_entry(warning) == "warning: too many"


def test_figures_of_a_game_are_said_beside_what_is_wanted() -> None:
    """Each figure is printed with its wanted range, and lessons are counted by tier."""
    shares: dict[str, Any] = dict.fromkeys(TARGETS, 0.25) | {"length": 90.0}
    usage = Usage(games=4, draws_by_cause={}, rewards_added=0.25, **shares)
    line = say_figures(GameFigures(usage=usage))[0]
    assert line.startswith("used: decree 25% (> 50%), decree used 25% (> 50%)")
    assert line.endswith("draws 25% (< 10%), length 90 (80-100); rewards add 0.25 on average")
    tiers = {"1": TierResults(drawn=1, black=4), "3": TierResults(white=2, black=1)}
    assert say_figures(GameFigures(tiers=tiers)) == ["Black wins by tier: 1: 4 of 5, 3: 1 of 3"]
    assert say_figures(GameFigures(tiers={"0": tiers["1"]})) == []


def test_the_time_goes_on_within_an_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of the newest line, and what has passed since then."""
    now = 1000.0
    monkeypatch.setattr("rulezero.cli.terminal.watch.time.monotonic", lambda: now)
    moment = _Moment(10)
    for entry in (logs.verdict(at, cores=1.0, seconds_so_far=600.0 * at) for at in (1, 2)):
        moment.take(entry)
    assert moment.lines[-1].startswith("20 min so far, about 80 min left")
    now += 300
    assert moment.lines[-1].startswith("25 min so far, about 75 min left")
    moment.take(logs.fit(3, seconds_so_far=1560.0))
    now += 60
    assert moment.lines[-1].startswith("27 min so far, about 73 min left")


def test_the_moment_is_shown_below() -> None:
    """The lines at the bottom: strength, losses, draws, and the estimated time left."""
    experiment = config.load("connect4", "small", ["iterations=10"])
    screen = io.StringIO()
    watch = Watch(experiment, Console(file=screen, force_terminal=True, width=120))
    ends = [logs.verdict(at, cores=1.94, seconds_so_far=800.0 + 200 * at) for at in (1, 2, 3)]
    entries: list[Entry] = [ends[0], GAMES, FIT, RATING, *ends[1:]]
    for entry in entries:
        watch.logged(entry)
    watch.begin(4, "generate")
    console = Console(width=120)
    with console.capture() as shown:
        console.print(watch._below())
    lines = shown.get().splitlines()
    assert lines[0] == "90.0% against random, Elo +382, after iteration 3"
    assert lines[1].startswith("held out: policy 1.500 (best constant 1.750)")
    assert lines[2] == "draws 40% (full board 3, repetition 1)"
    assert lines[3].startswith(
        "23 min so far, about 23 min left; 1.9 of "
    )  # left: 7 iterations of 200 s
    assert lines[4].startswith("4 of 10 playing")
