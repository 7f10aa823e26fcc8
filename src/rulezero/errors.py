"""Errors that several rooms raise."""

from rulezero._core import RulezeroError


class RunError(RulezeroError):
    """What is wrong with a run's folder, or with a recipe."""
