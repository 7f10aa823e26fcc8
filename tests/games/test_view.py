"""Boards drawn as text."""

import io

import pytest
from rich.console import Console

import rulezero as rz
from rulezero.games.view import caption, draw, last_words, plain
from support import samples


def rendered(state: rz.State, **settings: object) -> str:
    """The board as rich prints it to a console of 80 columns."""
    out = io.StringIO()
    Console(file=out, width=80, **settings).print(draw(state))  # type: ignore[arg-type]
    return out.getvalue()


def test_a_board_in_full() -> None:
    """The board has coordinates, men, the last move in brackets, and the side to move."""
    state = rz.load("connect4").start()
    for column in "ddc":
        state = state.apply(state.read(column))
    assert plain(state, title="ply 3", unicode=False).splitlines() == [
        "ply 3",
        "6  .  .  .  .  .  .  .",
        "5  .  .  .  .  .  .  .",
        "4  .  .  .  .  .  .  .",
        "3  .  .  .  .  .  .  .",
        "2  .  .  .  o  .  .  .",
        "1  .  . [X] X  .  .  .",
        "   a  b  c  d  e  f  g",
        "seat 1 to move",
    ]
    assert last_words(state) == "c"


@pytest.mark.parametrize("text", samples.GAMES)
def test_every_state_can_be_drawn(text: str) -> None:
    """Every board fits into 80 columns, in colour or in plain ASCII."""
    for state in samples.states(text)[::20]:
        lines = plain(state, unicode=False).splitlines()
        assert max(map(len, lines)) <= 80
        assert "\n".join(lines).isascii()
        assert lines[-1] == caption(state)
        coloured = rendered(state, force_terminal=True, color_system="truecolor")
        assert "\x1b[" in coloured
        assert caption(state) in coloured


@pytest.mark.parametrize("text", samples.GAMES)
def test_every_man_shows_its_seat_without_colour(text: str) -> None:
    """In plain text, seat 1's men are in lower case, or have a ' if they have no lower case."""

    def shown(man: str, seat: int) -> str:
        if seat != 1:
            return man or "."
        return man.lower() if man.lower() != man.upper() else man + "'"

    for state in samples.states(text)[::40]:
        lines = plain(state, unicode=False).replace("[", " ").replace("]", " ").splitlines()
        rows = [line.split() for line in lines if line[:1].isdigit()]
        height = len(state.cells())
        assert [row[0] for row in rows] == [str(height - at) for at in range(height)]
        assert [row[1:] for row in rows] == [
            [shown(cell.man, cell.seat) for cell in row] for row in state.cells()
        ]


@pytest.mark.parametrize("settings", [{"no_color": True}, {"color_system": None}])
def test_no_colour_means_brackets(settings: dict[str, object]) -> None:
    """Without colours, the last move is in brackets."""
    state = rz.load("connect4").start()
    drawn = rendered(state.apply(0), force_terminal=True, **settings)
    assert "[X]" in drawn
    assert "\x1b[3" not in drawn
    assert "\x1b[4" not in drawn


def test_captions_tell_the_end() -> None:
    """The caption of a finished game names the winner, or the draw, and the end reason."""
    ends = {caption(state) for state in samples.states("tictactoe") if state.is_over}
    assert ends == {"seat 0 wins: three", "seat 1 wins: three", "drawn: full board"}


def test_a_board_from_the_other_side() -> None:
    """On a flipped board seat 1 is at the bottom; changes since an earlier state are marked."""
    start = rz.load("razzle").start()
    state = start.apply(start.read("b1c3"))
    state = state.apply(state.read("b8c6"))
    flipped = draw(state, since=start, is_flipped=True, names=("White", "Black"))
    assert flipped.plain(unicode=False).splitlines() == [
        "1  .  N  N  B  N [.] .",
        "2  .  .  .  .  .  .  .",
        "3  .  .  .  . [N] .  .",
        "4  .  .  .  .  .  .  .",
        "5  .  .  .  .  .  .  .",
        "6  .  .  .  . [n] .  .",
        "7  .  .  .  .  .  .  .",
        "8  .  n  n  b  n [.] .",
        "   g  f  e  d  c  b  a",
        "White to move",
    ]


def test_seats_have_names() -> None:
    """Seats are White and Black, or X and O; in a game in Python, seat 0 and seat 1 by default."""
    assert rz.load("monster").facts.seat_names == ("White", "Black")
    assert rz.load("connect4").facts.seat_names == ("X", "O")
    assert rz.load("tictactoe").facts.seat_names == ("seat 0", "seat 1")
