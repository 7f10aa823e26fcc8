"""Statistics of results as pure functions: tallies, Elo, sequential tests, rating ladders."""

from rulezero.stats.rating import elo
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import Tally
from rulezero.stats.wdl import likely

__all__ = ["Sprt", "Tally", "elo", "likely"]
