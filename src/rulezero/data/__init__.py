"""Records of games: their form, their store, other forms."""

from rulezero.data.check import check, rules_hash
from rulezero.data.forms import export, import_file, records
from rulezero.data.record import Columns, Record, RecordError, Thought, Thoughts, pack
from rulezero.data.store import Note, Store

__all__ = [
    "Columns",
    "Note",
    "Record",
    "RecordError",
    "Store",
    "Thought",
    "Thoughts",
    "check",
    "export",
    "import_file",
    "pack",
    "records",
    "rules_hash",
]
