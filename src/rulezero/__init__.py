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
from rulezero.data import Record, RecordError, records
from rulezero.games import PiecesError, PythonGame, games, load, register

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "Facts",
    "Game",
    "GameError",
    "MoveError",
    "PiecesError",
    "PositionError",
    "PythonGame",
    "Record",
    "RecordError",
    "RulezeroError",
    "State",
    "__version__",
    "games",
    "load",
    "perft",
    "records",
    "register",
]
