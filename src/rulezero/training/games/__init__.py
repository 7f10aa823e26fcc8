"""What is special about training one game: one file each, found by the game's name."""

from rulezero._core import Game
from rulezero.training.games.chess import ChessTraining
from rulezero.training.games.exchange import ExchangeTraining
from rulezero.training.games.monster import MonsterTraining
from rulezero.training.games.training import GameTraining

TRAININGS = {each.game: each for each in (ChessTraining(), ExchangeTraining(), MonsterTraining())}


def training_of(game: Game) -> GameTraining:
    """What is special about training this game."""
    return TRAININGS.get(game.facts.name) or GameTraining()
