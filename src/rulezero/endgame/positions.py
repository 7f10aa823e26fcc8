"""Positions of given men, drawn at random."""

import random
import re


def draw(men: str, dice: random.Random, mover: str = "b") -> str:
    """The text of some men (KPvKQR) on different squares, w or b to move.

    No care is taken who attacks whom: the game may be over with the next move.
    """
    white, black = men.split("v")
    letters = white + black.lower()
    while True:
        board = dict(zip(dice.sample(range(64), len(letters)), letters, strict=True))
        if not any(man in "Pp" and square // 8 in (0, 7) for square, man in board.items()):
            break
    cells = "".join(board.get(square, ".") for square in range(64))
    rows = (cells[8 * rank : 8 * rank + 8] for rank in range(7, -1, -1))
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows)) + f" {mover} - - 0 1"
