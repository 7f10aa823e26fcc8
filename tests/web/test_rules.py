"""Rules, own pieces and own positions on the page."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rulezero as rz
from rulezero.games import drawing
from rulezero.games.pieces import PiecesError, read_pieces
from rulezero.web import games
from support.documents import ROOT
from support.page_server import PageServer
from support.piece_files import HOP, KING, WIZARD

GAMES = ["monster", "exchange", "razzle", "random_chess", "chess", "connect4"]
SHAPE = '<path d="M10 10L90 90"/>'


def posted(visitor: httpx.Client, path: str, **body: Any) -> Any:
    """The answer to a request that succeeds."""
    return visitor.post(path, json=body).raise_for_status().json()


# --- rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_rules(visitor: httpx.Client, name: str) -> None:
    """The rules are HTML from docs/games.md; their pictures exist, and links stay on the page."""
    page = visitor.get(f"/api/rules/{name}").json()["html"]
    assert "Ends" in page or "chess" in page or "wins" in page
    for source in re.findall(r'src="([^"]+)"', page):
        image = visitor.get(source)
        assert image.status_code == 200
        assert image.headers["content-type"] == "image/svg+xml"
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]+)"', page))
    assert "<script" not in page


def test_there_are_no_rules_of_other_things(visitor: httpx.Client) -> None:
    """Names of other games, and of files, are not found."""
    for path in ("/api/rules/checkers", "/docs/pictures/report.svg", "/docs/pictures/..%2fgames"):
        assert visitor.get(path).status_code == 404
    assert "vectors" in visitor.get("/api/guide").json()["html"]


@pytest.mark.parametrize("name", GAMES)
def test_moves_are_tried(visitor: httpx.Client, name: str) -> None:
    """The position after some choices is that of the rules, and lists the moves of the next."""
    state = rz.load(name).start(seed=3)
    for _ in range(6):
        state = state.apply(state.legal[0])
    found = posted(visitor, "/api/try", game=name, seed=3, actions=list(state.actions))
    assert found["text"] == state.text
    assert [move["action"] for move in found["moves"]] == state.legal
    refused = visitor.post("/api/try", json={"game": name, "seed": 3, "actions": [10**6]})
    assert refused.status_code == 422


# --- pieces --------------------------------------------------------------------------------------


def test_pieces_are_drawn(visitor: httpx.Client) -> None:
    """Each piece has its diagrams; those of the visitor have their lines."""
    found = posted(visitor, "/api/pieces", pieces=WIZARD + HOP)
    by_id = {piece["id"]: piece for piece in found["pieces"]}
    lines = [by_id[name]["line"] for name in ("wizard", "jumper", "queen")]
    assert lines == [1, 8, None]
    (board,) = by_id["wizard"]["diagrams"]
    assert sorted(board["targets"]) == [[1, 1, "both", False], [1, 3, "both", False]]
    (over,) = by_id["jumper"]["diagrams"]
    assert over["hurdles"] == [[0, 1], [0, 2]]
    assert [0, 2, "move", True] in by_id["pawn"]["diagrams"][0]["targets"]
    assert by_id["king"]["rules"] == ["castles kingside and queenside"]
    assert found["problem"] is None
    assert found["start"]["moves"]


def test_a_mistake_has_its_line(visitor: httpx.Client) -> None:
    """The first mistake is told with its line, without names of the server's files."""
    wrong = WIZARD.replace("vectors", "vektors")
    problem = posted(visitor, "/api/pieces", pieces=wrong)["problem"]
    assert problem["line"] == 7
    assert problem["words"].startswith("Key 'vektors' is unknown")
    taken = WIZARD.replace("symbol: W", "symbol: Q")
    problem = posted(visitor, "/api/pieces", pieces=taken)["problem"]
    assert problem["line"] == 3
    assert "taken by the queen of the standard pieces" in problem["words"]
    assert "/" not in problem["words"]
    assert posted(visitor, "/api/pieces", pieces=": :\n\t")["problem"]["line"] in (1, 2)
    assert visitor.post("/api/pieces", json={"pieces": "x" * 70_000}).status_code == 400


