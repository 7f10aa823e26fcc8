"""Endgames: what is known for certain about positions."""

from rulezero.endgame.files import TableError
from rulezero.endgame.solving import solve
from rulezero.endgame.tables import Probe, Tables, open  # noqa: A004

__all__ = ["Probe", "TableError", "Tables", "open", "solve"]
