"""Games: loading them by text, writing them in Python, showing them on a screen."""

from rulezero.games.load import games, load, register
from rulezero.games.pieces import PiecesError
from rulezero.games.python_game import PythonGame

__all__ = ["PiecesError", "PythonGame", "games", "load", "register"]
