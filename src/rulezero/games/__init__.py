"""Games: loading them by text, writing them in Python, showing them on a screen."""

from rulezero.games.load import game_names, load, register
from rulezero.games.pieces import PiecesError
from rulezero.games.python_game import PythonGame

__all__ = ["PiecesError", "PythonGame", "game_names", "load", "register"]
