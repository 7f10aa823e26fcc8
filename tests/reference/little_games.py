"""Small games for exhaustive search, written by hand or generated from a seed.

Seats need not alternate: each place names its mover, which is random in generated games.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import rulezero as rz

ACTIONS = 6  # action numbers are below this; a place has up to 4 of them, in any order


@dataclass(frozen=True)
class Place:
    """A position: where its actions lead, or how the game ended there."""

    mover: int = 0  # 0, 1 or CHANCE
    exits: tuple[tuple[int, int], ...] = ()  # (action, number of the place it leads to)
    chances: tuple[float, ...] = ()  # of the exits of a die
    outcome: float | None = None  # seat 0's, if the game is over


class LittleGame(rz.PythonGame[int]):
    """A game on numbered places; it starts at place 0 and never comes back to a place."""

    actions = slots = ACTIONS
    planes = (1, 1, 1)
    board = (1, 1)

    def __init__(self, name: str, places: Sequence[Place]) -> None:
        self.name = name
        self.places = places
        self.max_plies = len(places)
        self.has_chance = any(place.mover == rz.CHANCE for place in places)

    def start(self, seed: int) -> int:
        return 0

    def parse(self, text: str) -> int:
        if not text.isdecimal() or int(text) >= len(self.places):
            raise ValueError(f"a position is a number below {len(self.places)}")
        return int(text)

    def text(self, position: int) -> str:
        return str(position)

    def mover(self, position: int) -> int:
        return self.places[position].mover

    def ending(self, position: int) -> tuple[float, str] | None:
        outcome = self.places[position].outcome
        return None if outcome is None else (outcome, "end of the road")

    def legal(self, position: int) -> list[int]:
        return [action for action, _ in self.places[position].exits]

    def chances(self, position: int) -> Sequence[float]:
        return self.places[position].chances

    def apply(self, position: int, action: int) -> int:
        return dict(self.places[position].exits)[action]

    def encode(self, position: int) -> npt.NDArray[np.float32]:
        return np.full((1, 1, 1), position / len(self.places), dtype=np.float32)


# An outcome, or a mover and what its actions 0, 1, ... lead to.
Plan: TypeAlias = "float | tuple[int, list[Plan]]"


def planned(name: str, plan: Plan, chances: Sequence[float] = ()) -> rz.Game:
    """The game of a plan, registered; every die in it has these chances.

    Places are numbered as they are written, from 0: (0, [1, (1, [0, -1])]) has the root 0, the
    won end 1, seat 1's choice 2 and its ends 3 and 4.
    """
    places: list[Place] = []

    def add(plan: Plan) -> int:
        number = len(places)
        places.append(Place())
        if isinstance(plan, tuple):
            mover, ways = plan
            exits = tuple((action, add(way)) for action, way in enumerate(ways))
            places[number] = Place(mover, exits, tuple(chances) if mover == rz.CHANCE else ())
        else:
            places[number] = Place(outcome=plan)
        return number

    add(plan)
    return rz.load(LittleGame(name, places))


def road(plies: int, mover: int = 0) -> Plan:
    """A plan of forced plies that ends in a draw."""
    plan: Plan = 0.0
    for _ in range(plies):
        plan = (mover, [plan])
    return plan


def mirrored(plan: Plan) -> Plan:
    """The same game with the seats exchanged."""
    if not isinstance(plan, tuple):
        return -plan
    mover, ways = plan
    return (mover if mover == rz.CHANCE else 1 - mover, [mirrored(way) for way in ways])


def little_game(seed: int, has_chance: bool) -> rz.Game:
    """A random game, registered: 3 to 6 plies, 1 to 4 actions, random movers and outcomes.

    Every other seed gives a tree; with the others, several paths may reach the same place.
    With has_chance at least one place is a die. Chances are sixteenths, so values are exact.
    """
    dice = random.Random(f"little {seed} {has_chance}")
    places: list[Place] = []

    def add(left: int, joins: list[list[int]]) -> int:
        """The number of a new place with at most `left` plies to go, or of one in joins[left]."""
        if joins[left] and seed % 2 and dice.random() < 0.4:
            return dice.choice(joins[left])
        number = len(places)
        places.append(Place())
        if left == 0 or (number and dice.random() < 0.15):
            places[number] = Place(outcome=dice.choice([-1.0, 0.0, 1.0]))
        else:
            actions = dice.sample(range(ACTIONS), dice.choice([1, 2, 2, 3, 3, 4]))
            is_die = has_chance and number > 0 and (number == 1 or dice.random() < 0.25)
            mover = rz.CHANCE if is_die else dice.choice([0, 1])
            exits = tuple((action, add(left - 1, joins)) for action in actions)
            places[number] = Place(mover, exits, _sixteenths(dice, len(exits)) if is_die else ())
        joins[left].append(number)
        return number

    plies = dice.randint(3, 6)
    add(plies, [[] for _ in range(plies + 1)])
    if has_chance and all(place.mover != rz.CHANCE for place in places):
        return little_game(seed + 1_000_000, has_chance)  # try again: no die was made
    return rz.load(LittleGame(f"little_{'dice' if has_chance else 'plain'}_{seed}", places))


def _sixteenths(dice: random.Random, parts: int) -> tuple[float, ...]:
    """Uneven probabilities, each of at least 1/16."""
    cuts = sorted(dice.sample(range(1, 16), parts - 1))
    return tuple((high - low) / 16 for low, high in zip([0, *cuts], [*cuts, 16], strict=True))
