"""The folder of known rules: copies of the Python files with games that this user has run."""

import os
import re
import tempfile
import warnings
from pathlib import Path

DIGITS = 16  # hexadecimal digits of the hash that names a copy
_PLACE = "RULEZERO_RULES"  # the environment variable with the folder of known rules


def library() -> Path:
    """The folder of known rules; if not writable, a temporary one, also for child processes."""
    given = os.environ.get(_PLACE)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    place = Path(given or Path(data) / "rulezero" / "rules")
    try:
        place.mkdir(parents=True, exist_ok=True)
        if os.access(place, os.W_OK):
            return place
    except OSError:
        pass
    os.environ[_PLACE] = tempfile.mkdtemp(prefix="rulezero_rules_")
    warnings.warn(
        f"'{place}' cannot be written, so the rules of games in files are known to this process"
        f" only: set {_PLACE} to a folder that can, or open their records with --trusted later",
        stacklevel=2,
    )
    return Path(os.environ[_PLACE])


def shown(file: str) -> str:
    """A file as its author knows it: of a file in a copy, the path in the copied folder."""
    for folder in Path(file).parents:
        if re.fullmatch(f"[0-9a-f]{{{DIGITS}}}", folder.name) and folder.parent == library():
            return str(Path(file).relative_to(folder))
    return file
