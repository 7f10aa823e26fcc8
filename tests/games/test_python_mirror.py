"""A game in Python may define a mirror; training then also uses mirror images."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from rulezero._core import remake
from support.tictactoe import TicTacToe


def without(*methods: str) -> type[rz.PythonGame[str]]:
    """Tic-tac-toe without these methods."""
    rest = {key: value for key, value in vars(TicTacToe).items() if key not in methods}
    return type("Without", (rz.PythonGame,), rest)


def remade(is_mirrored: bool) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Planes and legal slots after three plies of a game, mirrored or not."""
    planes = np.zeros((1, 2, 3, 3), np.float32)
    legal = np.zeros((1, 9), np.bool_)
    remake(
        rz.load(TicTacToe),
        [("-" * 9, np.array([0, 4, 5, 1], np.uint32))],
        plies=np.array([3], np.uint32),
        planes=planes,
        legal=legal,
        mirrored=np.array([is_mirrored]),
    )
    return planes[0], legal[0]


def test_images_are_those_of_the_mirrored_position() -> None:
    """With mirrored=True, planes and legal moves are those of the mirrored position."""
    game = rz.load(TicTacToe)
    for is_mirrored, text in (False, "x---ox---"), (True, "--x" + "xo-" + "---"):
        state = game.parse(text)
        planes, legal = remade(is_mirrored)
        assert (planes == state.planes()).all()
        assert np.flatnonzero(legal).tolist() == [state.slot(action) for action in state.legal]
    assert game.has_mirror
    assert not rz.load(without("mirror", "mirror_action")).has_mirror


def test_a_mirror_needs_its_actions() -> None:
    """`mirror` without `mirror_action` raises GameError when the game is loaded."""
    with pytest.raises(rz.GameError, match=r"needs both mirror\(position\) and mirror_action"):
        rz.load(without("mirror_action"))


def test_a_syntax_error_has_one_place(tmp_path: Path) -> None:
    """The error names the line of the user's file, and no frame of Python's import system."""
    file = tmp_path / "rules.py"
    file.write_text("import numpy\n\ndef start(:\n")
    with pytest.raises(rz.GameError, match=r"SyntaxError: invalid syntax \(.*rules.py, line 3\)$"):
        rz.load(f"python:file={file}")
