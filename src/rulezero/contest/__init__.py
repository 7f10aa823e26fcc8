"""Who is stronger: matches, and yardsticks that need no opponent."""

from rulezero.contest.match import Match, MatchInterrupted
from rulezero.contest.report import Report, Test
from rulezero.contest.standings import Standings

__all__ = ["Match", "MatchInterrupted", "Report", "Standings", "Test"]
