"""The widget of both notebooks: the board of the package, and what is shown around it.

Python sets its traits, and the browser draws them. The browser answers by two traits: `order`, what
the person asks for, and `at`, the position that the person looks at.
"""

from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

import anywidget
import msgspec
from traitlets import Bool, Int, Unicode
from traitlets import Dict as Map

from rulezero._core import Game
from rulezero.games import board
from rulezero.web import shown

Order = Mapping[str, Any]
Bundle = tuple[dict[str, Any], dict[str, Any]]  # a value by MIME type, and metadata


def _source() -> str:
    """One module of JavaScript: the custom elements in scopes of their own, then the widget."""
    package = resources.files("rulezero")
    curve = (package / "web" / "static" / "curve.js").read_text(encoding="utf-8")
    elements = (element.replace("export class ", "class ") for element in (board.source(), curve))
    parts = [f"{{\n{element}\n}}" for element in elements]
    own = package / "notebook"
    names = ("widget.js", "play.js", "view.js")
    return "\n".join([*parts, *((own / name).read_text(encoding="utf-8") for name in names)])


class Board(anywidget.AnyWidget):
    """A board in a notebook, with the controls to play (kind="play") or to look (kind="view")."""

    _esm = _source()
    _css = (resources.files("rulezero") / "notebook" / "widget.css").read_text(encoding="utf-8")

    kind = Unicode("play").tag(sync=True)
    game = Map().tag(sync=True)  # Meta
    position = Map().tag(sync=True)  # Position, to play
    shown = Map().tag(sync=True)  # everything around the board; of a recorded game, positions too
    listed = Map().tag(sync=True)  # the recorded games to choose from
    flipped = Bool(False).tag(sync=True)
    at = Int(0).tag(sync=True)  # the position of a recorded game, from 0
    order = Map().tag(sync=True)  # {"do": what, ...}, set by the browser

    def show(self, **traits: object) -> None:
        """Sets several traits in one message."""
        with self.hold_sync():
            for name, value in traits.items():
                setattr(self, name, msgspec.to_builtins(value))

    def show_game(self, game: Game) -> None:
        """Sets the game whose board is drawn."""
        self.show(game=shown.meta(game))

    def on_order(self, listener: Callable[[Order], None]) -> None:
        """Calls the listener with each order of the browser."""

        def changed(change: Mapping[str, Any]) -> None:
            if change["new"]:
                listener(change["new"])

        self.observe(changed, "order")

    def bundle(self, html: str, plain: str) -> Bundle:
        """The widget for a notebook, with a still image for files that are read without Python."""
        made = super()._repr_mimebundle_()
        data, metadata = made if made is not None else ({}, {})
        return {**data, "text/html": html, "text/plain": plain}, metadata
