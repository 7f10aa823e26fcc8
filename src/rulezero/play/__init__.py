"""Play: players, evaluators, tasks, and games with people."""

from rulezero.play.binding import check_player
from rulezero.play.dialogue import Dialogue, Ply, opponent
from rulezero.play.players import kinds, seat_number
from rulezero.play.starts import read_starts
from rulezero.play.strongest import Strongest, strongest
from rulezero.play.task import Task

__all__ = [
    "Dialogue",
    "Ply",
    "Strongest",
    "Task",
    "check_player",
    "kinds",
    "opponent",
    "read_starts",
    "seat_number",
    "strongest",
]
