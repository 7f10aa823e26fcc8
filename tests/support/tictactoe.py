import numpy as np

import rulezero as rz

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]
FLIPPED = [2, 1, 0, 5, 4, 3, 8, 7, 6]  # each square's image if left and right are swapped


@rz.register
class TicTacToe(rz.PythonGame[str]):
    """Three in a line wins. A position is nine letters, from a1 to c3: x, o or -."""

    name = "tictactoe"
    actions = slots = 9
    planes = (2, 3, 3)
    board = (3, 3)
    max_plies = 9

    def start(self, seed):
        return "-" * 9

    def parse(self, text):
        if len(text) != 9 or not set(text) <= set("xo-"):
            raise ValueError("a position is nine letters, each x, o or -")
        if text.count("x") - text.count("o") not in (0, 1):
            raise ValueError("x begins, so it has as many men as o, or one more")
        return text

    def text(self, position):
        return position

    def mover(self, position):
        return position.count("x") - position.count("o")

    def ending(self, position):
        for man, outcome in ("x", 1), ("o", -1):
            if any(all(position[int(at)] == man for at in line) for line in LINES):
                return outcome, "three"
        return None if "-" in position else (0, "full board")

    def legal(self, position):
        return [at for at in range(9) if position[at] == "-"]

    def apply(self, position, action):
        return position[:action] + "xo"[self.mover(position)] + position[action + 1 :]

    def encode(self, position):
        own, other = "xo"[self.mover(position)], "ox"[self.mover(position)]
        planes = [[man == own for man in position], [man == other for man in position]]
        return np.array(planes, dtype=np.float32).reshape(2, 3, 3)

    def say(self, position, action):
        return "abc"[action % 3] + "123"[action // 3]

    def cells(self, position):
        return [("", -1) if man == "-" else (man, "xo".index(man)) for man in position]

    def mirror(self, position):
        return "".join(position[at] for at in FLIPPED)

    def mirror_action(self, position, action):
        return FLIPPED[action]
