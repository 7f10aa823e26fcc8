"""Probabilities of a win, a draw and a loss."""

from typing import Any, TypeVar

import numpy.typing as npt

Number = TypeVar("Number", float, npt.NDArray[Any])


def wdl(value: Number, draw: Number) -> tuple[Number, Number, Number]:
    """Probabilities of win, draw and loss, from the expected result in [-1, 1] and the draw's.

    If rounding has made the draw too likely for the result, one of them is slightly below 0.
    """
    return (1 - draw + value) / 2, draw, (1 - draw - value) / 2


def likely(value: float, draw: float | None) -> tuple[float, float, float]:
    """The same for a search's values: an unknown draw counts as 0, a too likely one is cut."""
    return wdl(value, min(draw or 0.0, 1 - abs(value)))
