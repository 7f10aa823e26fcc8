"""Measures of strength: matches, ratings, and tests that need no opponent."""

from rulezero.contest.analysis import MARKS, Analysis, JudgedPly, analyse, losses, note_by
from rulezero.contest.match import Match, MatchInterrupted
from rulezero.contest.report import Line, Report, Test
from rulezero.contest.standings import Standings

__all__ = [
    "MARKS",
    "Analysis",
    "JudgedPly",
    "Line",
    "Match",
    "MatchInterrupted",
    "Report",
    "Standings",
    "Test",
    "analyse",
    "losses",
    "note_by",
]
