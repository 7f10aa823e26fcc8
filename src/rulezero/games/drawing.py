"""Drawings of men: those that come with the package, and those that pieces bring as inline SVG.

A drawing is the content of an SVG image in a box of 100 x 100. Inline SVG may come from strangers:
only known elements and attributes pass, with values that are numbers and names, and the result is
written anew, inside a frame that cuts off what is outside of the box. So it cannot run code, load
anything, grow, or cover what is around it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from rulezero._core import Game, GameError
from rulezero.errors import among
from rulezero.settings import mistake, quoted

_MEN = Path(__file__).with_name("men")
PICTURES = sorted(path.stem for path in _MEN.glob("*.svg"))  # names of the drawings of men

_MOST_BYTES = 8 * 1024  # of inline SVG
_DEEPEST = 16  # elements inside each other
_MOST_GAMES = 300  # games whose drawings are remembered; the oldest are forgotten

_NUMBER = r"[-+]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:[eE][-+]?\d)?"
_NUMBERS = rf"\s*{_NUMBER}(?:[\s,]+{_NUMBER})*\s*"
_COLOUR = r"[a-zA-Z]{1,30}|#[0-9a-fA-F]{3,8}"
_BOX = "0 0 100 100"
_MARGIN = 1.0  # how far coordinates may be outside of the box, in sides of it
_LENGTHS = ("r", "rx", "ry", "width", "height", "stroke-width")
_PLACES = ("cx", "cy", "x", "y", "x1", "x2", "y1", "y2", "points", "d")
# Not by attributes, which the board's style sheet overrides.
_FRAME_STYLE = "width:100px;height:100px;overflow:hidden"
_SHAPES = {  # elements with their own attributes, and their values
    "path": {"d": r"[MmZzLlHhVvCcSsQqTtAaeE\d\s,.+-]*"},
    "circle": dict.fromkeys(("cx", "cy", "r"), _NUMBER),
    "ellipse": dict.fromkeys(("cx", "cy", "rx", "ry"), _NUMBER),
    "rect": dict.fromkeys(("x", "y", "width", "height", "rx", "ry"), _NUMBER),
    "line": dict.fromkeys(("x1", "y1", "x2", "y2"), _NUMBER),
    "polyline": {"points": _NUMBERS},
    "polygon": {"points": _NUMBERS},
    "g": {},
}
_FRAME = {"xmlns": r"http://www\.w3\.org/2000/svg", "viewBox": _NUMBERS, "width": r"[\w.%]{1,9}"}
_FRAME["height"] = _FRAME["width"]
_STYLES = {  # attributes that all elements may have
    "class": r"(?:cut|dot|ball|seam|bar)(?: (?:cut|dot|ball|seam|bar))*",
    **dict.fromkeys(("fill", "stroke"), _COLOUR),
    **dict.fromkeys(("fill-rule", "clip-rule"), "nonzero|evenodd"),
    **dict.fromkeys(("opacity", "fill-opacity", "stroke-opacity"), _NUMBER),
    **dict.fromkeys(("stroke-width", "stroke-miterlimit", "stroke-dashoffset"), _NUMBER),
    "stroke-dasharray": rf"none|{_NUMBERS}",
    "stroke-linecap": "butt|round|square",
    "stroke-linejoin": "miter|round|bevel",
    "transform": rf"(?:\s*(?:translate|scale|rotate|skewX|skewY|matrix)\({_NUMBERS}\)[\s,]*)*",
}

_drawn: dict[str, dict[str, str]] = {}  # drawings of pieces by symbol, by the text of the game


@cache
def shapes(name: str) -> str:
    """The content of a drawing of the package. GameError if there is no such drawing."""
    if name not in PICTURES:
        raise GameError(f"there is no picture '{name}' of a man{among(name, PICTURES)}")
    text = (_MEN / f"{name}.svg").read_text(encoding="utf-8")
    return re.sub(r"^<svg[^>]*>|</svg>\s*$", "", text)


def shapes_of(game: Game) -> dict[str, str]:
    """The drawings of a game's men by their symbols; GameError if it names one that is missing."""
    named = {man: shapes(name) for man, name in game.facts.pictures.items()}
    return named | _drawn.get(game.text, {})


def remember(game: Game, pictures: Mapping[str, str]) -> None:
    """Keeps the pictures of a game's pieces, by symbol, for `shapes_of`."""
    _drawn.pop(game.text, None)
    if pictures:
        _drawn[game.text] = resolved(pictures)
        while len(_drawn) > _MOST_GAMES:
            _drawn.pop(next(iter(_drawn)))


def resolved(pictures: Mapping[str, str]) -> dict[str, str]:
    """Pictures of pieces, which are names or inline SVG, as drawings."""
    return {
        symbol: picture if picture.startswith("<") else shapes(picture)
        for symbol, picture in pictures.items()
    }


