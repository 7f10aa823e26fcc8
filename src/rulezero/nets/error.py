"""The one error of this room."""

from rulezero._core import NetError

__all__ = ["NetError"]
