"""Python's own numbers for those of numpy."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Python's own number for one of numpy's, lists and maps included; the rest as it is."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plain(each) for each in value)
    return value
