"""Measures of strength: matches, ratings, and tests that need no opponent."""

from rulezero.contest.analysis import MARKS, Analysis, JudgedPly, analyse, losses, note_by
from rulezero.contest.ladder import LADDER_TIME, LadderResult
from rulezero.contest.match import Match, MatchInterrupted
from rulezero.contest.mistakes import SOLVED_SETS, Mistakes, mistakes_in, solved_positions
from rulezero.contest.report import Line, Report, Test
from rulezero.contest.standings import Standings

__all__ = [
    "LADDER_TIME",
    "MARKS",
    "SOLVED_SETS",
    "Analysis",
    "JudgedPly",
    "LadderResult",
    "Line",
    "Match",
    "MatchInterrupted",
    "Mistakes",
    "Report",
    "Standings",
    "Test",
    "analyse",
    "losses",
    "mistakes_in",
    "note_by",
    "solved_positions",
]
