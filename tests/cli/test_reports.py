"""`diagnose`, `rate` and `report` print what their functions return, as text or JSON."""

import re
from pathlib import Path

import msgspec
import pytest

from rulezero.contest.standings import Standings
from rulezero.reports.diagnosis import Diagnosis, diagnose
from rulezero.reports.page import render
from rulezero.reports.standings import read_standings
from support import little_nets, little_runs
from support.commands import fails, succeeds


def test_diagnose_is_the_function() -> None:
    """--json prints the function's result, and the text has the same figures."""
    run = little_runs.run()
    told = msgspec.json.decode(succeeds("diagnose", run.path, "--json"), type=Diagnosis)
    found = diagnose(run.path)
    assert told == found
    assert found.untrained is not None
    words = succeeds("diagnose", run.path)
    rows = [line.split() for line in words.splitlines()]
    assert words.startswith(f"connect4: {found.games} games, {found.positions} positions\n")
    mass = [f"{100 * each.legal_mass:.1f}%" for each in (found.net, found.untrained)]
    assert ["probability", "on", "legal", "moves", *mass] in rows
    for each in found.net.bins:
        assert f"{each.low:+.1f} to {each.high:+.1f}" in words
    for opening in found.openings:
        assert [str(opening.ply), str(opening.games), str(opening.distinct)] in [
            row[:3] for row in rows
        ]


def test_diagnose_lets_a_net_play() -> None:
    """For a bare net without games, diagnose plays the net against itself."""
    words = succeeds("diagnose", little_nets.net("connect4"), "--games", "2")
    assert words.startswith("connect4: 2 games, ")
    assert "games: of the net against itself" in words


def test_rate_and_report(tmp_path: Path) -> None:
    """A second `rate` plays no games, and `report` writes the page of the rated run."""
    run = little_runs.copy(tmp_path / "run")
    arguments = ["rate", str(run.path), "--games", "4", "--nets", "2", "--workers", "1"]
    first = succeeds(*arguments)
    found = read_standings(run)
    assert found is not None
    assert first.startswith(f"connect4: {found.games} games, {found.played} of them played now\n")
    assert [line.split()[0] for line in first.splitlines()[2:-1]] == [
        each.player.name for each in found.standings
    ]
    assert found.advantage_error > 0
    bounds = r"\([+-]\d+ to [+-]\d+, 95 %\)"
    assert re.search(rf"\nthe first seat is worth [+-]\d+ Elo {bounds}\n$", first)
    again = msgspec.json.decode(succeeds(*arguments, "--json"), type=Standings)
    assert again == msgspec.structs.replace(found, played=0)
    out = tmp_path / "page.html"
    assert succeeds("report", run.path, "--out", out).startswith(f"{out}, ")
    assert out.read_text(encoding="utf-8") == render(run)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["diagnose", "nowhere"], "there is no net 'nowhere'"),
        (["diagnose", "RUN@7"], "has no net of iteration 7; its newest is 2"),
        (["diagnose", "RUN", "--games", "0"], "--games"),
        (["rate", "nowhere"], "'nowhere' is not a run"),
        (["rate", "RUN", "--games", "1"], "--games"),
        (["rate", "RUN", "--sims", "0"], "--sims"),
        (["report", "nowhere"], "'nowhere' is not a run"),
        (["report", "RUN", "--out", "."], "is a folder"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], words: str) -> None:
    """The error is one line that says what is wrong."""
    path = str(little_runs.run().path)
    assert words in fails(*(argument.replace("RUN", path) for argument in arguments))
