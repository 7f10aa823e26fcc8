"""The board of page, notebooks and reports: <rz-board>, written as modules of JavaScript."""

import re
from functools import cache
from importlib import resources

# In the order in which they need each other; a module imports only modules above it.
PARTS = ("style", "look", "grid", "floor", "motion", "aims", "picker", "board")
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@cache
def source() -> str:
    """One module of JavaScript that needs no other file and exports RzBoard.

    The modules are joined, so no two of them may give the same name to something.
    """
    *parts, element = (_IMPORT.sub("", part(name)) for name in PARTS)
    return "\n".join([*(_EXPORT.sub("", text) for text in parts), element])


def part(name: str) -> str:
    """One of the modules."""
    return (resources.files(__name__) / f"{name}.js").read_text(encoding="utf-8")
