"""Measures the length of games by playing some quick ones."""

from rulezero._core import CHANCE, Game
from rulezero.data.replay import replay_of
from rulezero.fleet.local import run
from rulezero.play.task import Task

QUICK = "ucb1:sims=32"  # random games are several times as long


def play_quickly(game: Game, games: int) -> tuple[float, float]:
    """Mean choices per game, and mean legal moves per choice, in quick games."""
    task = Task(game=game.text, a=QUICK, b=QUICK, games=games, opening=2)
    replays = [replay_of(each.record, game) for each in run(task)]
    legal = [each.choices[each.movers != CHANCE] for each in replays]
    choices = sum(map(len, legal))
    return choices / games, float(sum(each.sum() for each in legal)) / max(1, choices)
