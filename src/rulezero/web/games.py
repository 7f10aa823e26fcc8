"""The games of the page: those built in, and those that the owner of the server adds."""

import hashlib
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import rulezero as rz
from rulezero.files import write_whole
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


def keep_pieces(game: rz.Game, text: str, store: Path) -> rz.Game:
    """The same rules with the pasted pieces (`text`) in a file below a store.

    Records can name this file: it stays when the server ends.
    """
    spec = grammar.read(game.text)
    *shipped, pasted = grammar.split_items("pieces", spec.options["pieces"])
    kept = _kept_in(store) / Path(pasted).name
    if any(letter in ",+" for letter in str(kept)):
        raise rz.GameError(
            f"the text of a game cannot name '{kept}', as the path has a comma or a plus: serve"
            " another folder with --runs to keep games with pasted pieces"
        )
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, text.encode())
    pieces = grammar.join_items("pieces", [*shipped, str(kept)])
    return rz.load(grammar.Spec(spec.name, {**spec.options, "pieces": pieces}).text)


class Kept(NamedTuple):
    """A game whose pieces `keep_pieces` has kept."""

    game: rz.Game
    text: str  # without the file
    pieces: str  # the file's text


def kept_game(text: str, store: Path) -> Kept | None:
    """The game of a record whose pieces are kept below this store; None for other games."""
    try:
        spec = grammar.read(text)
        *shipped, last = grammar.split_items("pieces", spec.options.get("pieces", "standard"))
    except rz.GameError:
        return None
    file = Path(last)
    if file.parent != _kept_in(store) or any(name not in _SHIPPED_PIECES for name in shipped):
        return None
    options = {**spec.options, "pieces": "+".join(shipped)}
    plain = {key: value for key, value in options.items() if value}
    try:
        game, pieces = _loaded(text, file)
        return Kept(game, grammar.Spec(spec.name, plain).text, pieces)
    except (OSError, rz.GameError):
        return None


@lru_cache(maxsize=64)
def _loaded(text: str, file: Path) -> tuple[rz.Game, str]:
    """The game, and its pieces; cached, as the name of the file depends on its content."""
    return rz.load(text), file.read_text("utf-8")


def _kept_in(store: Path) -> Path:
    return store.resolve() / "pieces"


def pictures(game: rz.Game) -> dict[str, str]:
    """The shapes of the game's men, by their symbols, in a box of 100 x 100."""
    try:
        return drawing.shapes_of(game)
    except rz.GameError:  # a game of the owner names a drawing that does not exist
        return {}
