"""Measures how well a net without search agrees with a search; a test for distilled nets."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import GameError, State
from rulezero.fleet.local import run
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.play.session import think_each
from rulezero.play.task import Task

_PLAYER = "heuristic:temperature=0.15"
_OPENING = 8  # random first plies
_EVERY = 9  # every 9th position of a game is taken

Reals = npt.NDArray[np.float64]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How well a net without search agrees with a search."""

    net: str | None  # none: the hand-written heuristic
    search: str
    positions: int
    choices: float  # share of positions where its one-ply choice is one of the search's best moves
    spearman: float  # rank correlation of its values with the search's
    pearson: float  # linear correlation of its values with the search's


def some_positions(game: str, count: int, seed: int = 0) -> list[State]:
    """Positions of games that are in no run; the same seed gives the same positions."""
    task = Task(
        game=game,
        a=_PLAYER,
        b=_PLAYER,
        games=max(1, count // 4),
        seed=seed,
        name="agreement",
        opening=_OPENING,
    )
    found: list[State] = []
    rules = load(game)
    for record in sorted((finished.record for finished in run(task)), key=lambda each: each.index):
        actions = record.action_numbers().tolist()
        found += [
            rules.replay(record.start, actions[:ply])
            for ply in range(_OPENING, len(actions), _EVERY)
        ]
    return found[:count]


def agreement(
    net: str | None, states: Sequence[State], search: str = "alphabeta:depth=3"
) -> Agreement:
    """Compares a net's one-ply choices and its values with those of a search."""
    if not states:
        raise GameError("there are no positions to compare on: give at least one")
    judge = "eval=heuristic" if net is None else f"net={net}"
    wanted = think_each(read_player(search, random_ties=True), states)
    chosen = think_each(read_player(f"oneply:{judge}"), states)
    judged = think_each(read_player(f"alphabeta:{judge},depth=1"), states)
    is_best = [mine.action in best.shares for mine, best in zip(chosen, wanted, strict=True)]
    said = np.array([thought.raw_value for thought in judged], np.float64)
    searched = np.array([thought.value for thought in wanted], np.float64)
    return Agreement(
        net=net,
        search=search,
        positions=len(states),
        choices=float(np.mean(is_best)),
        spearman=_correlation(_ranks(said), _ranks(searched)),
        pearson=_correlation(said, searched),
    )


def _ranks(values: Reals) -> Reals:
    """The ranks of values; equal values share their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: Reals = np.cumsum(counts) - (counts - 1) / 2
    return middles[which]


def _correlation(one: Reals, other: Reals) -> float:
    """Pearson's correlation; 0 if one of the arrays is constant."""
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])
