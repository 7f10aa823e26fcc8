"""rulezero: AlphaZero for games that bend the rules.

import rulezero as rz

state = rz.load("connect4").start()
state = state.apply(state.read("d"))
"""

from rulezero import endgame
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
from rulezero.contest.match import Match, match
from rulezero.data import Record, RecordError, records
from rulezero.errors import RunError
from rulezero.games import PiecesError, PythonGame, games, load, register
from rulezero.nets.error import NetError
from rulezero.play.evaluators import Evaluator
from rulezero.play.net import net
from rulezero.play.players import Player
from rulezero.play.players import read_player as player
from rulezero.play.thought import Thought
from rulezero.runs import open_run as open  # noqa: A004
from rulezero.runs import train
from rulezero.train.run import Run
from rulezero.version import __version__

__all__ = [
    "CHANCE",
    "Evaluator",
    "Facts",
    "Game",
    "GameError",
    "Match",
    "MoveError",
    "NetError",
    "PiecesError",
    "Player",
    "PositionError",
    "PythonGame",
    "Record",
    "RecordError",
    "RulezeroError",
    "Run",
    "RunError",
    "SeatError",
    "State",
    "Thought",
    "__version__",
    "endgame",
    "games",
    "load",
    "match",
    "net",
    "open",
    "perft",
    "player",
    "records",
    "register",
    "seat",
    "train",
]

seat = player  # deprecated: the name that rz.player had before
