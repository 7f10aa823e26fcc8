"""Gates: whether a new net becomes the best one, and the reason given."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from rulezero import config, runs
from rulezero.errors import RunError
from rulezero.stats.rating import to_score
from rulezero.stats.tally import GameResult
from rulezero.training.log import GamesEntry, VerdictEntry
from rulezero.training.run import Run
from rulezero.training.tasks import GateSettings, task_name
from rulezero.training.trials import Verdict, verdict

GATE = GateSettings(kind="sprt", elo0=0, elo1=60, games=400)
RUN = ["gate.kind=sprt", "gate.elo1=100", "iterations=1", "selfplay.games=2", "anchor=null"]


def games_of(elo: float, games: int, seed: int) -> list[GameResult]:
    """Pairs of games, without draws, of a player that is stronger by this Elo difference."""
    dice, score = random.Random(seed), to_score(elo)
    results = []
    for index in range(games):
        seat = index % 2
        won = dice.random() < score
        outcome = 1.0 if won == (seat == 0) else -1.0
        results.append(GameResult(seat, outcome, "test", 10, index // 2))
    return results


def judged(gate: GateSettings, results: Sequence[GameResult]) -> Verdict:
    """The gate's verdict on these games."""
    return verdict(gate, 3, {task_name(3, "gate"): results})


@pytest.mark.parametrize(("elo", "least", "most"), [(-60, 0, 0.01), (0, 0, 0.1), (120, 0.97, 1)])
def test_known_differences_are_judged_rightly(elo: float, least: float, most: float) -> None:
    """A sequential gate promotes the expected share of 200 nets of a known strength."""
    found = [judged(GATE, games_of(elo, GATE.games, seed)) for seed in range(200)]
    assert least <= sum(each.is_promoted for each in found) / 200 <= most
    decided = [each for each in found if "accepted" in each.reason]
    assert len(decided) >= 170  # most tests end before the maximum number of games


def test_what_is_undecided_is_settled_by_the_score() -> None:
    """After the last game, the score is compared with the mean of elo0 and elo1."""
    even = games_of(0, 0, 0)
    for index in range(400):  # seat 0 always wins, so both players score one half
        even.append(GameResult(index % 2, 1.0, "test", 10, index // 2))
    few = even[:12]
    found = judged(GATE, few)
    assert not found.is_promoted
    assert found.reason == (
        "undecided after 12 games, so the score decides: 50.0% is below 54.3%, +30 Elo"
    )
    won = [GameResult(0, 1.0, "test", 10, 9), GameResult(1, -1.0, "test", 10, 9)]
    found = judged(GATE, [*few, *won])
    assert found.is_promoted
    assert "57.1% is at least 54.3%" in found.reason


def test_a_test_that_cannot_decide_is_refused() -> None:
    """The error suggests enough games or a larger elo1; either is then accepted."""
    with pytest.raises(RunError) as error:
        config.load("connect4", "tiny", ["gate.kind=sprt", "gate.games=40"])
    assert str(error.value) == (
        "gate: a test of elo0=0 against elo1=20 takes about 1,610 games, but games=40 ends it"
        " before that: set gate.games=1610, or gate.elo1=146"
    )
    for change in ("gate.games=1610", "gate.elo1=146"):
        config.load("connect4", "tiny", ["gate.kind=sprt", "gate.games=40", change])
    with pytest.raises(RunError, match=r"set gate.games=\d+$"):
        config.load("connect4", "tiny", ["gate.kind=sprt", "gate.games=2"])


@pytest.mark.parametrize(
    ("a", "b", "is_promoted"),
    [("alphabeta:depth=4", "random", True), ("random", "alphabeta:depth=4", False)],
)
def test_a_gate_ends_at_its_verdict(a: str, b: str, is_promoted: bool, tmp_path: Path) -> None:
    """The gate stops once the test decides; one worker and two play the same games."""
    players = [f"gate.player={a}", f"gate.opponent={b}", "gate.games=2000"]
    prints = []
    for workers in (1, 2):
        path = tmp_path / str(workers)
        run = runs.train("connect4", "tiny", path, changes=[*RUN, *players], workers=workers)
        prints.append(run.fingerprint())
        (gate,) = (
            entry
            for entry in run.entries()
            if isinstance(entry, GamesEntry) and entry.purpose == "gate"
        )
        assert gate.games == 32
        assert last_verdict(run).is_promoted == is_promoted
        assert last_verdict(run).reason.startswith("accepted H1" if is_promoted else "accepted H0")
        assert run.progress().best == ("iter_1" if is_promoted else "untrained")
    assert prints[0] == prints[1]


def last_verdict(run: Run) -> VerdictEntry:
    """The verdict on the newest net."""
    return [entry for entry in run.entries() if isinstance(entry, VerdictEntry)][-1]
