"""Random positions with given men."""

import random
import re


def draw(men: str, dice: random.Random, mover: str = "b") -> str:
    """The text of a position with some men (KPvKQR) on random squares, w or b to move.

    Attacks are not considered: the next move may end the game.
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
