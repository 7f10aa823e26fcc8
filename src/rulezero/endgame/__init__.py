"""Solved endgames: exact values of positions."""

from rulezero.endgame.files import TableError
from rulezero.endgame.monster import GAME, Choice, Probe, Summary, Tables, open  # noqa: A004
from rulezero.endgame.solving import check_memory, order, solve

__all__ = [
    "GAME",
    "Choice",
    "Probe",
    "Summary",
    "TableError",
    "Tables",
    "check_memory",
    "open",
    "order",
    "solve",
]
