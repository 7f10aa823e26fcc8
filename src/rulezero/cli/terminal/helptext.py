"""Help texts of verbs: values are called N, X or TEXT, and examples keep their lines."""

from typing import Any

import typer

EXAMPLES = "Examples:"  # the last paragraph of a verb's docstring, one command a line
_VALUES = {int: "N", float: "X", str: "TEXT"}


def prepare_help(command: Any, parent: typer.Context | None = None) -> None:
    """Prepares the help of a command, and of all below it, for people.

    typer names Python's types and ranges (<int range> [x>=0]) and keeps the line breaks of
    docstrings.
    """
    context = typer.Context(command, parent=parent, **command.context_settings)
    command.help = _filled(command.help or "")
    for each in command.get_params(context):
        if each.param_type_name == "argument":
            each.display_type_rich = lambda ctx: None  # its name says enough
        elif getattr(each, "is_flag", False):
            each.metavar = ""
        elif each.metavar is None:
            each.metavar = _VALUES.get(each.type_descriptor.annotation)
        each._get_number_range_help_str = str  # typer has no public switch for ranges
    for each in getattr(command, "commands", {}).values():
        prepare_help(each, context)


def examples_of(help_text: str) -> list[str]:
    """The commands of a help text's examples."""
    _, _, lines = help_text.partition(EXAMPLES)
    return [line.strip() for line in lines.splitlines() if line.strip()]


def _filled(help_text: str) -> str:
    """The text with one line a paragraph, and with its examples at the end."""
    words, _, _ = help_text.partition(EXAMPLES)
    paragraphs = [" ".join(each.split()) for each in words.strip().split("\n\n")]
    if examples := examples_of(help_text):
        paragraphs.append("\n".join([EXAMPLES, *(f"$ {each}" for each in examples)]))
    return "\n\n".join(paragraphs)
