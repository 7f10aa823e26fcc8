"""The base of everything that a recipe can set."""

from typing import Any

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

from rulezero._core import RulezeroError


class Settings(BaseModel):
    """A group of keys of a recipe. Unknown keys are errors, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


def read_as(kind: type) -> BeforeValidator:
    """Reads keys as a struct of another room: Annotated[Struct, read_as(Struct), AS_KEYS]."""

    def read(given: Any) -> Any:
        if given is None or isinstance(given, kind):
            return given
        try:
            return msgspec.convert(given, kind)
        except (msgspec.ValidationError, RulezeroError) as error:
            raise ValueError(str(error)) from None

    return BeforeValidator(read)


AS_KEYS = PlainSerializer(msgspec.to_builtins)
