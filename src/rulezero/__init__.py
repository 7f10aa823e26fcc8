"""rulezero: AlphaZero for games that bend the rules.

import rulezero as rz

state = rz.load("connect4").start()
state = state.apply(state.read("d"))
"""

from rulezero._core import (
    CHANCE,
    Facts,
    Game,
    GameError,
    MoveError,
    PositionError,
    RulezeroError,
    State,
    perft,
)
from rulezero.games import PiecesError, PythonGame, games, load, register
from rulezero.nets.error import NetError
from rulezero.play.evaluators import Evaluator
from rulezero.play.net import net
from rulezero.version import __version__

__all__ = [
    "CHANCE",
    "Evaluator",
    "Facts",
    "Game",
    "GameError",
    "MoveError",
    "NetError",
    "PiecesError",
    "PositionError",
    "PythonGame",
    "RulezeroError",
    "State",
    "__version__",
    "games",
    "load",
    "net",
    "perft",
    "register",
]
