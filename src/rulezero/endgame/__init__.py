"""Endgames: what is known for certain about positions."""

from rulezero.endgame.files import TableError
from rulezero.endgame.monster import Probe, Tables, open  # noqa: A004
from rulezero.endgame.solving import solve

__all__ = ["Probe", "TableError", "Tables", "open", "solve"]
