"""Batches: positions of the window, replayed into the planes that a net reads."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game, remake
from rulezero.data.columns import Floats, Numbers
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


class Excerpt(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The part of a window that B positions are made of; any process can make a batch of it."""

    games: list[tuple[str, Numbers]]  # start and actions of each game
    which: npt.NDArray[np.uint32]  # [B] index of the position's game
    plies: npt.NDArray[np.uint32]  # [B]
    mirrored: npt.NDArray[np.bool_]  # [B]
    offsets: npt.NDArray[np.int64]  # [B + 1] of the pairs of each position
    pairs: npt.NDArray[np.uint32]  # [m] actions of the policy targets
    weights: Floats  # [m]
    wdl: Floats  # [B, 3] as the next one: see Batch
    plies_left: Floats  # [B]


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
        (whole,) = self.excerpts(positions, dice, done=done)
        return made(self.game, whole)

    def excerpts(
        self,
        positions: Indices,
        dice: np.random.Generator | None = None,
        *,
        done: float = 1.0,
        bounds: Sequence[int] = (),
    ) -> list[Excerpt]:
        """What the batch of these positions is made of, cut at these rows; `make` has the rest."""
        positions = np.sort(positions)
        mirrored = np.zeros(len(positions), np.bool_)
        if self.mirrors and dice is not None:
            mirrored = dice.random(len(positions)) < 0.5
        rows = [slice(*each) for each in pairwise((0, *bounds, len(positions)))]
        return [self._excerpt(positions[each], mirrored[each], done) for each in rows]

    def _excerpt(self, positions: Indices, mirrored: npt.NDArray[np.bool_], done: float) -> Excerpt:
        known = self.window.at(positions)
        numbers, which = np.unique(known.game, return_inverse=True)
        games = [self.window.games[number] for number in numbers]
        offsets, pairs, weights = _pairs(games, which, known)
        return Excerpt(
            games=[(game.start, game.actions) for game in games],
            which=which.astype(np.uint32),
            plies=known.ply.astype(np.uint32),
            mirrored=mirrored,
            offsets=offsets,
            pairs=pairs,
            weights=weights,
            wdl=value_targets(known, self.settings, done),
            plies_left=known.plies_left.astype(np.float32),
        )


def value_targets(known: Positions, settings: TargetSettings, done: float) -> Floats:
    """The value targets: the game's result mixed with the search's value, [B, 3]."""
    ends = chances(known.result, known.drawn)
    is_searched = np.isfinite(known.search)
    first, last = settings.search_share, settings.search_share_end
    now = first if last is None else first + (last - first) * done
    drawn = now if settings.search_share_drawn is None else settings.search_share_drawn
    shares = np.where(known.drawn < 0.5, now, drawn)
    value = np.where(is_searched, known.search, 0)
    draw = np.minimum(np.nan_to_num(known.draw), 1 - np.abs(value))
    share = np.where(is_searched, shares, 0)[:, None]
    return ((1 - share) * ends + share * chances(value, draw)).astype(np.float32)


def made(game: Game, excerpt: Excerpt) -> Batch:
    """The batch of an excerpt: replays its games."""
    size, facts = len(excerpt.plies), game.facts
    planes = np.empty((size, *facts.planes), np.float32)
    legal = np.empty((size, facts.slots), np.bool_)
    slots = np.empty(len(excerpt.pairs), np.int32)
    remake(
        game,
        excerpt.games,
        excerpt.plies,
        which=excerpt.which,
        planes=planes,
        legal=legal,
        offsets=excerpt.offsets,
        pairs=excerpt.pairs,
        slots=slots,
        mirrored=excerpt.mirrored,
    )
    return Batch(
        planes=planes,
        legal=legal,
        policy=policies(slots, excerpt.weights, excerpt.offsets, facts.slots),
        wdl=excerpt.wdl,
        value=excerpt.wdl[:, 0] - excerpt.wdl[:, 2],
        weight=np.ones(size, np.float32),
        plies_left=excerpt.plies_left,
    )


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
