"""The base of everything that is read from YAML, and the words for what is wrong with it."""

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
_GIVE = {  # what to do, by pydantic's names of what is wrong
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
    "extra_forbidden": "it is given by another name, too: keep one",
}
_UNKNOWN = "is unknown"


class Settings(BaseModel):
    """A group of keys in YAML. Unknown keys are errors, and nothing changes once it is read."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False
    )
    error: ClassVar[type[RulezeroError]] = RunError  # raised where Python code gives wrong keys

    def __init__(self, /, **keys: Any) -> None:
        try:
            super().__init__(**keys)
        except ValidationError as error:
            problems = explain(error, keys, dotted(type(self).__name__))
            raise self.error("; ".join(words for _, words in problems)) from None

    # Tells pydantic to read a group inside another one without this constructor: its errors then
    # know their place in the whole.
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
        """Keys without effect beside the values of the others, and what each is for: kind=sprt."""
        return {}


def mistake(wrong: str, todo: str, *at: int | str) -> PydanticCustomError:
    """What a validator raises: mistake("is empty", "add one") is read as "NAME is empty; add one".

    Without `wrong` it is the value: "NAME is VALUE". `at` leads on from what is validated.
    """
    return PydanticCustomError("mistake", "{wrong}", {"wrong": wrong, "todo": todo, "at": at})


def number(
    low: float, high: float, *, what: str = "number", kind: type = float, zero: str = ""
) -> BeforeValidator:
    """Allows numbers of a range alone, and a word that stands for 0."""

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
    """Allows printable text alone, and puts it on one line."""

    def check(given: str) -> str:
        text = " ".join(given.split())
        if not (0 < len(text) <= longest and text.isprintable()):
            raise mistake("", f"give 1 to {longest} printable characters")
        return text

    return AfterValidator(check)


def suggestion(word: str, known: Collection[str]) -> str:
    """What to do about an unknown word."""
    near, listed = difflib.get_close_matches(str(word)[:40], known, n=1), ", ".join(known)
    return f"did you mean {near[0]}? known: {listed}" if near else f"give one of {listed}"


def found(data: Any, place: Place) -> Place:
    """The part of a place that is in the data: pydantic adds the names of types.

    A key of a list means that of a map in the list.
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
    """Names a place as `--set` does, fit.rate.start, and nothing at all as the whole."""
    return lambda place: ".".join(map(str, place)) or whole


def explain(
    error: ValidationError,
    data: Any,
    named: Callable[[Place], str],
    shown: Callable[[Place], str] | None = None,
) -> Iterator[tuple[Place, str]]:
    """What is wrong with data, and where: "NAME is VALUE; what to do", each in one line.

    `named` is the name of a place, and `shown` the value there.
    """
    problems = error.errors(include_url=False)
    places = [problem["loc"] for problem in problems]
    for problem in problems:
        kind, context = problem["type"], problem.get("ctx", {})
        size = len(problem["loc"])
        if kind == "too_short" and any(
            place[:size] == problem["loc"] and len(place) > size for place in places
        ):
            continue  # only entries that can be read were counted
        at: Place = ()
        wrong, todo = "", _GIVE[kind].format(**context) if kind in _GIVE else problem["msg"]
        tag = context.get("discriminator", "").strip("'")  # the key that says which model it is
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
    """A text in quotes, cut where it is long."""
    return f"'{text[:40]}{'...' if len(text) > 40 else ''}'"


def printable(text: str) -> str:
    """A text on one line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _cut(value: Any) -> str:
    text = repr(value)
    return f"{text[:60]}..." if len(text) > 60 else text