def test_back_ranks_are_chosen(visitor: httpx.Client) -> None:
    """The men of the back rank come from a pool, or stand where the visitor puts them."""
    drawn = posted(visitor, "/api/pieces", pieces=WIZARD, pool=["wizard"], seed=4)
    men = [man for man, _, _ in drawn["start"]["cells"][-1]]
    assert sorted(men) == sorted("KRRWWWWW")
    assert drawn["text"].endswith(":pool=wizard")
    rank = ["rook", "wizard", "bishop", "queen", "king", "bishop", "wizard", "rook"]
    fixed = posted(visitor, "/api/pieces", pieces=WIZARD, back_rank=rank)
    assert "".join(man for man, _, _ in fixed["start"]["cells"][-1]) == "RWBQKBWR"
    two = posted(visitor, "/api/pieces", pieces=WIZARD, back_rank=["king", *rank[1:]])
    assert two["start"] is None
    assert "king" in two["start_problem"]
    assert len(two["pieces"]) == 7


def test_shipped_texts_have_no_mistake(visitor: httpx.Client) -> None:
    """Visitors may start from texts that can be played at once."""
    sets = visitor.get("/api/pieces").json()["sets"]
    assert list(sets) == ["example", "standard", "custom"]
    for text in sets.values():
        found = posted(visitor, "/api/pieces", pieces=text)
        assert found["problem"] is None
        assert found["start"]
    assert posted(visitor, "/api/pieces", pieces=KING)["start_problem"]


# --- drawings ------------------------------------------------------------------------------------


def with_picture(picture: str) -> str:
    """A piece with this picture."""
    lines = "".join(f"    {line}\n" for line in picture.splitlines())
    return WIZARD.replace("  moves:", f"  picture: |\n{lines}  moves:")


def test_a_piece_brings_its_drawing(server: PageServer, visitor: httpx.Client) -> None:
    """A drawing is shown on the page and in pictures; a name is that of a shipped one."""
    inline = with_picture(f'<g fill="none">{SHAPE}<circle cx="50" cy="50" r="9"/></g>')
    found = posted(visitor, "/api/pieces", pieces=inline)
    shapes = '<path d="M10 10L90 90"></path><circle cx="50" cy="50" r="9"></circle>'
    assert shapes in found["pictures"]["W"]
    named = posted(visitor, "/api/pieces", pieces=with_picture("carrier"))
    assert named["pictures"]["W"] == drawing.shapes("carrier")
    position = "4k3/8/8/8/3W4/8/8/4K2R w - - 0 1"
    shown = posted(visitor, "/api/editor", game=found["text"], pieces=inline)
    assert shapes in shown["game"]["pictures"]["W"]
    assert posted(visitor, "/api/edit", game=found["text"], pieces=inline, text=position)[
        "position"
    ]


def test_drawings_of_files_are_in_images(tmp_path: Path) -> None:
    """rz.svg draws a piece's own picture."""
    (tmp_path / "mine.yaml").write_text(with_picture(SHAPE))
    game = rz.load(f"random_chess:pieces={tmp_path / 'mine.yaml'},pool=W")
    assert 'd="M10 10L90 90"' in rz.svg(game.start())
    assert 'd="M10 10L90 90"' not in rz.svg(rz.load("chess").start())


def test_other_boxes_are_scaled() -> None:
    """An image with its own viewBox is brought into the box of 100 x 100."""
    image = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="5 0 50 25">{SHAPE}</svg>'
    assert '<g transform="scale(2) translate(-5 0)"><path ' in drawing.checked(image)
    assert drawing.checked('<rect x="1" y="1" width="2" height="3" fill="none"/>').count("cut") == 1


