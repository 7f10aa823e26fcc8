"""Boards in Jupyter notebooks: play a game, and look at recorded games."""

from rulezero.errors import RunError

try:
    import anywidget as anywidget
except ImportError as error:
    raise RunError("boards in notebooks need anywidget: pip install '.[notebook]'") from error

from rulezero.notebook.play import PlayGame
from rulezero.notebook.still import Still
from rulezero.notebook.view import ViewGames

__all__ = ["PlayGame", "Still", "ViewGames"]
