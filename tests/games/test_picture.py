"""Boards as pictures."""

from types import MappingProxyType
from xml.etree import ElementTree

import pytest

import rulezero as rz
from pictures import FOLDER, pictures
from rulezero.games.drawing import PICTURES
from support import samples
from support.tictactoe import TicTacToe

SVG = "{http://www.w3.org/2000/svg}"


def parts(image: str, kind: str) -> list[ElementTree.Element]:
    """The elements of a class in an SVG image, which must be well-formed XML."""
    root = ElementTree.fromstring(image)
    return [each for each in root.iter() if kind in each.get("class", "").split()]


@pytest.mark.parametrize("name", samples.GAMES)
def test_every_state_has_a_picture(name: str) -> None:
    """The picture has a square for each cell, and every man and note of the board."""
    for state in samples.states(name, about=60):
        cells = [cell for row in state.cells() for cell in row]
        image = rz.svg(state)
        assert len(parts(image, "light")) + len(parts(image, "dark")) == len(cells)
        assert len(parts(image, "man")) == sum(bool(cell.man) for cell in cells)
        assert len(parts(image, "note")) == sum(bool(cell.note) for cell in cells)
        for seat in (0, 1):
            own = sum(bool(cell.man) and cell.seat == seat for cell in cells)
            assert len(parts(image, f"seat{seat}")) >= own


def test_the_last_choice_is_marked() -> None:
    """Squares that changed since the previous state, or since the state `since`, are marked."""
    start = rz.load("monster").start()
    state = start.apply(start.read("e2e4"))
    after = state.apply(state.read("d2d4"))
    assert [len(parts(rz.svg(each), "last")) for each in (start, state, after)] == [0, 2, 2]
    assert len(parts(rz.svg(after, since=start), "last")) == 4


def corners(image: str) -> set[tuple[str, str]]:
    return {(each.get("x", ""), each.get("y", "")) for each in parts(image, "last")}


def test_the_other_side_below() -> None:
    """On a flipped board, e2 and e4 are drawn where d7 and d5 were."""
    start = rz.load("chess").start()
    one = start.apply(start.read("e2e4"))
    turned = start.apply(start.read("d2d4")).apply(start.apply(start.read("d2d4")).read("d7d5"))
    assert corners(rz.svg(one, is_flipped=True)) == corners(rz.svg(turned))
    assert corners(rz.svg(one)) != corners(rz.svg(one, is_flipped=True))


def test_arrows_and_size() -> None:
    """Arrows join two squares; the name of a square that does not exist raises GameError."""
    state = rz.load("razzle").start()
    image = rz.svg(state, arrows=[("b1", "c3"), ("g8", "a1")], size=300)
    assert len(parts(image, "arrow")) == len(parts(image, "head")) == 2
    assert ElementTree.fromstring(image).get("width") == "300"
    for name in ("h1", "a9", "a0", "", "a", "1a", "e22"):
        with pytest.raises(rz.GameError, match="is not a square of the board"):
            rz.svg(state, arrows=[("b1", name)])


def test_pictures_of_a_game_in_python() -> None:
    """Men are drawn as letters, unless the game names pictures, which must exist."""

    class Drawn(TicTacToe):
        name = "drawn"
        pictures = MappingProxyType({"x": "king"})

    def image(game: TicTacToe) -> str:
        return rz.svg(rz.load(game).start().apply(4))

    assert ">X</text>" in image(TicTacToe())
    assert ">X</text>" not in image(Drawn())
    Drawn.pictures = MappingProxyType({"x": "knigth"})
    with pytest.raises(rz.GameError, match=r"no picture 'knigth' .*did you mean 'knight'"):
        image(Drawn())


def test_pictures_that_games_name_exist() -> None:
    """The pictures that games name exist, and notebooks show states as SVG."""
    for name in samples.GAMES:
        state = rz.load(name).start()
        assert set(state.game.facts.pictures.values()) <= set(PICTURES)
        assert vars(rz.State)["_repr_svg_"](state) == rz.svg(state)


@pytest.mark.parametrize(("name", "image"), list(pictures()))
def test_the_documents_have_the_pictures_of_today(name: str, image: str) -> None:
    """The pictures in the docs are up to date; scripts/pictures.py regenerates them."""
    assert (FOLDER / f"{name}.svg").read_text(encoding="utf-8") == image + "\n"
