"""Checks the outputs of evaluators before the core uses them."""

from typing import Any

import numpy as np

from rulezero._core import NetError
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation

_ROUNDING = 0.01  # a value or a probability may exceed its range by this much


def checked(answers: Any, rows: int, slots: int, identity: str) -> Evaluation:
    """An evaluator's outputs in the core's form; raises NetError if they are wrong."""
    if not isinstance(answers, tuple | list) or len(answers) != len(Evaluation._fields):
        number = len(answers) if isinstance(answers, tuple | list) else None
        got = type(answers).__name__ if number is None else f"{number} arrays"
        raise NetError(
            f"the evaluator {identity} must return rz.Evaluation(policy, value, draw), not"
            f" {'None' if answers is None else got}"
        )
    names = zip(Evaluation._fields, answers, strict=True)
    arrays = Evaluation(*(_numbers(array, name, identity) for name, array in names))
    shapes = (rows, slots), (rows,), (rows,)
    if tuple(array.shape for array in arrays) != shapes:
        raise NetError(
            f"the evaluator {identity} must answer {rows} positions with policy, value and draw"
            f" of the shapes {shapes}, not {tuple(array.shape for array in arrays)}"
        )
    # A maximum is nan if any number is; -inf is a valid logit.
    peaks = arrays.policy.max(initial=0), arrays.draw.max(initial=0)
    is_sound = np.isfinite(peaks).all()
    if not (is_sound and np.abs(arrays.value).max(initial=0) < 1 + _ROUNDING):
        raise NetError(
            f"the evaluator {identity} answers with nan, inf, or values outside [-1, 1]: its net is"
            " damaged or has diverged"
        )
    low, high = arrays.draw.min(initial=0), arrays.draw.max(initial=0)
    if not (low > -_ROUNDING and high < 1 + _ROUNDING):
        worst = high if not high < 1 + _ROUNDING else low
        raise NetError(
            f"the evaluator {identity} answers with a draw of {worst:g}: it must be a probability,"
            " from 0 to 1"
        )
    return arrays


def _numbers(array: Any, name: str, identity: str) -> Floats:
    """An array in the core's form; NetError if it is not an array of real numbers."""
    try:
        found = np.asarray(array)
    except Exception as error:  # every framework has its own exceptions
        line = str(error).strip().split("\n")[0]
        raise NetError(
            f"the {name} of the evaluator {identity} cannot be converted to a numpy array: {line}"
        ) from error
    if found.dtype.kind not in "fiub":
        raise NetError(
            f"the {name} of the evaluator {identity} must be an array of numbers, not of"
            f" {found.dtype}"
        )
    return np.ascontiguousarray(found, np.float32)
