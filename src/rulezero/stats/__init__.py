"""Statistics of results: tallies, Elo, sequential tests, rating ladders. Pure functions."""

from rulezero.stats.rating import elo
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import Tally
from rulezero.stats.wdl import likely

__all__ = ["Sprt", "Tally", "elo", "likely"]
