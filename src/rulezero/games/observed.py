"""Observes rules in Python: whether methods change positions or answer inconsistently."""

import copy
import pickle
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rulezero._core import Game, GameError, load_python_game
from rulezero.games.python_game import place_of_class, place_of_method

_ABOUT_NOTHING = ("start", "parse")  # methods that take no position
_MAKERS = ("start", "parse", "apply")  # methods that return a position
_METHODS = (
    *_ABOUT_NOTHING, "text", "mover", "ending", "legal", "apply", "encode", "slot", "say",
    "chances", "events", "cells", "info", "kind", "heuristic", "mirror", "mirror_action",
)  # fmt: skip
_DEEPEST = 50  # levels of a position that are compared
_LONGEST = 80  # characters shown of a value
_SLOWEST = 10.0  # seconds after which a method counts as one that never returns


class Fault(NamedTuple):
    """A law that a game breaks, or behaviour that is rarely intended."""

    law: str
    words: str  # what is wrong, with the values
    method: str = ""  # the faulty method; "": none in particular
    place: str = ""  # the file and line of that method, "mine.py:41"
    is_warning: bool = False

    def __str__(self) -> str:
        method = f"{self.method}()" if self.method else ""
        where = " ".join(filter(None, (self.place, method)))
        return f"{where}: {self.words}" if where else self.words


class Findings:
    """The faults of a game, one for each law and method."""

    def __init__(self, rules: object | None = None) -> None:
        self._rules = rules
        self._found: dict[tuple[str, str, bool], Fault] = {}

    def add(self, law: str, method: str, words: str, *, is_warning: bool = False) -> None:
        """Records a fault, unless there is one of the same law and method."""
        key = (law, method, is_warning)
        if key not in self._found:
            self._found[key] = Fault(law, words, method, self._place(method), is_warning)

    def all(self, *, are_warnings: bool) -> tuple[Fault, ...]:
        """The faults, or the warnings, in the order of their discovery."""
        return tuple(each for each in self._found.values() if each.is_warning == are_warnings)

    def _place(self, method: str) -> str:
        if self._rules is None:
            return ""
        if method:
            return place_of_method(self._rules, method)
        return place_of_class(type(self._rules))


def observe(rules: object, game: Game, findings: Findings) -> tuple[Game, Any]:
    """The same game with observed rules, and these rules."""
    observed = _Observed(rules, findings)
    return load_python_game(observed, game.text), observed


