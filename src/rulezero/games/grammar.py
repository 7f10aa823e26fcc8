"""The one grammar, `name[:key=value,...]`: exchange:dice=fixed:3.

The text is split at its first colon, so values may contain colons. Commas part the options, and
'+' parts the items of a list: random_chess:pieces=standard+custom.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulezero._core import GameError

_LONGEST = 2000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Value = str | int | float | np.number[Any] | np.bool_ | Sequence[str]
"""What a keyword may carry: a list is joined with '+', the rest is written as text."""


@dataclass(frozen=True)
class Spec:
    """A name and its options, as text: what is asked for, not yet what exists."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The spec as one line that `read` gives back."""
        options = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name}:{options}" if options else self.name

    def extended(self, keywords: Mapping[str, Value]) -> "Spec":
        """This spec with further options; one that the text already names is an error."""
        options = dict(self.options)
        for key, value in keywords.items():
            if key in options:
                raise GameError(f"{key} is given twice: in the text '{self.text}' and as a keyword")
            options[key] = write_value(key, value)
        return Spec(self.name, options)


def read(text: str) -> Spec:
    """The name and options of a text. GameError says what is wrong with it."""
    if len(text) > _LONGEST:
        raise GameError(f"'{text[:40]}...' is too long: a text has at most {_LONGEST} letters")
    if not text.isprintable():
        raise GameError(f"{text[:60]!a} has letters that cannot be printed")
    name, colon, rest = text.partition(":")
    if not name:
        raise GameError(f"'{text}' has no name; the form is name:key=value,key=value")
    if not _NAME.fullmatch(name):
        raise GameError(f"'{name}' is no name: a name is made of letters, digits and '_'")
    if colon and not rest:
        raise GameError(f"'{text}' ends after the colon; add key=value, or leave the colon out")
    options: dict[str, str] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals:
            raise GameError(f"'{part}' in '{text}' lacks its '='; the form is key=value")
        if not _NAME.fullmatch(key):
            raise GameError(f"'{key}' in '{text}' is no key: letters, digits and '_'")
        if not value:
            raise GameError(f"{key} in '{text}' has no value")
        if key in options:
            raise GameError(f"{key} is given twice in '{text}'")
        options[key] = value
    return Spec(name, options)


def write_value(key: str, value: Value) -> str:
    """The text of one option's value; `key` is named where it has none."""
    if isinstance(value, bool | np.bool_):
        text = str(value).lower()
    elif isinstance(value, str | int | float | np.integer | np.floating):
        text = str(value)
    elif isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        text = join_items(key, value)
    else:
        raise GameError(f"{key} must be text, a number or a list of texts, not {value!r}")
    if not text:
        raise GameError(f"{key} has no value")
    if "," in text or not text.isprintable():
        raise GameError(f"{key}={text!a}: a value cannot contain commas or unprintable letters")
    return text


def join_items(key: str, items: Sequence[str]) -> str:
    """The items with '+' between them."""
    for item in items:
        if not item or "+" in item[1:]:
            raise GameError(f"{key}: {item!r} cannot stand in a list, whose items '+' parts")
    return "+".join(items)


def split_items(key: str, text: str) -> list[str]:
    """The items of a list. An item is never empty, so it may itself begin with '+'."""
    items = re.findall(r"(?:^|\+)(.[^+]*)", text)
    if not items or "+".join(items) != text:
        raise GameError(f"{key}={text}: an item of the list is missing")
    return items
