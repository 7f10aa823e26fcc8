"""Which positions go into which batch of a fit."""

from collections.abc import Iterator

import numpy as np

from rulezero.learn.fit import FitSettings
from rulezero.learn.window import Indices, Part, Window


def plan(
    window: Window, generation: int, settings: FitSettings, dice: np.random.Generator
) -> Iterator[list[Indices]]:
    """Yields the batches of each epoch; a fit whose length is given in samples is one epoch.

    Positions are drawn in proportion to their weights from the whole window. With `mix`, this
    share of the positions is drawn from older generations, and the rest from the newest one. An
    epoch is one pass through the window (with `mix`: through the newest generation), in which a
    position of weight 40 occurs 40 times.
    """
    known = window.positions(Part.TRAINING)
    fresh = window.positions(Part.TRAINING, generation)
    older = np.setdiff1d(known, fresh, assume_unique=True)
    share = window.settings.mix if len(older) and len(fresh) else None
    if not len(known):
        return
    size = settings.batch
    samples = settings.samples
    if samples is None and settings.samples_per_ply is not None:
        samples = round(settings.samples_per_ply * len(fresh))
    if samples is not None:
        steps = max(1, round(samples / size))
        if share is None:
            draw = _Draw(known, window)
            yield [draw(size, dice) for _ in range(steps)]
        else:
            draw_old, draw_new = _Draw(older, window), _Draw(fresh, window)
            olds = dice.binomial(size, share, steps)
            yield [
                np.concatenate([draw_old(old, dice), draw_new(size - old, dice)]) for old in olds
            ]
        return
    for _ in range(settings.epochs):
        if share is None:
            yield _cut(_Draw(known, window).through(dice), size)
        else:
            draw_old, news = _Draw(older, window), max(1, round(size * (1 - share)))
            yield [
                np.concatenate([draw_old(size - news, dice), new])
                for new in _cut(_Draw(fresh, window).through(dice), news)
            ]


def _cut(positions: Indices, size: int) -> list[Indices]:
    return [positions[at : at + size] for at in range(0, len(positions), size)]


class _Draw:
    """Positions drawn in proportion to their weights."""

    def __init__(self, positions: Indices, window: Window) -> None:
        self._positions = positions
        self._sums = np.cumsum(window.at(positions).weight, dtype=np.float64)

    def __call__(self, size: int, dice: np.random.Generator) -> Indices:
        places = np.searchsorted(self._sums, dice.random(size) * self._sums[-1], side="right")
        return self._at(places)

    def through(self, dice: np.random.Generator) -> Indices:
        """All positions in random order, each as often as its weight says."""
        count = max(1, round(self._sums[-1]))
        evenly = (np.arange(count) + dice.random()) * (self._sums[-1] / count)
        return dice.permutation(self._at(np.searchsorted(self._sums, evenly, side="right")))

    def _at(self, places: Indices) -> Indices:
        drawn: Indices = self._positions[np.minimum(places, len(self._positions) - 1)]
        return drawn
