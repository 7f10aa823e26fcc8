"""A game in Python with a heuristic: every player without a net uses it by default."""

from pathlib import Path
from typing import Any

import pytest

import rulezero as rz
from rulezero.play.dialogue import Dialogue
from support.commands import run
from support.documents import ROOT
from support.tictactoe import TicTacToe

PLAYERS = [
    "heuristic",
    "oneply",
    "puct:sims=20",
    "gumbel:sims=16",
    "ucb1:sims=20",
    "alphabeta:depth=3",
]


class Judged(TicTacToe):
    """Tic-tac-toe with a heuristic for the centre, whose calls are counted."""

    name = "judged"
    calls = 0
    answer: Any = 0.5

    def heuristic(self, position: str) -> Any:
        type(self).calls += 1
        return self.answer if position[4] == "x" else 0.0


class Raising(TicTacToe):
    """Tic-tac-toe with a heuristic that raises KeyError."""

    name = "raising"

    def heuristic(self, position: str) -> Any:
        return dict[str, float]()[position]


@pytest.mark.parametrize("player", PLAYERS)
def test_players_ask_it_by_default(player: str) -> None:
    """The heuristic is called in think, in matches, and in games against a human."""
    game = rz.load(Judged)
    assert game.facts.has_heuristic
    Judged.calls = 0
    thought = rz.player(player).think(game.start())
    assert Judged.calls >= 8, "at least every child of the root"
    assert game.start().say(thought.action) == "b2", "the square that it praises"
    Judged.calls = 0
    rz.match("judged", a=player, b="random", games=2, opening=0)
    assert Judged.calls >= 8
    Judged.calls = 0
    dialogue = Dialogue(game, (rz.player(player), rz.player("human")))
    assert dialogue.advance() is None or Judged.calls
    assert Judged.calls >= 8


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "must be seat 0's value, a number in [-1, 1], not 'None'"),
        ("much", "must be seat 0's value, a number in [-1, 1], not ''much''"),
        (1.5, "gave 1.5, which is outside [-1, 1]"),
        (float("nan"), "gave nan, which is outside [-1, 1]"),
    ],
)
def test_a_wrong_answer_is_an_error(player: str, answer: object, words: str) -> None:
    """A wrong return value raises a GameError that names the game, the method and the value."""

    class Wrong(Judged):
        name = "wrong"

    Wrong.answer = answer
    with pytest.raises(rz.GameError) as caught:
        rz.player(player).think(rz.load(Wrong).parse("----x----"))
    assert f"wrong.heuristic() {words}" in str(caught.value)


@pytest.mark.parametrize("player", PLAYERS)
def test_a_mistake_in_it_is_named(player: str) -> None:
    """An exception becomes a GameError that names the method, the exception and the line."""
    with pytest.raises(rz.GameError, match=r"raising\.heuristic\(\) raised KeyError.*line \d+"):
        rz.player(player).think(rz.load(Raising).start())


def test_play_uses_it(tmp_path: Path) -> None:
    """On the command line, a heuristic that fails is an error of one line."""
    source = (ROOT / "tests/support/tictactoe.py").read_text()
    path = tmp_path / "raising.py"
    path.write_text(source + "\n    def heuristic(self, position):\n        return None\n")
    game = f"python:file={path}"
    for verb in (["play", game, "--seat", "1"], ["match", game, "--a", "puct", "--b", "random"]):
        result = run(*verb, stdin="a1\n")
        assert result.returncode == 2
        assert result.stderr.count("\n") == 1
        assert "tictactoe.heuristic() must be seat 0's value" in result.stderr
