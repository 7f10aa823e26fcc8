"""What is special about training one game: one file each, found by the game's name."""

from rulezero._core import Game
from rulezero.train.games.chess import ChessTraining
from rulezero.train.games.exchange import ExchangeTraining
from rulezero.train.games.monster import MonsterTraining
from rulezero.train.games.training import GameTraining

TRAININGS = {each.game: each for each in (ChessTraining(), ExchangeTraining(), MonsterTraining())}


def training_of(game: Game) -> GameTraining:
    """What is special about training this game."""
    return TRAININGS.get(game.facts.name) or GameTraining()
