"""The base class of settings read from YAML, and the messages about mistakes in them."""

import difflib
import functools
import operator
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, ClassVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from rulezero._core import RulezeroError
from rulezero.errors import RunError
from rulezero.plain import plain

Place = tuple[int | str, ...]  # the keys and indices that lead to a value

GIVE_TEXT = "give text, in quotes if YAML reads it as something else"
GIVE_MAP = "give a map: lines with a key, a colon and a value"
_GIVE = {  # what to do, by pydantic's type of the error
    "string_type": GIVE_TEXT,
    **dict.fromkeys(("bool_type", "bool_parsing"), "give true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "give a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "give a finite number"),
    **dict.fromkeys(("list_type", "tuple_type"), "give a list, in [brackets] or after dashes"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type", "dataclass_type"), GIVE_MAP
    ),
    "greater_than": "give more than {gt:,}",
    "greater_than_equal": "give {ge:,} or more",
    "less_than": "give less than {lt:,}",
    "less_than_equal": "give {le:,} or less",
    "too_long": "give at most {max_length}",
    "too_short": "give at least {min_length}",
    "unexpected_keyword_argument": "take it out: there is no such key",
    "extra_forbidden": "it is also given by another name: keep one",
}
_UNKNOWN = "is unknown"


class Settings(BaseModel):
    """A group of keys in YAML. It is immutable, and unknown keys are errors."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False
    )
    error: ClassVar[type[RulezeroError]] = RunError  # raised if Python code gives wrong keys

    def __init__(self, /, **keys: Any) -> None:
        try:
            super().__init__(**keys)
        except ValidationError as error:
            problems = explain(error, keys, dotted(type(self).__name__))
            raise self.error("; ".join(words for _, words in problems)) from None

    # Makes pydantic read nested groups without this constructor, so that their errors contain the
    # full path.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, given: Any) -> Any:
        given = plain(given)
        known: list[Any] = []
        for name, field in cls.model_fields.items():
            alias = field.validation_alias or name
            known += alias.choices if isinstance(alias, AliasChoices) else [alias]
        for key in given if isinstance(given, dict) else ():
            if key not in known:
                raise mistake(_UNKNOWN, suggestion(key, known), key)
        return given

    def idle(self) -> dict[str, str]:
        """Keys that other keys make ineffective, each with what it needs, such as kind=sprt."""
        return {}


def mistake(wrong: str, todo: str, *at: int | str) -> PydanticCustomError:
    """An error for validators: mistake("is empty", "add one") gives "NAME is empty; add one".

    If `wrong` is "", the message is "NAME is VALUE; ...". `at` is a path below the validated value.
    """
    return PydanticCustomError("mistake", "{wrong}", {"wrong": wrong, "todo": todo, "at": at})


def number(
    low: float, high: float, *, what: str = "number", kind: type = float, zero: str = ""
) -> BeforeValidator:
    """Allows only numbers from `low` to `high`, and the word `zero` for 0."""

    def check(given: Any) -> Any:
        if zero and given == zero:
            return 0
        if type(given) not in (int, kind) or not low <= given <= high:
            also = f", or {zero}" if zero else ""
            raise mistake("", f"give a {what} from {low:,g} to {high:,g}{also}")
        return given

    return BeforeValidator(check)


whole = functools.partial(number, what="whole number", kind=int)


def sentence(longest: int) -> AfterValidator:
    """Allows only printable text of up to `longest` characters, and puts it on one line."""

    def check(given: str) -> str:
        text = " ".join(given.split())
        if not (0 < len(text) <= longest and text.isprintable()):
            raise mistake("", f"give 1 to {longest} printable characters")
        return text

    return AfterValidator(check)


def suggestion(word: str, known: Collection[str]) -> str:
    """Advice about an unknown word: the nearest known one, and all known ones."""
    near, listed = difflib.get_close_matches(str(word)[:40], known, n=1), ", ".join(known)
    return f"did you mean {near[0]}? known: {listed}" if near else f"give one of {listed}"


def found(data: Any, place: Place) -> Place:
    """The place without parts that are not in the data, such as type names that pydantic adds.

    Where the data has a list, a key leads into the first map of the list that has the key.
    """
    path: list[int | str] = []
    for part in place:
        if isinstance(data, list) and isinstance(part, str):
            holding = [
                at for at, each in enumerate(data) if isinstance(each, dict) and part in each
            ]
            data, path = (data[holding[0]], [*path, holding[0]]) if holding else (data, path)
        is_key = isinstance(data, dict) and part in data
        if is_key or (isinstance(data, list | tuple) and part in range(len(data))):
            data, path = data[part], [*path, part]
    return tuple(path)


def dotted(whole: str) -> Callable[[Place], str]:
    """A function that names places as `--set` does (fit.rate.start), and () as `whole`."""
    return lambda place: ".".join(map(str, place)) or whole


def explain(
    error: ValidationError,
    data: Any,
    named: Callable[[Place], str],
    shown: Callable[[Place], str] | None = None,
) -> Iterator[tuple[Place, str]]:
    """Yields the place of each mistake and a line about it: "NAME is VALUE; what to do".

    `named` gives the name of a place, and `shown` the text of the value there.
    """
    problems = error.errors(include_url=False)
    places = [problem["loc"] for problem in problems]
    for problem in problems:
        kind, context = problem["type"], problem.get("ctx", {})
        size = len(problem["loc"])
        if kind == "too_short" and any(
            place[:size] == problem["loc"] and len(place) > size for place in places
        ):
            continue  # unreadable entries were not counted, and each has a message
        at: Place = ()
        wrong, todo = "", _GIVE[kind].format(**context) if kind in _GIVE else problem["msg"]
        tag = context.get("discriminator", "").strip("'")  # the key that selects the model
        if kind == "mistake":
            wrong, todo, at = context["wrong"], context["todo"], context["at"]
        elif kind in ("missing", "union_tag_not_found"):
            key = tag or problem["loc"][-1]
            wrong, todo = f"has no {key}", f"add a line `{key}: ...`"
        elif kind in ("too_long", "too_short"):
            wrong = f"has {context['actual_length']} entries"
        elif kind in ("literal_error", "union_tag_invalid"):
            at = (tag,) if tag else ()
            words = re.split(", | or ", context.get("expected_tags") or context["expected"])
            known = [word.strip("'") for word in words]
            todo = suggestion(context.get("tag", str(problem["input"])), known)
        place = found(data, (*problem["loc"], *at))
        said = f"{named(place)} {wrong}; {todo}"
        if kind == "value_error":
            said = f"{named(place)}: {context['error']}" if place else str(context["error"])
        elif wrong == _UNKNOWN:
            model = f" ({problem['loc'][-1]})" if problem["loc"][-1:] != place[-2:-1] else ""
            group = named(place[:-1]) + model
            said = f"key {quoted(str(place[-1]))} is unknown in {group}; {todo}"
        elif not wrong:
            value = shown(place) if shown else _cut(functools.reduce(operator.getitem, place, data))
            said = f"{named(place)} is {value}; {todo}"
        yield place, printable(said)


def quoted(text: str) -> str:
    """A text in quotes, cut to 40 characters."""
    return f"'{text[:40]}{'...' if len(text) > 40 else ''}'"


def printable(text: str) -> str:
    """A text with unprintable characters, such as line breaks, replaced by "?"."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _cut(value: Any) -> str:
    text = repr(value)
    return f"{text[:60]}..." if len(text) > 60 else text
