"""YAML whose values know their line and say what is wrong with them.

A mistake is an error of the caller's own kind, of one line: "FILE:LINE: what is wrong; what to do".
Files may come from strangers: they are small, shallow, and free of anchors, aliases and tags.
"""

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import yaml

from rulezero._core import RulezeroError

_MOST_BYTES = 64 * 1024  # of a file
_DEEPEST = 8  # levels of maps and lists; the numbers of a piece's vector are on the seventh


class Value:
    """A YAML value that knows its place. It reads as what is wanted, or says what is wrong."""

    def __init__(
        self, node: yaml.Node, what: str, error: type[RulezeroError], line: int = 0
    ) -> None:
        self.node = node
        self.error = error  # what a mistake in it is
        self.what = what  # its name in messages
        self.file: str = node.start_mark.name
        self.line: int = line or node.start_mark.line + 1

    def fail(self, wrong: str, todo: str) -> NoReturn:
        raise error_at(self.error, self.file, self.line, f"{self.what} {wrong}", todo)

    @property
    def is_list(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    def is_scalar(self, *kinds: str) -> bool:
        """Whether it is one word or number of these YAML kinds: str, int, float, bool, null."""
        kind = self.node.tag.removeprefix("tag:yaml.org,2002:")
        return isinstance(self.node, yaml.ScalarNode) and kind in kinds

    @property
    def shown(self) -> str:
        if self.is_scalar("null"):
            return "empty"
        if isinstance(self.node, yaml.ScalarNode):
            return quoted(self.node.value)
        return "a list" if self.is_list else "a map"

    def text(self) -> str:
        if not self.is_scalar("str"):
            self.fail(f"is {self.shown}", "give text, in quotes if YAML reads it as something else")
        return str(self.node.value)

    def sentence(self, longest: int) -> str:
        """Text on one line."""
        text = " ".join(self.text().split())
        if not (0 < len(text) <= longest and text.isprintable()):
            self.fail(f"is {self.shown}", f"give 1 to {longest} printable characters")
        return text

    def word(self, known: Collection[str], spellings: Mapping[str, str] | None = None) -> str:
        """One of the known words; `spellings` are other words for some of them."""
        text = self.text()
        text = (spellings or {}).get(text, text)
        if text not in known:
            self.fail(f"is {self.shown}", suggestion(text, known))
        return text

    def flag(self) -> bool:
        if not self.is_scalar("bool"):
            self.fail(f"is {self.shown}", "give true or false")
        return self.node.value.lower() in ("true", "yes", "on")

    def whole(self, low: int, high: int, zero: str = "") -> int:
        """A whole number in this range, or 0 for the word that stands for it."""
        if zero and self.is_scalar("str") and self.node.value == zero:
            return 0
        is_plain = self.is_scalar("int") and re.fullmatch(r"[-+]?(0|[1-9]\d?)", self.node.value)
        if not is_plain or not low <= int(self.node.value) <= high:
            remedy = f"give a whole number from {low} to {high}"
            self.fail(f"is {self.shown}", remedy + (f", or {zero}" if zero else ""))
        return int(self.node.value)

    def items(self, most: int) -> "list[Value]":
        if not self.is_list:
            self.fail(f"is {self.shown}", "give a list, in [brackets] or after dashes")
        nodes = self.node.value
        if len(nodes) > most:
            self.fail(f"has {len(nodes)} entries", f"at most {most} are allowed")
        return [
            Value(node, f"entry {n} of {self.what}", self.error) for n, node in enumerate(nodes, 1)
        ]

    def entries(self, what: str) -> "dict[str, tuple[Value, Value]]":
        """Key and value by the key's text, in the file's order."""
        if not isinstance(self.node, yaml.MappingNode):
            self.fail(f"is {self.shown}", "give a map: lines with a key, a colon and a value")
        found: dict[str, tuple[Value, Value]] = {}
        for key_node, node in self.node.value:
            key = Value(key_node, what, self.error)
            name = key.text()
            if name in found:
                key.fail(f"{key.shown} is given twice", "keep one")
            found[name] = (key, Value(node, name, self.error, key.line))
        return found

    def fields(
        self,
        known: Collection[str],
        required: Sequence[str] = (),
        spellings: Mapping[str, str] | None = None,
    ) -> "dict[str, Value]":
        """Values by key; `spellings` are other words for some of the known keys."""
        found: dict[str, Value] = {}
        for name, (key, value) in self.entries("key").items():
            name = name if name in known else (spellings or {}).get(name, name)
            if name not in known:
                key.fail(f"{key.shown} is unknown in {self.what}", suggestion(name, known))
            if name in found:
                key.fail(f"{key.shown} is a second {name}", "keep one")
            found[name] = value
        for name in required:
            if name not in found:
                self.fail(f"has no {name}", f"add a line `{name}: ...`")
        return found


class _Loader(yaml.SafeLoader):
    """Composes YAML without what lets a small file grow: anchors, aliases, tags and depth."""

    error: type[RulezeroError]
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if event.anchor is not None:
            self._refuse(event, "& and * are not read here", "write the value out")
        if event.tag is not None:
            self._refuse(event, "tags with ! are not read here", "take it out")
        if self.depth > _DEEPEST:
            self._refuse(event, "this nests too deeply", f"at most {_DEEPEST} levels are read")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def _refuse(self, event: Any, wrong: str, todo: str) -> NoReturn:
        raise error_at(self.error, self.name, event.start_mark.line + 1, wrong, todo)


def read_file(path: Path, missing: str, error: type[RulezeroError]) -> Value:
    """The file as one value. `missing` is the remedy where there is no such file."""
    file = str(path)
    try:
        if not path.is_file():
            wrong = "this is a folder" if path.is_dir() else "there is no such file"
            raise error_at(error, file, 1, wrong, missing)
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as reason:
        wrong = f"cannot be read: {reason.strerror}"
        raise error_at(error, file, 1, wrong, "check the file") from None
    if len(data) > _MOST_BYTES:
        raise error_at(error, file, 1, f"the file is over {_MOST_BYTES // 1024} KiB", "split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = data.count(b"\n", 0, reason.start) + 1
        todo = "save the file as UTF-8"
        raise error_at(error, file, line, "this is not UTF-8 text", todo) from None
    return Value(_compose(text, file, error), "the file", error, 1)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line, from 1, on which a YAML text gives the value at this path of keys and indices.

    None where it gives none, or is no YAML. Of a key that is given twice the last one counts.
    """
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError):
        return None
    line = None
    for part in path:
        if isinstance(node, yaml.MappingNode):
            keys = {str(key.value): (key, value) for key, value in node.value}
            if str(part) not in keys:
                return None
            key, node = keys[str(part)]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and part in range(len(node.value)):
            node = node.value[int(part)]
            line = node.start_mark.line + 1
        else:
            return None
    return line


def _compose(text: str, file: str, error: type[RulezeroError]) -> yaml.Node:
    remedy = "check quotes, brackets, colons and indentation (spaces, no tabs)"
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as reason:
        line = text.count("\n", 0, reason.position) + 1
        raise error_at(error, file, line, "there is a control character", "take it out") from None
    loader.name, loader.error = file, error
    try:
        node: yaml.Node | None = loader.get_single_node()
    except RulezeroError:  # some are ValueErrors too
        raise
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark or reason.context_mark
        line = mark.line + 1 if mark else 1
        wrong = f"this is not YAML: {str(reason.problem)[:100]}"
        raise error_at(error, file, line, wrong, remedy) from None
    except (ValueError, OverflowError):  # escapes and directives with impossible numbers
        wrong = "this is not YAML: bad number"
        raise error_at(error, file, loader.line + 1, wrong, remedy) from None
    return node or yaml.ScalarNode("tag:yaml.org,2002:null", "", loader.get_mark())


def error_at(
    error: type[RulezeroError], file: str, line: int, wrong: str, todo: str
) -> RulezeroError:
    return error(f"{_printable(file)}:{line}: {_printable(wrong)}; {_printable(todo)}")


def quoted(text: str) -> str:
    return f"'{_printable(text[:40])}{'...' if len(text) > 40 else ''}'"


def suggestion(word: str, known: Collection[str]) -> str:
    nearest = difflib.get_close_matches(word[:40], known, n=1, cutoff=0)[0]
    return f"did you mean {nearest}? known: {', '.join(known)}"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