def test_drawings_stay_in_their_box() -> None:
    """A frame cuts off what is outside; a little outside is allowed, also in other boxes."""
    made = drawing.checked('<circle cx="50" cy="-90" r="190" transform="scale(500)"/>')
    assert re.match(r'<svg viewBox="0 0 100 100" style="[^"]*overflow:hidden">', made)
    assert made.endswith("</svg>")
    assert drawing.checked('<svg viewBox="0 0 512 512"><path d="M500 40l-490 3"/></svg>')


HOSTILE = {
    "large circle": '<circle cx="50" cy="50" r="100000"/>',
    "far place": '<rect x="-101" y="0" width="9" height="9"/>',
    "far point": '<polygon points="0,0 50,201 9,9"/>',
    "far path": '<path d="M0 0L5e4 9"/>',
    "thick line": '<line x1="0" y1="0" x2="9" y2="9" stroke-width="5000"/>',
    "script": "<script>alert(1)</script>",
    "script in a group": f"<g>{SHAPE}<script/></g>",
    "handler": '<path d="M0 0" onload="alert(1)"/>',
    "link": f'<a href="javascript:alert(1)">{SHAPE}</a>',
    "address": '<path d="M0 0" href="javascript:alert(1)"/>',
    "xlink": '<path d="M0 0" xlink:href="#x"/>',
    "entity": '<!DOCTYPE svg [<!ENTITY a "b">]><svg><path d="M0 0"/></svg>',
    "billion laughs": '<?xml version="1.0"?><!DOCTYPE s [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>'
    '<svg><path d="&b;"/></svg>',
    "file": '<?xml version="1.0"?><!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    "<svg>&a;</svg>",
    "unknown entity": '<path d="&x;"/>',
    "CDATA": "<g><![CDATA[<script>]]></g>",
    "text": f"<g>words{SHAPE}</g>",
    "use": '<use href="#x"/>',
    "image": '<image href="http://evil.example/x.png"/>',
    "foreign": "<foreignObject><body/></foreignObject>",
    "style": "<style>*{fill:url(http://evil.example)}</style>",
    "style attribute": '<path d="M0 0" style="fill:url(http://evil.example)"/>',
    "url": '<path d="M0 0" fill="url(http://evil.example)"/>',
    "escaped url": '<path d="M0 0" fill="u&#114;l(x)"/>',
    "animation": '<path d="M0 0"><animate attributeName="d"/></path>',
    "id": '<path id="main" d="M0 0"/>',
    "class": '<path class="panel" d="M0 0"/>',
    "transform": '<path d="M0 0" transform="translate(1) url(x)"/>',
    "namespace": '<h:script xmlns:h="http://www.w3.org/1999/xhtml"/>',
    "other namespace": '<svg xmlns="http://www.w3.org/1999/xhtml"><path d="M0 0"/></svg>',
    "nested": "<svg><svg><path/></svg></svg>",
    "deep": "<g>" * 40 + SHAPE + "</g>" * 40,
    "long": SHAPE * 600,
    "instruction": '<?xml-stylesheet href="x.css"?><g><path d="M0 0"/></g>',
    "unclosed": '<path d="M0 0">',
    "two": '<svg><path d="M0 0"/></svg><script/>',
    "nothing": "<g></g>",
    "quote": "<path d='\"&gt;&lt;script&gt;'/>",
    "box": f'<svg viewBox="0 0 0 0">{SHAPE}</svg>',
    "upper case": "<SCRIPT/>",
    "name": "../../etc/passwd",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_drawings_are_refused(name: str) -> None:
    """Everything but plain shapes is refused in one line, at the line of the picture."""
    with pytest.raises(PiecesError) as caught:
        read_pieces(own=with_picture(HOSTILE[name]))
    message = str(caught.value)
    assert re.fullmatch(r"your pieces:5: picture [^;]+; .+", message)
    assert len(message) < 400


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="<>/=\"'&;:#()pathgsvrclink onuM09.-", max_size=60))
def test_what_passes_is_harmless(text: str) -> None:
    """Whatever passes has known elements alone."""
    try:
        found = read_pieces(own=with_picture(f"<{text}")).find("W").picture
    except PiecesError:
        return
    assert set(re.findall(r"</?(\w+)", found)) <= {"path", "rect", "line", "g", "circle"}


