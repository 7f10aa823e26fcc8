"""The base of everything that a recipe can set."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from rulezero._core import RulezeroError
from rulezero.errors import among


class Settings(BaseModel):
    """A group of keys of a recipe. Unknown keys are errors, and nothing changes once it is read."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False
    )


def read_as(
    kind: type, prepare: Callable[[dict[str, Any]], dict[str, Any]] | None = None
) -> BeforeValidator:
    """Reads keys as a struct of another room: Annotated[Struct, read_as(Struct), AS_KEYS].

    `prepare` makes the struct's own keys of those that a recipe may have.
    """

    def read(given: Any) -> Any:
        if given is None or isinstance(given, kind):
            return given
        try:
            keys = prepare(given) if prepare is not None and isinstance(given, dict) else given
            return msgspec.convert(keys, kind)
        except (msgspec.ValidationError, RulezeroError) as error:
            raise ValueError(_words(str(error), kind)) from None

    return BeforeValidator(read)


def _words(message: str, kind: type) -> str:
    """What msgspec says of a struct, in the words of a recipe."""
    known = [field.name for field in msgspec.structs.fields(kind)]
    if unknown := re.search(r"unknown field `(.+?)`", message):
        key = unknown[1]
        return f"there is no key '{key}'{among(key, known)}"
    said, at, place = message.partition(" - at `$.")
    return f"{place.rstrip('`')}: {said[:1].lower()}{said[1:]}" if at else message


AS_KEYS = PlainSerializer(msgspec.to_builtins)
