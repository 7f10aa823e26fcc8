"""Ratings of a run: who is stronger stands higher, and no game is played twice."""

import itertools
from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero import runs
from rulezero.contest.standings import Entrant, Standings, pairings, spaced
from rulezero.data.check import check
from rulezero.errors import RunError
from rulezero.reports.standings import rate, rating_path, read_standings
from support import little_runs


def test_nets_are_evenly_spaced() -> None:
    """The best and the last are always there; fewer nets than asked for are all of them."""
    names = [f"iter_{number}" for number in range(1, 12)]
    assert spaced(names, 3, "iter_11") == ["iter_1", "iter_6", "iter_11"]
    assert spaced(names, 3, "iter_5") == ["iter_1", "iter_5", "iter_11"]
    assert spaced(names, 2, "iter_10") == ["iter_10", "iter_11"]
    assert spaced(names, 1, "iter_3") == ["iter_3"]
    assert spaced(names[:2], 5, "iter_1") == names[:2]
    assert spaced(names[:1], 5, "iter_1") == names[:1]
    with pytest.raises(RunError, match="at least one net"):
        spaced(names, 0, "iter_1")


def test_everybody_is_joined_to_the_anchor() -> None:
    """Neighbours meet, and no two players twice."""
    fixed = [Entrant(name=name, seat=name) for name in ("random", "heuristic", "alphabeta")]
    nets = [Entrant(name=f"iter_{n}", seat=f"policy:net=iter_{n}", is_net=True) for n in range(4)]
    pairs = [{a.seat, b.seat} for a, b in pairings([*fixed, *nets])]
    players = [player.seat for player in (*fixed, *nets)]
    assert all({a, b} in pairs for a, b in itertools.pairwise(players))
    assert {"alphabeta", "policy:net=iter_3"} in pairs
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert pairings([fixed[0], nets[0]]) == [(fixed[0], nets[0])]


def test_the_stronger_stands_higher_and_nothing_is_played_twice(tmp_path: Path) -> None:
    """A heuristic beats random play; asking again plays what is missing only."""
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
    assert found.games == found.played + len(trials)  # what the run has measured counts too

    again = rate(run, games=8, nets=2, workers=1)
    assert again.played == 0
    assert again.standings == found.standings
    more = rate(run, games=10, nets=2, workers=1)
    assert more.played == 2 * found.played // 8
    assert read_standings(run) == more
    assert msgspec.json.decode(rating_path(run).read_bytes(), type=Standings) == more
    assert [path.name for path in rating_path(run).parent.iterdir()] == ["rating.json"]
    runs.resume(run.path, workers=1)  # games of ratings are none that a run learns from


def test_other_simulations_are_other_players(tmp_path: Path) -> None:
    """Their games are their own."""
    run = little_runs.copy(tmp_path / "run")
    found = rate(run, games=2, sims=3, nets=1, workers=1)
    seats = [each.player.seat for each in found.standings if each.player.is_net]
    assert [rz.player(text).number("sims") for text in seats] == [3]
    assert found.games == found.played == 6


def test_a_run_without_ratings(tmp_path: Path) -> None:
    """Has none; damaged ones are a line that says what writes them."""
    run = little_runs.copy(tmp_path / "run")
    assert read_standings(run) is None
    rating_path(run).parent.mkdir()
    rating_path(run).write_text("{")
    with pytest.raises(RunError, match="rulezero rate writes it"):
        read_standings(run)