# --- positions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_put_together(visitor: httpx.Client, name: str) -> None:
    """Men and fields of a position give its text again, in the middle of games, too."""
    state = rz.load(name).start(seed=3)
    shown = posted(visitor, "/api/editor", game=name)
    assert {man["seat"] for man in shown["men"]} == {0, 1}
    for _ in range(9):
        read = posted(visitor, "/api/edit", game=name, text=state.text)
        assert read["problem"] is None
        assert len(read["fields"]) == len(shown["fields"])
        men = [[[man, seat] for man, seat, _ in row] for row in read["cells"]]
        again = posted(visitor, "/api/edit", game=name, cells=men, fields=read["fields"])
        assert (again["problem"], again["text"]) == (None, state.text)
        state = state.apply(state.legal[-1])


def test_a_wrong_position_is_shown(visitor: httpx.Client) -> None:
    """A position that the rules refuse is shown with what is wrong."""
    found = posted(visitor, "/api/edit", game="chess", text="8/8/8/3k4/8/8/8/8 w - - 0 1")
    assert found["problem"] == "White needs one king, not 0"
    assert found["position"] is None
    assert found["cells"][3][3] == ["k", 1, ""]
    for text in ("", "8/8", "9/8/8/8/8/8/8/8 w", "{w" * 300, "99999999999999/8/8/8/8/8/8/8"):
        found = posted(visitor, "/api/edit", game="chess", text=text)
        assert found["problem"]
        assert found["cells"] is None
    placed = posted(visitor, "/api/edit", game="connect4", text="7/7/7/7/7/3XO2 x")
    assert placed["cells"][5][3:5] == [["X", 0, ""], ["O", 1, ""]]


def test_positions_of_own_pieces(visitor: httpx.Client) -> None:
    """The men of own pieces are offered, also those with symbols that are not letters."""
    pieces = WIZARD.replace("symbol: W", 'symbol: "+"')
    shown = posted(visitor, "/api/editor", game="random_chess", pieces=pieces)
    assert {"man": "+", "seat": 1, "name": "Wizard", "note": ""} in shown["men"]
    cells: list[list[tuple[str, int]]] = [[("", -1)] * 8 for _ in range(8)]
    cells[0][4], cells[7][4], cells[3][0], cells[4][0] = ("K", 1), ("K", 0), ("+", 1), ("+", 0)
    found = posted(
        visitor, "/api/edit", game="random_chess", pieces=pieces, cells=cells,
        fields=["w", "-", "-", "0", "1"],
    )  # fmt: skip
    assert found["text"] == "4k3/8/8/{b+}7/{w+}7/8/8/4K3 w - - 0 1"
    assert found["problem"] is None


def test_documents_are_in_the_package() -> None:
    """The wheel has the documents that the page shows."""
    build = (ROOT / "CMakeLists.txt").read_text()
    assert "docs/games.md" in build
    assert "docs/pieces.md" in build
    assert "docs/pictures" in build


def test_files_of_visitors_do_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the files with pieces that were used last are kept."""
    monkeypatch.setattr(games, "MOST_PIECES", 6)
    folder = games.PiecesFolder()
    paths = [folder.file(f"# {number}") for number in range(9)]
    assert [path.exists() for path in paths] == [False] * 3 + [True] * 6
    folder.close()


def test_many_mistakes_are_found_quickly(visitor: httpx.Client) -> None:
    """A long text with a mistake in each line is refused at once."""
    text = "".join(f"k{number}: {{}}\n" for number in range(6_000))
    found = posted(visitor, "/api/pieces", pieces=text)
    assert found["problem"]["line"] == 33
