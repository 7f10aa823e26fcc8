"""The games of the page: those built in, and those that the owner of the server adds."""

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

import rulezero as rz
from rulezero.games import drawing, grammar
from rulezero.web.levels import offers
from rulezero.web.limits import MOST_BYTES, MOST_PIECES

_SHIPPED_PIECES = ("standard", "custom")  # names that the option `pieces` has without a file


class PiecesFolder:
    """Files with the pieces that visitors have sent; the same content is the same file."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rulezero_pieces_")

    def file(self, text: str) -> Path:
        """The file with this text. GameError if it is too long."""
        data = text.encode()
        if len(data) > MOST_BYTES:
            raise rz.GameError(f"the pieces have {len(data)} bytes: the limit is {MOST_BYTES}")
        path = Path(self._folder.name) / f"{hashlib.sha256(data).hexdigest()[:16]}.yaml"
        if not path.exists():
            old = sorted(Path(self._folder.name).iterdir(), key=lambda each: each.stat().st_mtime)
            for each in old[: max(0, len(old) + 1 - MOST_PIECES)]:
                each.unlink(missing_ok=True)
            path.write_bytes(data)
        path.touch()
        return path

    def close(self) -> None:
        """Deletes the files."""
        self._folder.cleanup()


class Games:
    """The games that can be played on the page."""

    def __init__(self, extra: Sequence[str] = ()) -> None:
        """`extra` are texts of the owner's own games, such as my_game.py."""
        self._pieces = PiecesFolder()
        self._own = {rz.load(text).text: rz.load(text) for text in extra}

    def names(self) -> list[str]:
        """The texts of the games that the page offers."""
        return [*offers(), *self._own]

    def open(self, text: str, pieces: str | None = None) -> rz.Game:
        """A game by its text, perhaps with a visitor's own pieces (YAML).

        A text cannot name a file: GameError.
        """
        if text in self._own:
            return self._own[text]
        spec = grammar.read(text)
        if spec.name not in offers():
            known = ", ".join(offers())
            raise rz.GameError(f"there is no game '{spec.name}' on this page; known: {known}")
        options = dict(spec.options)
        named = grammar.split_items("pieces", options["pieces"]) if "pieces" in options else []
        if unknown := [name for name in named if name not in _SHIPPED_PIECES]:
            raise rz.GameError(
                f"pieces={unknown[0]}: the page knows {' and '.join(_SHIPPED_PIECES)};"
                " paste other pieces as YAML"
            )
        if pieces is None:
            return rz.load(grammar.Spec(spec.name, options).text)
        file = self._pieces.file(pieces)
        options["pieces"] = "+".join([*named, str(file)])
        try:
            return rz.load(grammar.Spec(spec.name, options).text)
        except rz.GameError as error:
            raise rz.GameError(str(error).replace(f"{file}:", "line ")) from None

    def close(self) -> None:
        """Deletes the visitors' pieces."""
        self._pieces.close()


def pictures(game: rz.Game) -> dict[str, str]:
    """The shapes of the game's men, by their symbols, in a box of 100 x 100."""
    try:
        return drawing.shapes_of(game)
    except rz.GameError:  # a game of the owner names a drawing that does not exist
        return {}
