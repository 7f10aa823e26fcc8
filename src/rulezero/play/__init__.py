"""Playing: seats, evaluators, tasks, matches, ratings."""

from rulezero.play.dialogue import Dialogue, Ply, opponent
from rulezero.play.players import kinds, seat_number
from rulezero.play.saving import open_store
from rulezero.play.starts import read_starts
from rulezero.play.task import Task

__all__ = [
    "Dialogue",
    "Ply",
    "Task",
    "kinds",
    "open_store",
    "opponent",
    "read_starts",
    "seat_number",
]
