"""Chances of a win, a draw and a loss."""

from typing import Any, TypeVar

import numpy.typing as npt

Number = TypeVar("Number", float, npt.NDArray[Any])


def wdl(value: Number, draw: Number) -> tuple[Number, Number, Number]:
    """Win, draw and loss of an expected result, in [-1, 1], and a probability of a draw.

    Where rounding has made the draw too likely for the result, a chance is a hair below 0.
    """
    return (1 - draw + value) / 2, draw, (1 - draw - value) / 2


def likely(value: float, draw: float | None) -> tuple[float, float, float]:
    """The same of a search's answer, whose draw may be unknown (0) or too likely by rounding."""
    return wdl(value, min(draw or 0.0, 1 - abs(value)))
