"""Errors that several rooms raise, and the words of their messages."""

import difflib
from collections.abc import Collection, Iterable

from rulezero._core import RulezeroError


class RunError(RulezeroError):
    """What is wrong with a run's folder, or with a recipe."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the known name that is most like this one, for an error message, or nothing."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    near = near or difflib.get_close_matches(name.lower(), known, n=1)  # CHESS
    return f" (did you mean '{near[0]}'?)" if near else ""


def among(name: str, known: Collection[str]) -> str:
    """The same with all that is known, for the end of a message about an unknown name."""
    return f"{nearest(name, known)}; known: {', '.join(known) or 'none'}"
