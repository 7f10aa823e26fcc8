"""Converts numpy values to plain Python values."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """The value with numpy numbers and arrays as Python's own, also inside lists and maps."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plain(each) for each in value)
    return value
