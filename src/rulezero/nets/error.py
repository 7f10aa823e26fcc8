"""The one error of this room."""

from rulezero._core import RulezeroError

try:
    from rulezero._core import NetError  # type: ignore[attr-defined, unused-ignore]
except ImportError:  # a core that has none of its own

    class NetError(RulezeroError):  # type: ignore[no-redef]
        """A net that cannot be found, read or used: one line that says why."""


__all__ = ["NetError"]
