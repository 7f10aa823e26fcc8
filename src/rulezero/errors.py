"""Errors that several packages raise, and parts of their messages."""

import difflib
from collections.abc import Collection, Iterable

from rulezero._core import RulezeroError


class RunError(RulezeroError):
    """Raised when a run's folder or a recipe is wrong."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an error message: the known name most similar to this one; "" if none is."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    near = near or difflib.get_close_matches(name.lower(), known, n=1)  # CHESS
    return f" (did you mean '{near[0]}'?)" if near else ""


def among(name: str, known: Collection[str]) -> str:
    """The end of a message about an unknown name: the hint of `nearest` and all known names."""
    return f"{nearest(name, known)}; known: {', '.join(known) or 'none'}"