class _Observed:
    """Rules whose methods are called twice, each time with a copy of the position.

    This finds a method that changes its position or gives a different second answer, and protects
    later checks from such changes.
    """

    def __init__(self, rules: object, findings: Findings) -> None:
        self._rules, self._findings = rules, findings
        self._stuck: dict[str, GameError] = {}  # methods that did not return: not called again
        for method in _METHODS:
            if hasattr(rules, method):
                setattr(self, method, partial(self._ask, method))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if method in self._stuck:
            raise self._stuck[method]
        try:
            with _limit(_SLOWEST):
                answer = self._once(method, arguments)
        except SystemExit as error:
            raise GameError(f"{self.name}.{method}() ends the program: {error!r}") from error
        except _TooLongError:
            words = f"has not returned after {_SLOWEST:g} seconds: look for a loop that never ends"
            self._stuck[method] = GameError(f"{self.name}.{method}() {words}")
            raise self._stuck[method] from None
        if method in _MAKERS and answer is None:
            raise GameError(f"{self.name}.{method}() gave None: it must return a position")
        if method == "encode" and getattr(answer, "dtype", np.float32) != np.float32:
            words = f"gives {answer.dtype} numbers, which are converted each time: return float32"
            self._findings.add("planes", method, words, is_warning=True)
        try:
            again = self._once(method, arguments)
        except Exception as error:
            words = f"raises {type(error).__name__} ({error}) when called again"
            self._findings.add(
                "same answer", method, f"{words} {self._question(method, arguments)}"
            )
            return answer
        if not isinstance(answer, Iterator) and not same(answer, again):
            one, other = self._told(method, answer), self._told(method, again)
            words = f"gives {one} and then {other} when called again"
            words += f" {self._question(method, arguments)}"
            if one == other:
                words = f"gives a different position with the text {one} when called again"
            self._findings.add("same answer", method, words)
        return answer

    def _once(self, method: str, arguments: tuple[Any, ...]) -> Any:
        if method in _ABOUT_NOTHING:
            return getattr(self._rules, method)(*arguments)
        position, *rest = arguments
        given, is_copy = copied(position)
        before = "" if is_copy else self._text(position)
        answer = getattr(self._rules, method)(given, *rest)
        is_same = same(position, given) if is_copy else before == self._text(given)
        if not is_same:
            before = before or self._text(position)
            after = self._text(given)
            became = f"{before} became {after}" if before != after else f"its text is {before}"
            self._findings.add(
                "unchanged",
                method,
                f"changes the position that it is given ({became}): work on a copy",
            )
        return answer

    def _question(self, method: str, arguments: tuple[Any, ...]) -> str:
        if method in _ABOUT_NOTHING:
            return f"with {shown(arguments[0])}"
        asked = "".join(f", action {action}" for action in arguments[1:])
        return f"in {self._text(arguments[0])}{asked}"

    def _told(self, method: str, answer: Any) -> str:
        return self._text(answer) if method in (*_MAKERS, "mirror") else shown(answer)

    def _text(self, position: Any) -> str:
        """The text of a position, or its repr if text() fails."""
        try:
            if "text" in self._stuck:
                return shown(position)
            return shown(self._rules.text(copied(position)[0]))  # type: ignore[attr-defined]
        except Exception:
            return shown(position)


class _TooLongError(BaseException):
    """Ends a method that does not return; rules that catch Exception do not catch it."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raises _TooLongError in the block after some seconds, where signals can interrupt it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise _TooLongError

    begin, handler = time.monotonic(), signal.signal(signal.SIGALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        left = max(left - (time.monotonic() - begin), 1e-3) if left else 0.0
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


def shown(value: object) -> str:
    """A value in one short line."""
    words = " ".join(repr(value).split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."


def copied(position: Any) -> tuple[Any, bool]:
    """A copy of a position and True; if no equal copy can be made, the position and False."""
    try:
        copy_of = copy.deepcopy(position)
    except Exception:
        return position, False
    return (copy_of, True) if same(position, copy_of) else (position, False)


def same(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two values have the same content; an attribute that is None in `one` may differ."""
    if one is other or depth > _DEEPEST:
        return True
    if isinstance(one, bool | int | float) and isinstance(other, bool | int | float):
        return one == other or (one != one and other != other)
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        is_alike = one.dtype == other.dtype and one.shape == other.shape
        return bool(is_alike and one.tobytes() == other.tobytes())
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(*pair, depth + 1) for pair in pairs)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k], depth + 1) for k in one)
    if isinstance(one, random.Random):
        return bool(one.getstate() == other.getstate())
    if getattr(type(one), "__eq__", None) is not object.__eq__:
        try:
            return bool(one == other)
        except Exception:  # arrays have no single answer
            pass
    parts = _attributes(one)
    if not parts:
        return not hasattr(one, "__dict__") and _pickled(one) == _pickled(other) != b""
    others = _attributes(other)
    return all(
        value is None or (name in others and same(value, others[name], depth + 1))
        for name, value in parts.items()
    )


def _attributes(value: object) -> dict[str, Any]:
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found | getattr(value, "__dict__", {})


def _pickled(value: object) -> bytes:
    """The content of a value without attributes; b"" if it has none, such as an object()."""
    try:
        return b"" if type(value) is object else pickle.dumps(value)
    except Exception:
        return b""
