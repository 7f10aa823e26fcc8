"""Batches: positions of the window, re-made as a net sees them."""

import itertools
from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game, remake
from rulezero.data.columns import Floats
from rulezero.train.window import Game as WindowGame
from rulezero.train.window import Indices, Positions, Window


class Batch(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """B positions; everything is the mover's."""

    planes: Floats  # [B, channels, rows, columns]
    legal: npt.NDArray[np.bool_]  # [B, slots]
    policy: Floats  # [B, slots] sums to 1, or is 0 where there is no policy target
    wdl: Floats  # [B, 3] chances of a win, a draw, a loss
    value: Floats  # [B] expected result, in [-1, 1]
    weight: Floats  # [B]
    plies_left: Floats  # [B] until the end of the game


class Batches:
    """Makes batches of a window's positions for the net of one game."""

    def __init__(self, window: Window, game: Game, *, search_share: float, mirrors: bool) -> None:
        self.window = window
        self.game = game
        self.search_share = search_share
        self.mirrors = mirrors and game.has_mirror

    def make(self, positions: Indices, dice: np.random.Generator | None = None) -> Batch:
        """The batch of these positions, each game gone through once; weights are all 1.

        With dice, each position is shown in the game's mirror with probability 1/2.
        """
        known = self.window.at(np.sort(positions))
        size, facts = len(known.game), self.game.facts
        planes = np.empty((size, *facts.planes), np.float32)
        legal = np.empty((size, facts.slots), np.bool_)
        policy = np.zeros((size, facts.slots), np.float32)
        mirrored = np.zeros(size, np.bool_)
        if self.mirrors and dice is not None:
            mirrored = dice.random(size) < 0.5
        for rows in _runs(known.game):
            game = self.window.games[known.game[rows.start]]
            plies = known.ply[rows]
            offsets, pairs, weights = _pairs(game, plies)
            slots = np.empty(len(pairs), np.int32)
            remake(
                self.game,
                game.start,
                game.actions,
                plies.astype(np.uint32),
                planes=planes[rows],
                legal=legal[rows],
                offsets=offsets,
                pairs=pairs,
                slots=slots,
                mirrored=mirrored[rows],
            )
            at = np.repeat(np.arange(rows.start, rows.stop), np.diff(offsets))
            np.add.at(policy, (at, slots), weights)  # actions may share a slot
        wdl = self._wdl(known)
        total = policy.sum(1, keepdims=True)
        np.divide(policy, total, out=policy, where=total > 0)
        return Batch(
            planes=planes,
            legal=legal,
            policy=policy,
            wdl=wdl,
            value=wdl[:, 0] - wdl[:, 2],
            weight=np.ones(size, np.float32),
            plies_left=known.plies_left.astype(np.float32),
        )

    def _wdl(self, known: Positions) -> Floats:
        """The mover's chances: how the game ended, mixed with what the search thought."""
        chances = _chances(known.result, 1 - np.abs(known.result))
        if self.search_share == 0:
            return chances
        is_searched = np.isfinite(known.search)
        value = np.where(is_searched, known.search, 0)
        draw = np.minimum(np.nan_to_num(known.draw), 1 - np.abs(value))
        share = np.where(is_searched, self.search_share, 0)[:, None]
        return ((1 - share) * chances + share * _chances(value, draw)).astype(np.float32)


def _chances(value: Floats, draw: Floats) -> Floats:
    """Win, draw and loss of an expected result and a probability of a draw."""
    chances = np.stack([(1 - draw + value) / 2, draw, (1 - draw - value) / 2], axis=1)
    return chances.clip(0)  # rounding may have gone below


def _pairs(
    game: WindowGame, plies: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], Floats]:
    """The policy targets of plies: offsets [k + 1], actions [m], weights [m]."""
    begin, end = game.offsets[plies], game.offsets[plies + 1]
    counts = np.where(game.targets.has_policy[plies], end - begin, 0)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    places = np.repeat(begin - offsets[:-1], counts) + np.arange(offsets[-1])
    weights = game.pair_targets[places].astype(np.float32)
    return offsets, np.ascontiguousarray(game.pair_actions[places]), weights


def _runs(numbers: npt.NDArray[np.int32]) -> Iterator[slice]:
    """Slices of equal numbers, of numbers that are sorted."""
    bounds = [0, *(np.flatnonzero(np.diff(numbers)) + 1), len(numbers)]
    for begin, end in itertools.pairwise(bounds):
        if begin < end:
            yield slice(int(begin), int(end))
