"""The rules of the games and the guide to pieces, as HTML made from the documentation."""

import re
from functools import cache
from pathlib import Path

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse, Response
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import json

from rulezero.web.gate import At

_HERE = Path(__file__).parent
# The documents are in the wheel; in a source tree they are the repository's own.
_SHIPPED = _HERE / "docs"
_DOCS = _SHIPPED if _SHIPPED.is_dir() else _HERE.parents[2] / "docs"
_IMAGES = "/docs/pictures"
_LINKS = {"games.md": "#rules", "pieces.md": "#pieces/guide"}  # documents that the page has

router = APIRouter()


@router.get("/api/rules/{name}")
def rules(name: str, host: At) -> Response:
    """The rules of a game as HTML; "" if the documentation has none."""
    if name not in host.games.names():
        raise HTTPException(404, f"there is no game {name[:40]!r} on this page")
    return _page(_sections().get(name, ""))


@router.get("/api/guide")
def guide() -> Response:
    """How to define pieces, as HTML."""
    return _page(_html((_DOCS / "pieces.md").read_text(encoding="utf-8")))


@router.get("/api/keys")
def keys() -> Response:
    """The keys of recipes, as HTML."""
    text = (_DOCS / "training.md").read_text(encoding="utf-8")
    section = text.partition("\n## Keys of a recipe\n")[2].partition("\n## ")[0]
    return _page(_html(section))


@router.get(f"{_IMAGES}/{{name}}.svg")
def image(name: str) -> Response:
    """A picture of the documentation."""
    path = _DOCS / "pictures" / f"{name}.svg"
    if path not in _images():
        raise HTTPException(404, f"there is no picture {name[:40]!r}")
    headers = {"Cache-Control": "public, max-age=3600"}
    return FileResponse(path, media_type="image/svg+xml", headers=headers)


def _page(html: str) -> Response:
    return Response(json.encode({"html": html}), media_type="application/json")


@cache
def _images() -> frozenset[Path]:
    return frozenset((_DOCS / "pictures").glob("*.svg"))


@cache
def _sections() -> dict[str, str]:
    """The HTML of each section of docs/games.md, by its title, without the title."""
    text = (_DOCS / "games.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {title: _html(part) for title, part in zip(parts[::2], parts[1::2], strict=True)}


def _html(text: str) -> str:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    for token in tokens:
        for part in token.children or ():
            _point_into_the_page(part)
    rendered = str(reader.renderer.render(tokens, reader.options, {}))
    # Wide tables scroll by themselves, also with the keyboard.
    rendered = rendered.replace("<table>", '<div class="wide" tabindex="0"><table>')
    return rendered.replace("</table>", "</table></div>")


def _point_into_the_page(part: Token) -> None:
    """Changes the address of an image, or of a link to a document."""
    if part.type == "image":
        part.attrSet("src", str(part.attrGet("src")).replace("pictures", _IMAGES, 1))
        part.attrSet("loading", "lazy")
    elif part.type == "link_open":
        part.attrSet("href", _LINKS.get(str(part.attrGet("href")), "#rules"))
