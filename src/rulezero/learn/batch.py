"""Batches: positions of the window, replayed into the planes that a net reads."""

from collections.abc import Iterable

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game, remake
from rulezero.data.columns import Floats
from rulezero.data.replay import policies
from rulezero.learn.targets import TargetSettings
from rulezero.learn.window import Game as WindowGame
from rulezero.learn.window import Indices, Positions, Window, joined
from rulezero.play.evaluators import chances


class Batch(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """B positions, all from the mover's point of view."""

    planes: Floats  # [B, channels, rows, columns]
    legal: npt.NDArray[np.bool_]  # [B, slots]
    policy: Floats  # [B, slots] sums to 1; all 0 without a policy target
    wdl: Floats  # [B, 3] probabilities of win, draw, loss
    value: Floats  # [B] expected result, in [-1, 1]
    weight: Floats  # [B]
    plies_left: Floats  # [B] until the end of the game


class Batches:
    """Makes batches of a window's positions for the net of one game."""

    def __init__(
        self, window: Window, game: Game, *, settings: TargetSettings, mirrors: bool
    ) -> None:
        self.window = window
        self.game = game
        self.settings = settings
        self.mirrors = mirrors and game.has_mirror

    def make(
        self, positions: Indices, dice: np.random.Generator | None = None, *, done: float = 1.0
    ) -> Batch:
        """The batch of these positions, in ascending order; its weights are all 1.

        With `dice` and `mirrors`, each position is mirrored with probability 1/2. `done` is the
        share of the fit that is done, on which the search's share in the value targets depends.
        """
        known = self.window.at(np.sort(positions))
        size, facts = len(known.game), self.game.facts
        planes = np.empty((size, *facts.planes), np.float32)
        legal = np.empty((size, facts.slots), np.bool_)
        mirrored = np.zeros(size, np.bool_)
        if self.mirrors and dice is not None:
            mirrored = dice.random(size) < 0.5
        numbers, which = np.unique(known.game, return_inverse=True)
        games = [self.window.games[number] for number in numbers]
        offsets, pairs, weights = _pairs(games, which, known)
        slots = np.empty(len(pairs), np.int32)
        remake(
            self.game,
            [(game.start, game.actions) for game in games],
            known.ply.astype(np.uint32),
            which=which.astype(np.uint32),
            planes=planes,
            legal=legal,
            offsets=offsets,
            pairs=pairs,
            slots=slots,
            mirrored=mirrored,
        )
        wdl = self._wdl(known, done)
        return Batch(
            planes=planes,
            legal=legal,
            policy=policies(slots, weights, offsets, facts.slots),
            wdl=wdl,
            value=wdl[:, 0] - wdl[:, 2],
            weight=np.ones(size, np.float32),
            plies_left=known.plies_left.astype(np.float32),
        )

    def _wdl(self, known: Positions, done: float) -> Floats:
        """The value targets: the game's result mixed with the search's value, [B, 3]."""
        ends = chances(known.result, known.drawn)
        settings, is_searched = self.settings, np.isfinite(known.search)
        first, last = settings.search_share, settings.search_share_end
        now = first if last is None else first + (last - first) * done
        drawn = now if settings.search_share_drawn is None else settings.search_share_drawn
        shares = np.where(known.drawn < 0.5, now, drawn)
        value = np.where(is_searched, known.search, 0)
        draw = np.minimum(np.nan_to_num(known.draw), 1 - np.abs(value))
        share = np.where(is_searched, shares, 0)[:, None]
        return ((1 - share) * ends + share * chances(value, draw)).astype(np.float32)


def _pairs(
    games: list[WindowGame], which: npt.NDArray[np.int64], known: Positions
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], Floats]:
    """The policy targets of positions: offsets [k + 1], actions [m], weights [m]."""

    def ends(sizes: Iterable[int]) -> npt.NDArray[np.int64]:
        return np.cumsum([0, *sizes])

    # In the concatenation of all games: where the plies and the pairs of each game begin.
    at = ends(len(game.offsets) for game in games)[which] + known.ply
    first = ends(len(game.pair_actions) for game in games)[which]
    bounds = joined((game.offsets for game in games), np.int32)
    counts = np.where(known.has_policy, bounds[at + 1] - bounds[at], 0)
    offsets = ends(counts)
    places = np.repeat(first + bounds[at] - offsets[:-1], counts) + np.arange(offsets[-1])
    actions = joined((game.pair_actions for game in games), np.uint32)
    weights = joined((game.pair_targets for game in games), np.uint16)
    return offsets, actions[places], weights[places].astype(np.float32)
