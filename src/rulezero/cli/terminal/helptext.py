"""The help of verbs: a flag takes no value, so no type stands beside it."""

from typing import Any

import typer


def hide_types_of_flags(command: Any, parent: typer.Context | None = None) -> None:
    """Leaves the word <bool> out of the help of a command, and of all below it."""
    context = typer.Context(command, parent=parent, **command.context_settings)
    for option in command.get_params(context):
        if getattr(option, "is_flag", False):
            option.metavar = ""
    for each in getattr(command, "commands", {}).values():
        hide_types_of_flags(each, context)
