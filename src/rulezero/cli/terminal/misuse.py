"""Says in one line what is wrong with the words of a command."""

import re

import typer
from pydantic import ValidationError


def say_misuse(error: typer.TyperException) -> str:
    """What is wrong, without a full stop: with the value given, which typer leaves out."""
    message = error.format_message().rstrip(".")
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return message
    problem = cause.errors(include_url=False)[0]
    option, _, _ = message.removeprefix("Invalid value for ").partition(": ")
    rule, _, _ = problem["msg"].partition(", unable to parse")
    given = str(problem["input"])
    shown = given if len(given) <= 60 else f"{given[:60]}..."
    rule = re.sub("^Input", "it", rule).replace("a valid integer", "a whole number")
    name = option.strip("'")
    return f"{name} is '{shown}'; {rule}"