def checked(picture: str) -> str:
    """A piece's picture: a name, or inline SVG written anew. For pydantic: raises a mistake."""
    text = picture.strip()
    if not text.startswith("<"):
        if text not in PICTURES:
            raise mistake("", f"give inline SVG or one of {', '.join(PICTURES)}")
        return text
    if len(text.encode()) > _MOST_BYTES:
        raise mistake(f"is over {_MOST_BYTES // 1024} kB", "simplify the drawing")
    return _Drawing(text).markup


class _Drawing:
    """Reads inline SVG and writes what is allowed; everything else is a mistake."""

    def __init__(self, text: str) -> None:
        self._parts: list[str] = []
        self._open: list[str] = []
        self._has_shape = False
        self._box = (0.0, 0.0, 100.0)  # left, top and side
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._words
        parser.CommentHandler = lambda _: None
        parser.StartCdataSectionHandler = lambda: self._refuse("CDATA")
        parser.ProcessingInstructionHandler = lambda *_: self._refuse("a processing instruction")
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse("a DOCTYPE")
        parser.EntityDeclHandler = lambda *_: self._refuse("an entity")
        parser.XmlDeclHandler = lambda *_: None
        try:
            # Several shapes side by side need an element around them to be XML.
            parser.Parse(text if re.match(r"<(svg|\?xml)\b", text) else f"<g>{text}</g>", True)
        except expat.ExpatError as error:
            words = expat.ErrorString(error.code)
            raise mistake(f"is not well-formed SVG ({words})", "close every element") from None
        if not self._has_shape:
            raise mistake("draws nothing", f"add one of {', '.join(_SHAPES)}")
        drawn = "".join(self._parts)
        self.markup = f'<svg viewBox="{_BOX}" style="{_FRAME_STYLE}">{drawn}</svg>'

    def _refuse(self, what: str) -> None:
        raise mistake(f"has {what}, which is not allowed", f"use only {', '.join(_SHAPES)}")

    def _start(self, name: str, given: dict[str, str]) -> None:
        is_frame = name == "svg" and not self._open
        if name not in _SHAPES and not is_frame:
            self._refuse(f"<{_short(name)}>")
        if len(self._open) >= _DEEPEST:
            raise mistake(
                f"nests elements more than {_DEEPEST} deep", "take groups out of each other"
            )
        self._open.append(name)
        known = _FRAME if is_frame else _SHAPES[name] | _STYLES
        for attribute, value in given.items():
            form = known.get(attribute)
            if form is None:
                todo = f"{name} can have {', '.join(known)}"
                raise mistake(f"has the attribute {quoted(_short(attribute))}", todo)
            if not re.fullmatch(form, value):
                wrong = f"has {attribute}={quoted(_short(value))}"
                raise mistake(wrong, "give numbers and plain names only")
        if is_frame:
            group, self._box = _group(given.get("viewBox", _BOX))
            self._parts.append(group)
            return
        for attribute, value in given.items():
            self._check_size(attribute, value)
        self._has_shape |= name != "g"
        if given.get("fill") == "none":  # the board fills men in the colour of their seat
            given.setdefault("class", "cut")
        self._parts.append(f"<{name}{_written(given.items())}>")

    def _check_size(self, attribute: str, value: str) -> None:
        """Refuses places far outside of the box, and lengths far beyond its side."""
        if attribute not in (*_LENGTHS, *_PLACES):
            return
        left, top, side = self._box
        low, high = min(left, top) - _MARGIN * side, max(left, top) + (1 + _MARGIN) * side
        if attribute in _LENGTHS or re.search("[mlhvcsqta]", value):  # or relative to a place
            low, high = min(low, low - high), max(high, high - low)
        for number in map(float, re.findall(_NUMBER, value)):
            if not low <= number <= high:
                raise mistake(
                    f"has {attribute}={quoted(_short(value))}, far outside of its box",
                    f"give numbers from {low:g} to {high:g}",
                )

    def _end(self, name: str) -> None:
        self._open.pop()
        self._parts.append(f"</{'g' if name == 'svg' else name}>")

    def _words(self, text: str) -> None:
        if text.strip():
            self._refuse(f"the text {quoted(_short(text.strip()))}")


def _group(box: str) -> tuple[str, tuple[float, float, float]]:
    """A group that brings a drawing in another box into that of 100 x 100; left, top and side."""
    numbers = [float(number) for number in re.findall(_NUMBER, box)]
    if len(numbers) != 4 or min(numbers[2:]) < 1:
        raise mistake(f"has viewBox={quoted(_short(box))}", f"give viewBox={quoted(_BOX)}")
    left, top, width, height = numbers
    if numbers == [0, 0, 100, 100]:
        return "<g>", (0.0, 0.0, 100.0)
    side = max(width, height)
    group = f'<g transform="scale({100 / side:.6g}) translate({0 - left:g} {0 - top:g})">'
    return group, (left, top, side)


def _written(given: Iterable[tuple[str, str]]) -> str:
    return "".join(f" {name}={quoteattr(' '.join(value.split()))}" for name, value in given)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
