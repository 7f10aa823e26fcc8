"""The one error of this room."""

from rulezero import _core
from rulezero._core import RulezeroError


class NetError(RulezeroError):
    """A net that cannot be found, read or used: one line that says why."""


if hasattr(_core, "NetError"):  # the core's own, where it has one
    NetError = _core.NetError  # type: ignore[misc]
