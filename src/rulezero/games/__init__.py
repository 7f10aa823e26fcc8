"""Loads games by text, lets users write games in Python, and draws boards."""

from rulezero.games.load import game_names, load, register
from rulezero.games.pieces import PiecesError
from rulezero.games.python_game import PythonGame

__all__ = ["PiecesError", "PythonGame", "game_names", "load", "register"]
