"""Games: loading them by text, writing them in Python, showing them on a screen."""

from rulezero.games.load import games, load, register
from rulezero.games.python_game import PythonGame
from rulezero.yaml_values import PiecesError

__all__ = ["PiecesError", "PythonGame", "games", "load", "register"]
