"""Sources of correct games in Python, from which the broken ones are made."""

from support.documents import ROOT, blocks, tic_tac_toe

TICTACTOE = tic_tac_toe()

DOTS = next(
    block.text
    for block in blocks(ROOT / "docs" / "add_a_game.md")
    if block.file == "dots_and_boxes.py"
)

# A die, a random start, events, info, kinds, a heuristic, and positions that are objects.
RACE = '''import random
from dataclasses import dataclass, replace

import numpy as np

import rulezero as rz

GOAL = 7


@dataclass(frozen=True)
class Race:
    steps: tuple[int, int]
    seat: int
    rolls: bool = False


class RaceGame(rz.PythonGame[Race]):
    """Walk one step, or roll a die of three; 0 on the die throws you back to the start."""

    name = "race"
    actions = 5  # 0 to 2: the faces of the die; 3: walk, 4: roll
    slots = 2
    planes = (3, 1, GOAL + 1)
    board = (2, GOAL + 1)
    max_plies = 200
    has_chance = True
    has_random_start = True
    event_names = ("steps", "falls")
    seat_names = ("Red", "Blue")

    def start(self, seed):
        return Race((0, 0), random.Random(seed).randrange(2))

    def parse(self, text):
        first, second, seat, doing = text.split(" ")
        if seat not in ("red", "blue") or doing not in ("moves", "rolls"):
            raise ValueError("a position is two numbers, red or blue, moves or rolls")
        steps = int(first), int(second)
        if not all(0 <= step <= GOAL for step in steps):
            raise ValueError(f"nobody has gone more than {GOAL} steps")
        return Race(steps, ["red", "blue"].index(seat), doing == "rolls")

    def text(self, position):
        doing = "rolls" if position.rolls else "moves"
        seat = ["red", "blue"][position.seat]
        return f"{position.steps[0]} {position.steps[1]} {seat} {doing}"

    def mover(self, position):
        return rz.CHANCE if position.rolls else position.seat

    def ending(self, position):
        for seat, outcome in (0, 1), (1, -1):
            if position.steps[seat] >= GOAL:
                return outcome, "at the goal"
        return None

    def legal(self, position):
        return [0, 1, 2] if position.rolls else [3, 4]

    def apply(self, position, action):
        if action == 4:
            return replace(position, rolls=True)
        step = {0: -position.steps[position.seat], 1: 1, 2: 4, 3: 1}[action]
        steps = list(position.steps)
        steps[position.seat] = min(GOAL, steps[position.seat] + step)
        return Race(tuple(steps), 1 - position.seat)

    def chances(self, position):
        return [0.25, 0.25, 0.5]

    def encode(self, position):
        planes = np.zeros(self.planes, dtype=np.float32)
        planes[0, 0, position.steps[position.seat]] = 1
        planes[1, 0, position.steps[1 - position.seat]] = 1
        planes[2] = position.seat
        return planes

    def slot(self, position, action):
        return action - 3

    def say(self, position, action):
        return ["0", "1", "4", "walk", "roll"][action]

    def events(self, position, action):
        return [float(action in (1, 3)), float(action == 0)]

    def cells(self, position):
        men = [("", -1)] * (2 * (GOAL + 1))
        men[position.steps[0]] = ("R", 0)
        men[GOAL + 1 + position.steps[1]] = ("B", 1)
        return men

    def info(self, position):
        return [("to go", str(GOAL - max(position.steps)))]

    def kind(self, position, action):
        return "faces" if position.rolls else "moves"

    def heuristic(self, position):
        return (position.steps[0] - position.steps[1]) / GOAL
'''

# Positions are lists, which apply must copy, with a count that text() may easily leave out.
HEAPS = '''import numpy as np

import rulezero as rz

HEAPS = (3, 3, 2)
MOST = 3


class HeapsGame(rz.PythonGame[list]):
    """Take one or more from a heap, or pass; the last to take wins, three passes are a draw.

    A position is a list: the heaps as a list, the mover, the passes since somebody took.
    """

    name = "heaps"
    actions = slots = len(HEAPS) * MOST + 1
    planes = (2, len(HEAPS), MOST)
    board = (1, len(HEAPS))
    max_plies = 60

    def start(self, seed):
        return [list(HEAPS), 0, 0]

    def parse(self, text):
        heaps, mover, passes = text.split(" ")
        found = [[int(heap) for heap in heaps], int(mover), int(passes)]
        if len(heaps) != len(HEAPS) or max(found[0]) > MOST or found[1] not in (0, 1):
            raise ValueError("a position is three heaps, the mover and the passes: 332 0 0")
        return found

    def text(self, position):
        heaps, mover, passes = position
        return f"{''.join(map(str, heaps))} {mover} {passes}"

    def mover(self, position):
        return position[1]

    def ending(self, position):
        heaps, mover, passes = position
        if not any(heaps):
            return (1 if mover else -1), "nothing left"
        return (0, "three passes") if passes == 3 else None

    def legal(self, position):
        takes = [
            heap * MOST + count
            for heap, left in enumerate(position[0])
            for count in range(left)
        ]
        return [*takes, len(HEAPS) * MOST]

    def apply(self, position, action):
        heaps, mover, passes = position
        heaps = list(heaps)
        heap, count = divmod(action, MOST)
        if heap == len(HEAPS):
            return [heaps, 1 - mover, passes + 1]
        heaps[heap] -= count + 1
        return [heaps, 1 - mover, 0]

    def encode(self, position):
        heaps, _, passes = position
        planes = np.zeros(self.planes, dtype=np.float32)
        for heap, left in enumerate(heaps):
            planes[0, heap, :left] = 1
        planes[1] = passes / 3
        return planes

    def say(self, position, action):
        heap, count = divmod(action, MOST)
        return "pass" if heap == len(HEAPS) else f"{'abc'[heap]}{count + 1}"

    def cells(self, position):
        return [(str(left), -1) for left in position[0]]
'''

SOURCES = {"tictactoe": TICTACTOE, "dots": DOTS, "race": RACE, "heaps": HEAPS}
