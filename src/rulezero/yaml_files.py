"""Reads YAML files into checked models.

A mistake raises the caller's error class with one line: "FILE:LINE: what is wrong; what to do".
Files may be untrusted: large files, deep nesting, anchors, aliases and tags are errors.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from rulezero._core import RulezeroError
from rulezero.settings import GIVE_TEXT, Place, explain, found, printable, quoted

_MOST_BYTES = 64 * 1024  # of a file
_DEEPEST = 8  # levels of maps and lists; the numbers of a piece's vector are on the seventh
_TAG = "tag:yaml.org,2002:"
_NUMBERS = {  # read as numbers; not 010, 0x10 or 1:30, which mean other numbers in YAML
    "int": r"[-+]?(0|[1-9][0-9]*)$",
    "float": r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"
    r"|[-+]?\.(inf|Inf|INF)$|\.(nan|NaN|NAN)$",
}

_MEND = "check quotes, brackets, colons and indentation (spaces, no tabs)"

Form = TypeVar("Form")


class Document:
    """A YAML text as maps, lists, texts, numbers, booleans and None; knows each value's line."""

    def __init__(self, text: str, name: str, error: type[RulezeroError]) -> None:
        self.name = name  # in messages
        self.error = error  # raised for a mistake
        try:
            self._root = _compose(text)
            self.data = _plain(self._root)
        except _YamlError as broken:
            raise error_at(error, name, *broken.args) from None

    def read(self, form: type[Form], below: Mapping[str, Any] | None = None) -> Form:
        """The data as a model, or as another type that pydantic knows.

        `below` has values for keys that the data does not give.
        """
        try:
            data = merged(below, self.data) if below and isinstance(self.data, dict) else self.data
            return TypeAdapter(form).validate_python(data)
        except ValidationError as error:
            problems = explain(error, self.data, _named, lambda place: _shown(self._at(place)[0]))
            place, words = min(problems, key=lambda problem: self._at(problem[0])[1])
            raise self.wrong(place, words) from None

    def line(self, place: Place) -> int | None:
        """The line (from 1) of a value's key; None if there is no such value."""
        return self._at(place)[1] if place and found(self.data, place) == place else None

    def wrong(self, place: Place, words: str) -> RulezeroError:
        """An error about a place, with its line."""
        return error_at(self.error, self.name, self._at(found(self.data, place))[1], words)

    def _at(self, place: Place) -> tuple[yaml.Node, int]:
        node, line = self._root, 1
        for part in place:
            if isinstance(node, yaml.MappingNode):
                key, node = next(pair for pair in node.value if pair[0].value == part)
                line = key.start_mark.line + 1
            else:
                node = node.value[part]
                line = node.start_mark.line + 1
        return node, line


class _YamlError(Exception):
    """A line that cannot be read, and why."""


class _Loader(yaml.SafeLoader):
    """Refuses what lets a small file grow in memory: anchors, aliases, tags, deep nesting."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        letter: [(tag, form) for tag, form in known if tag in (f"{_TAG}bool", f"{_TAG}null")]
        for letter, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if event.anchor is not None:
            raise _YamlError(line, "anchors (&) and aliases (*) are not allowed; write values out")
        if event.tag is not None:
            raise _YamlError(line, "tags (!) are not allowed; take it out")
        if self.depth > _DEEPEST:
            raise _YamlError(line, f"this nests too deeply; at most {_DEEPEST} levels are allowed")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Dumper(yaml.SafeDumper):
    """Quotes texts that the loader would read as numbers, such as 1e3."""


for _kind, _form in _NUMBERS.items():
    for _reader in (_Loader, _Dumper):
        _reader.add_implicit_resolver(_TAG + _kind, re.compile(_form), list("-+.0123456789"))


def dump(data: Mapping[str, Any]) -> str:
    """Data as YAML that `Document` reads back, with the keys in their order."""
    return yaml.dump(dict(data), Dumper=_Dumper, sort_keys=False)


def read_file(path: Path, missing: str, error: type[RulezeroError]) -> Document:
    """The document in a file. `missing` says what to do if there is no such file."""
    name = str(path)
    try:
        if not path.is_file():
            wrong = "this is not a regular file" if path.exists() else "there is no such file"
            wrong = "this is a folder" if path.is_dir() else wrong
            raise error_at(error, name, 1, f"{wrong}; {missing}")
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as reason:
        words = f"cannot be read: {reason.strerror}; check the file"
        raise error_at(error, name, 1, words) from None
    return text_of(data, name, error)


def text_of(data: bytes, name: str, error: type[RulezeroError]) -> Document:
    """The document in the bytes of a file, which messages call by its name."""
    if len(data) > _MOST_BYTES:
        raise error_at(error, name, 1, f"the file is over {_MOST_BYTES // 1024} KiB; split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = data.count(b"\n", 0, reason.start) + 1
        words = "this is not UTF-8 text; save the file as UTF-8"
        raise error_at(error, name, line, words) from None
    return Document(text, name, error)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of both, merged recursively; values of `above` win."""
    both = dict(below)
    for key, value in above.items():
        old = both.get(key)
        both[key] = (
            merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return both


def _compose(text: str) -> yaml.Node:
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as reason:
        line = text.count("\n", 0, reason.position) + 1
        raise _YamlError(line, "there is a control character; take it out") from None
    try:
        node: yaml.Node | None = loader.get_single_node()
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark or reason.context_mark
        words = f"this is not YAML: {str(reason.problem)[:100]}; {_MEND}"
        raise _YamlError(mark.line + 1 if mark else 1, words) from None
    except (ValueError, OverflowError):  # escapes and directives with impossible numbers
        raise _YamlError(loader.line + 1, f"this is not YAML: bad number; {_MEND}") from None
    return node or yaml.ScalarNode(f"{_TAG}null", "", loader.get_mark())


def _plain(node: yaml.Node) -> Any:
    """The data of a node."""
    if isinstance(node, yaml.SequenceNode):
        return [_plain(each) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        data: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag != f"{_TAG}str":
                raise _YamlError(key.start_mark.line + 1, f"key is {_shown(key)}; {GIVE_TEXT}")
            if key.value in data:
                words = f"key {quoted(key.value)} is given twice; keep one"
                raise _YamlError(key.start_mark.line + 1, words)
            data[key.value] = _plain(value)
        return data
    match node.tag.removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return node.value.lower() in ("true", "yes", "on")
        case "int" if len(node.value) < 20:  # int() refuses thousands of digits
            return int(node.value)
        case "float":
            return float(re.sub(r"\.(?=[inIN])", "", node.value))  # .inf and .nan
    return node.value


def _named(place: Place) -> str:
    if not place:
        return "the file"
    *above, last = place
    return last if isinstance(last, str) else f"entry {last + 1} of {_named(tuple(above))}"


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return "empty" if node.tag == f"{_TAG}null" else quoted(node.value)
    return "a list" if isinstance(node, yaml.SequenceNode) else "a map"


def error_at(error: type[RulezeroError], name: str, line: int, words: str) -> RulezeroError:
    """An error that says "FILE:LINE: what is wrong; what to do"."""
    return error(printable(f"{name}:{line}: {words}"))
