"""Ratings of a run: stronger players are rated higher, and no game is played twice."""

from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero import runs
from rulezero.contest.standings import Standings
from rulezero.data.check import check
from rulezero.errors import RunError
from rulezero.reports.standings import rate, rating_path, read_standings
from support import little_runs


def test_the_stronger_stands_higher_and_nothing_is_played_twice(tmp_path: Path) -> None:
    """The heuristic is rated above random play; a second call plays only missing games."""
    run = little_runs.copy(tmp_path / "run")
    before = len(run.store())
    told: list[tuple[int, int]] = []
    found = rate(run, games=8, nets=2, workers=1, tell=lambda *games: told.append(games))
    names = [each.player.name for each in found.standings]
    assert sorted(names) == ["heuristic", "iter_2", "random", "untrained"]
    assert names.index("heuristic") < names.index("random")
    by_name = {each.player.name: each for each in found.standings}
    assert by_name["heuristic"].rating.elo > 200
    assert by_name["random"].rating.elo == 0  # the recipe's anchor
    assert by_name["iter_2"].player.about == "best, latest"
    assert told[-1] == (found.played, found.played)

    store = list(run.store())
    assert len(store) == before + found.played
    for record in store:
        if record.task.startswith("rating/"):
            assert record.purpose == "rating"
            check(record)
    trials = [r for r in store if r.task in ("0000/anchor", "0002/anchor")]
    assert found.games == found.played + len(trials)  # the run's own rating games count

    again = rate(run, games=8, nets=2, workers=1)
    assert again.played == 0
    assert again.standings == found.standings
    more = rate(run, games=10, nets=2, workers=1)
    assert more.played == 2 * found.played // 8
    assert read_standings(run) == more
    assert msgspec.json.decode(rating_path(run).read_bytes(), type=Standings) == more
    assert [path.name for path in rating_path(run).parent.iterdir()] == ["rating.json"]
    runs.resume(run.path, workers=1)  # a run does not learn from rating games


def test_other_simulations_are_other_players(tmp_path: Path) -> None:
    """Games with another number of simulations are played anew."""
    run = little_runs.copy(tmp_path / "run")
    found = rate(run, games=2, sims=3, nets=1, workers=1)
    texts = [each.player.text for each in found.standings if each.player.is_net]
    assert [rz.player(text).number("sims") for text in texts] == [3]
    assert found.games == found.played == 6


def test_a_run_without_ratings(tmp_path: Path) -> None:
    """A run may have no ratings; for damaged ones the error names the command that writes them."""
    run = little_runs.copy(tmp_path / "run")
    assert read_standings(run) is None
    rating_path(run).parent.mkdir()
    rating_path(run).write_text("{")
    with pytest.raises(RunError, match="`rulezero rate` writes it again"):
        read_standings(run)
