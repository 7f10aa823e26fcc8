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
    SeatError,
    State,
    perft,
)
from rulezero.games import PiecesError, PythonGame, games, load, register
from rulezero.play.match import Match, match
from rulezero.play.seats import Seat, seat
from rulezero.play.thought import Thought

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "Facts",
    "Game",
    "GameError",
    "Match",
    "MoveError",
    "PiecesError",
    "PositionError",
    "PythonGame",
    "RulezeroError",
    "Seat",
    "SeatError",
    "State",
    "Thought",
    "__version__",
    "games",
    "load",
    "match",
    "perft",
    "register",
    "seat",
]
