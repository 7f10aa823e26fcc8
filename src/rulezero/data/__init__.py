"""Records of games: their format, their store, and other file formats."""

from rulezero.data.check import check, check_many, rules_hash
from rulezero.data.forms import export, import_file, records
from rulezero.data.record import (
    PURPOSES,
    Columns,
    Record,
    RecordError,
    Thought,
    Thoughts,
    pack,
    read_purpose,
)
from rulezero.data.replay import game_of, is_played
from rulezero.data.steps import Step, look_up
from rulezero.data.steps import steps as steps_of
from rulezero.data.store import Note, Store, open_store
from rulezero.data.summary import Results, Summary, Values, summarise

__all__ = [
    "PURPOSES",
    "Columns",
    "Note",
    "Record",
    "RecordError",
    "Results",
    "Step",
    "Store",
    "Summary",
    "Thought",
    "Thoughts",
    "Values",
    "check",
    "check_many",
    "export",
    "game_of",
    "import_file",
    "is_played",
    "look_up",
    "open_store",
    "pack",
    "read_purpose",
    "records",
    "rules_hash",
    "steps_of",
    "summarise",
]
