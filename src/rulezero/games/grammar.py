"""Reads and writes texts of the form `name[:key=value,...]`, such as exchange:dice=fixed:3.

The text is split at its first colon, so values may contain colons. Commas separate the options,
and '+' separates the items of a list: random_chess:pieces=standard+custom.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulezero._core import GameError

_LONGEST = 2000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEY = re.compile(rf"{_NAME.pattern}(\.[^.=,][^=,]*)?")  # option.Skill Level

Value = str | int | float | np.number[Any] | np.bool_ | Sequence[str]
"""The types of an option's value; a list is joined with '+'."""


@dataclass(frozen=True)
class Spec:
    """A name and its options as text, not yet checked against what exists."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The spec as one line, from which `read` returns an equal one."""
        options = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name}:{options}" if options else self.name

    def extended(self, keywords: Mapping[str, Value]) -> "Spec":
        """This spec with more options; an option that it already has is an error."""
        options = dict(self.options)
        for key, value in keywords.items():
            if key in options:
                raise GameError(f"{key} is given twice: in the text '{self.text}' and as a keyword")
            options[key] = write_value(key, value)
        return Spec(self.name, options)


def read(text: str) -> Spec:
    """The name and options of a text; raises GameError if it is malformed."""
    if len(text) > _LONGEST:
        raise GameError(f"'{text[:40]}...' is too long: give at most {_LONGEST} characters")
    if not text.isprintable():
        raise GameError(f"{text[:60]!a} has unprintable characters")
    name, colon, rest = text.partition(":")
    if not name:
        raise GameError(f"'{text}' has no name; the form is name:key=value,key=value")
    if not _NAME.fullmatch(name):
        raise GameError(f"'{name}' is not a name: use letters, digits and '_', with no digit first")
    if colon and not rest:
        raise GameError(f"'{text}' ends after the colon; add key=value, or leave the colon out")
    options: dict[str, str] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals:
            raise GameError(f"'{part}' in '{text}' has no '='; the form is key=value")
        if not _KEY.fullmatch(key):
            raise GameError(f"'{key}' in '{text}' is not a key: use letters, digits and '_'")
        if not value:
            raise GameError(f"{key} in '{text}' has no value")
        if key in options:
            raise GameError(f"{key} is given twice in '{text}'")
        options[key] = value
    return Spec(name, options)


def write_value(key: str, value: Value) -> str:
    """The text of an option's value; `key` is for error messages."""
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
        raise GameError(f"{key}={text!a}: a value cannot contain commas or unprintable characters")
    return text


def join_items(key: str, items: Sequence[str]) -> str:
    """The items with '+' between them."""
    for item in items:
        if not item or "+" in item[1:]:
            raise GameError(f"{key}: {item!r} cannot be in a list, as '+' separates its items")
    return "+".join(items)


def split_items(key: str, text: str) -> list[str]:
    """The items of a list. An item is never empty, so it may itself begin with '+'."""
    items = re.findall(r"(?:^|\+)(.[^+]*)", text)
    if not items or "+".join(items) != text:
        raise GameError(f"{key}={text}: an item of the list is missing")
    return items
