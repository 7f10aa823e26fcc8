"""Code that is special to training one game: one file for each game, found by its name."""

from rulezero._core import Game
from rulezero.training.games.chess import ChessTraining
from rulezero.training.games.exchange import ExchangeTraining
from rulezero.training.games.monster import MonsterTraining
from rulezero.training.games.training import GameTraining

TRAININGS = {each.game: each for each in (ChessTraining(), ExchangeTraining(), MonsterTraining())}


def training_of(game: Game) -> GameTraining:
    """The training code of a game; a default for games without code of their own."""
    return TRAININGS.get(game.facts.name) or GameTraining()
