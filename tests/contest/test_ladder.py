"""Ladders: each player meets each other at one time limit."""

from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero.contest.ladder import LadderResult, Tell, kinds_for
from support.commands import fails, succeeds
from support.tictactoe import TicTacToe


def test_the_default_players_are_all_kinds_that_a_game_has() -> None:
    """Heuristics and scripts only where there are some."""
    assert kinds_for("chess") == ["ucb1", "gumbel", "puct", "alphabeta", "heuristic", "random"]
    assert kinds_for("monster")[-1] == "scripted"
    assert "puct:eval=rollout" in kinds_for(rz.register(TicTacToe))
    assert "heuristic" not in kinds_for(rz.register(TicTacToe))


def test_a_ladder_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Stored games are not played again; the result is that of all games."""
    players = ["random", "ucb1", "alphabeta"]

    def play(workers: int, tell: Tell | None = None) -> LadderResult:
        place = tmp_path / "games"
        return rz.ladder(
            "connect4", players, time=0.01, games=4, workers=workers, save=place, tell=tell
        )

    def stop(done: int, total: int) -> None:
        assert total == 12
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(1, stop)
    found = play(1)
    assert (found.games, found.anchor) == (12, "random")
    assert found.played in (7, 8)  # the game that was interrupted may be kept
    again = play(2)
    assert again == msgspec.structs.replace(found, played=0)
    assert found["alphabeta"].player == "alphabeta:time=0.01"
    assert found["alphabeta"].rating.elo > 0 == found["random"].rating.elo
    assert found["ucb1"].sims > 100
    assert found["random"].sims == 0
    for rung in found.rungs:
        first, second = rung.by_seat
        assert (first.games, second.games) == (4, 4)
        assert rung.rating.score == (first + second).score
    with pytest.raises(KeyError):
        found["puct"]


def test_limits_of_the_players_themselves() -> None:
    """With time=None, players keep their own limits, and a ladder can be repeated."""
    one, again = (
        rz.ladder("connect4", ["random", "puct:sims=20"], time=None, games=4, workers=1)
        for _ in range(2)
    )
    assert one == again
    assert one["puct:sims=20"].sims <= 20


def test_wrong_ladders_are_one_line() -> None:
    with pytest.raises(rz.PlayerError, match="needs at least two players"):
        rz.ladder("connect4", ["puct"])
    with pytest.raises(rz.PlayerError, match=r"'puct:time=0.1' is on the ladder twice"):
        rz.ladder("connect4", ["puct", "random"], add=["puct:time=0.1"])
    with pytest.raises(rz.PlayerError, match="a UCI engine cannot play connect4"):
        rz.ladder("connect4", add=["uci:path=x"])


def test_the_command_prints_the_table(tmp_path: Path) -> None:
    """As text and as JSON, of the same games."""
    words = ["ladder", "connect4", "--time", "0.01", "--games", "2", "--save", str(tmp_path / "s")]
    words += ["--players", "random", "--players", "puct", "--add", "heuristic", "--workers", "1"]
    text = succeeds(*words)
    assert text.startswith("connect4: 6 games, 0.01 s per move\n")
    assert text.splitlines()[2].startswith("puct:time=0.01 ")
    found = msgspec.json.decode(succeeds(*words, "--json"), type=LadderResult)
    assert found.rungs[0].player == "puct:time=0.01"
    assert (found.played, found.games) == (0, 6)
    assert "no player 'nobody'" in fails("ladder", "connect4", "--add", "nobody")
