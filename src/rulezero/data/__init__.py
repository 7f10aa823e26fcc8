"""Records of games: their form, their store, other forms."""

from rulezero.data.record import Columns, Record, RecordError, Thought, Thoughts, pack

__all__ = ["Columns", "Record", "RecordError", "Thought", "Thoughts", "pack"]
