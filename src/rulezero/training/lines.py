"""A listener that prints what a run does, a line for each phase."""

import math
import sys

from rulezero.training.listener import Listener
from rulezero.training.log import (
    ChangeEntry,
    Entry,
    FitEntry,
    GamesEntry,
    VerdictEntry,
    WarningEntry,
)


class LineListener(Listener):
    """Prints a line for each phase to stderr, or to a notebook's own output."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations

    def logged(self, entry: Entry) -> None:
        words = _words(entry)
        if words:
            file = sys.stdout if _is_notebook() else sys.stderr
            number = f"{entry.iteration:>{len(str(self._iterations))}}/{self._iterations}"
            print(f"{number}  {words}", file=file, flush=True)


def _words(entry: Entry) -> str:
    """A line of the log in words; "" for a summary."""
    if isinstance(entry, GamesEntry):
        words = f"{entry.purpose}: {entry.games} games in {entry.seconds:.1f} s"
        if entry.is_training:
            return f"{words}, {entry.plies} plies, {entry.draw_share:.0%} drawn"
        return f"{words}, {entry.score:.1%} against {entry.b}"
    if isinstance(entry, FitEntry):
        named = [*entry.train.items()]
        losses = [f"{name} {loss:.3f}" for name, loss in named if loss and math.isfinite(loss)]
        return f"fit: {entry.steps} steps in {entry.seconds:.1f} s, loss {', '.join(losses)}"
    if isinstance(entry, VerdictEntry):
        return f"{entry.net}: {'the best net now' if entry.is_promoted else 'not the best net'}"
    if isinstance(entry, ChangeEntry):
        return f"changed: {', '.join(f'{key}={new}' for key, new in entry.keys.items())}"
    return f"warning: {entry.words}" if isinstance(entry, WarningEntry) else ""


def _is_notebook() -> bool:
    """Whether output is shown in a notebook, where text on stderr looks like an error."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
