"""How well a net without a search agrees with a search: a yardstick for distilled nets."""

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
_OPENING = 8  # plies at random
_EVERY = 9  # plies of a game, of which one is taken

Reals = npt.NDArray[np.float64]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How a net without a search compares with a search."""

    net: str | None  # none: the hand-written judgement
    search: str
    positions: int
    choices: float  # share in which its one-ply choice is among the search's best moves
    spearman: float  # rank correlation of its values with the search's
    pearson: float


def some_positions(game: str, count: int, seed: int = 0) -> list[State]:
    """Positions of games that no run plays; the same seed gives the same ones."""
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
    """How often a net's one-ply choice is the search's, and how near its values are."""
    if not states:
        raise GameError("there is nothing to agree about: give some positions")
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
    """Places in order, equal values sharing theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: Reals = np.cumsum(counts) - (counts - 1) / 2
    return middles[which]


def _correlation(one: Reals, other: Reals) -> float:
    """Pearson's; 0 where one of them never varies."""
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])
