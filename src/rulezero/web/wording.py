"""What the page says about a mistake, in words that fit a page: whole sentences, no options of the
command line, and no numbers that people do not see."""

import re
from collections.abc import Mapping
from typing import Any

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_CHANGES = (
    (r"(?:ply \d+: )?action \d+ is not legal here.*", "this choice is not legal here"),
    (r"--set (\S+?)(?=[ ,;]|$)", r"the change \1"),
)
_VECTOR = re.compile(r"entry (\d+) of entry (\d+) of vectors")
_PLAIN = re.compile(r"[a-z]+(?=[ ,;]|: |$)")  # not a file, a key with its value, or a player
_KEY = re.compile(r"[a-z]+ (?:is|has) (?:['\"\d\[-]|None|True|False)")  # a key, and its value
_FIELDS = {  # of pydantic's mistakes, by their types
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "string_too_long": "has more than {max_length} characters",
    "string_type": "must be a text",
    "too_long": "has more than {max_length} entries",
    "list_type": "must be a list",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
}


def for_page(words: str) -> str:
    """An error message as the page shows it."""
    for form, instead in _CHANGES:
        words = re.sub(form, instead, words)
    words = _VECTOR.sub(
        lambda found: f"the {_ordinal(found[1])} number of the {_ordinal(found[2])} vector", words
    )
    if _PLAIN.match(words) is None or _KEY.match(words) is not None:
        return words
    return words[:1].upper() + words[1:]


def malformed_body(error: Mapping[str, Any]) -> str:
    """What is wrong with the body of a request, by the first of pydantic's mistakes."""
    where = ".".join(str(part) for part in error["loc"][1:])
    form = _FIELDS.get(error["type"])
    if not where or form is None:
        what = f"'{where}'" if where else "it"
        return f"the page sent something that the server does not understand: {what} is not valid"
    return f"'{where}' {form.format(**error.get('ctx', {}))}"


def malformed_message(data: str, error: Exception) -> str:
    """What is wrong with a message of the page, for a person."""
    field = re.search(r"\$\.(\w+)", str(error))
    if re.match(r'\s*\{\s*"do"\s*:\s*"new"', data) is None:
        return "the page sent something that the server does not understand: reload the page"
    what = f"'{field[1]}' is missing or wrong" if field else "a part is missing or wrong"
    return f"this address is not complete: {what}"


def _ordinal(number: str) -> str:
    at = int(number)
    return _ORDINALS[at - 1] if 0 < at <= len(_ORDINALS) else f"{at}th"
