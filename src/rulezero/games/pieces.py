"""Piece sets: YAML files in, checked pieces out.

A mistake in a file is a PiecesError of one line, "FILE:LINE: what is wrong; what to do". Files may
come from strangers: they are small, shallow, and free of anchors, aliases and tags.
"""

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from rulezero._core import GameError, Pattern, Piece

SHIPPED = ("standard", "custom")  # the sets that come with the package, in reading order

_MOST_BYTES = 64 * 1024  # of a file
_DEEPEST = 8  # levels of maps and lists; the numbers of a vector are on the seventh
_MOST_KINDS = 32  # of a set
_MOST_MOVES = 32  # entries under `moves`
_MOST_PAWNS = 1000  # a value
_FARTHEST = 7  # squares: nothing leads further on a board of 8 x 8

_PIECE_KEYS = ("name", "symbol", "value", "royal", "description", "moves", "special_rules")
_MOVE_KEYS = {  # by type; the first is its vectors
    "slide": ("directions", "range"),
    "leap": ("vectors",),
    "hop": ("directions", "hurdles", "land"),
}
_FLAGS = ("move_only", "capture_only", "initial_only")
_RULE_KEYS = {"en_passant": "P", "promotion": "P", "castling": "K"}  # with the piece they are for
_OTHER_SPELLINGS = {"hopper": "hop", "hurdle_count": "hurdles", "land_distance": "land"}


class PiecesError(GameError):
    """A piece file or a piece set that cannot be used."""


@dataclass(frozen=True)
class Move:
    """One way a piece moves; the fields are those of the core's Pattern."""

    kind: str  # slide, leap or hop
    vectors: tuple[tuple[int, int], ...]  # (right, forward)
    range: int = 0  # slide: steps at most, 0 for unlimited
    hurdles: int = 1  # hop: men to pass
    land: int = 0  # hop: squares beyond the last hurdle, 0 for any
    moves: bool = True
    captures: bool = True
    initial_only: bool = False


@dataclass(frozen=True)
class SpecialRules:
    """What only pawns and kings do; the fields are those of the core's Piece."""

    en_passant: bool = False
    promotion_rank: int = 0  # as the owner counts, 0 for no promotion
    promotion_options: tuple[str, ...] = ()  # symbols
    castles_kingside: bool = False
    castles_queenside: bool = False


@dataclass(frozen=True)
class NamedPiece:
    """A piece with its id, its description and the place it was read from."""

    id: str
    name: str
    symbol: str
    value: float  # in pawns
    royal: bool
    description: str  # one line, or empty
    moves: tuple[Move, ...]
    special_rules: SpecialRules
    file: str  # str(locate(source))
    line: int

    @property
    def piece(self) -> Piece:
        """The same for the core."""
        return Piece(
            name=self.id,
            symbol=self.symbol,
            value=self.value,
            royal=self.royal,
            patterns=[Pattern(**asdict(move)) for move in self.moves],
            **asdict(self.special_rules),
        )


@dataclass(frozen=True)
class PieceSet:
    """The pieces of a game: one king; no symbol, id or name twice, whatever the case."""

    pieces: tuple[NamedPiece, ...]

    def __iter__(self) -> Iterator[NamedPiece]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def core(self) -> list[Piece]:
        """What load_game takes."""
        return [piece.piece for piece in self.pieces]

    def find(self, symbol_or_id: str) -> NamedPiece:
        """The piece with this symbol, id or name, in any case. PiecesError if there is none."""
        word = symbol_or_id.casefold()
        for piece in self.pieces:
            if word in map(str.casefold, (piece.symbol, piece.id, piece.name)):
                return piece
        known = ", ".join(f"{piece.symbol} ({piece.id})" for piece in self.pieces)
        raise PiecesError(f"there is no piece {_quoted(symbol_or_id)}; the set has {known}")


def read_pieces(sources: Sequence[str] = ()) -> PieceSet:
    """The set that these sources make: names of shipped sets and paths of YAML files.

    The standard men come first, unless a file brings a king K of its own: then the files are a
    complete set. Naming a file twice changes nothing.
    """
    paths: dict[object, Path] = {}
    for source in sorted(sources, key=_reading_order):
        path = locate(source)
        paths.setdefault(_identity(path), path)
    drafts = [draft for path in paths.values() for draft in _read_file(path)]
    if not any(draft.piece.royal for draft in drafts):
        drafts = _read_file(locate("standard")) + drafts
    return _join(drafts)


def locate(source: str) -> Path:
    """The file that a source means."""
    if source in SHIPPED:
        return Path(__file__).parent / "data" / "pieces" / f"{source}.yaml"
    return Path(source)


def _reading_order(source: str) -> int:
    return SHIPPED.index(source) if source in SHIPPED else len(SHIPPED)


def _identity(path: Path) -> object:
    """Equal for two paths of one file."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # reading it will say what is wrong
        return path
    return status.st_dev, status.st_ino


# --- YAML values ---------------------------------------------------------------------------------


class _Value:
    """A YAML value that knows its place. It reads as what is wanted, or says what is wrong."""

    def __init__(self, node: yaml.Node, what: str, line: int = 0) -> None:
        self.node = node
        self.what = what  # its name in messages
        self.file: str = node.start_mark.name
        self.line: int = line or node.start_mark.line + 1

    def fail(self, wrong: str, todo: str) -> NoReturn:
        raise _error(self.file, self.line, f"{self.what} {wrong}", todo)

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
            return _quoted(self.node.value)
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

    def word(self, known: Collection[str]) -> str:
        text = self.text()
        text = _OTHER_SPELLINGS.get(text, text)
        if text not in known:
            self.fail(f"is {self.shown}", _suggestion(text, known))
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

    def pawns(self) -> float:
        plain = r"\+?((0|[1-9]\d*)?\.\d+|0|[1-9]\d*)"
        is_plain = self.is_scalar("int", "float") and re.fullmatch(plain, self.node.value)
        if not is_plain or float(self.node.value) > _MOST_PAWNS:
            remedy = f"give its worth in pawns, a number from 0 to {_MOST_PAWNS} such as 3.5"
            self.fail(f"is {self.shown}", remedy)
        return float(self.node.value)

    def items(self, most: int) -> "list[_Value]":
        if not self.is_list:
            self.fail(f"is {self.shown}", "give a list, in [brackets] or after dashes")
        nodes = self.node.value
        if len(nodes) > most:
            self.fail(f"has {len(nodes)} entries", f"at most {most} are allowed")
        return [_Value(node, f"entry {n} of {self.what}") for n, node in enumerate(nodes, 1)]

    def entries(self, what: str) -> "dict[str, tuple[_Value, _Value]]":
        """Key and value by the key's text, in the file's order."""
        if not isinstance(self.node, yaml.MappingNode):
            self.fail(f"is {self.shown}", "give a map: lines with a key, a colon and a value")
        found: dict[str, tuple[_Value, _Value]] = {}
        for key_node, node in self.node.value:
            key = _Value(key_node, what)
            name = key.text()
            if name in found:
                key.fail(f"{key.shown} is given twice", "keep one")
            found[name] = (key, _Value(node, name, key.line))
        return found

    def fields(self, known: Collection[str], required: Sequence[str] = ()) -> "dict[str, _Value]":
        found: dict[str, _Value] = {}
        for name, (key, value) in self.entries("key").items():
            name = name if name in known else _OTHER_SPELLINGS.get(name, name)
            if name not in known:
                key.fail(f"{key.shown} is unknown in {self.what}", _suggestion(name, known))
            if name in found:
                key.fail(f"{key.shown} is a second {name}", "keep one")
            found[name] = value
        for name in required:
            if name not in found:
                self.fail(f"has no {name}", f"add a line `{name}: ...`")
        return found


class _Loader(yaml.SafeLoader):
    """Composes YAML without what lets a small file grow: anchors, aliases, tags and depth."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if event.anchor is not None:
            raise _error(self.name, line, "& and * are not read here", "write the value out")
        if event.tag is not None:
            raise _error(self.name, line, "tags with ! are not read here", "take it out")
        if self.depth > _DEEPEST:
            raise _error(self.name, line, "this nests too deeply", "a vector is as deep as it gets")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _read_file(path: Path) -> "list[_Draft]":
    file = str(path)
    try:
        if not path.is_file():
            known = " or ".join(SHIPPED)
            raise _error(file, 1, "there is no such file", f"name a YAML file, or {known}")
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise _error(file, 1, f"cannot be read: {error.strerror}", "check the file") from None
    if len(data) > _MOST_BYTES:
        raise _error(file, 1, f"the file is over {_MOST_BYTES // 1024} KiB", "split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _error(file, line, "this is not UTF-8 text", "save the file as UTF-8") from None
    pieces = _Value(_compose(text, file), "the file", 1).entries("id")
    if not pieces:
        raise _error(file, 1, "the file defines no piece", "add one, or leave the file out")
    return [_read_piece(id_, body) for id_, body in pieces.values()]


def _compose(text: str, file: str) -> yaml.Node:
    remedy = "check quotes, brackets, colons and indentation (spaces, no tabs)"
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _error(file, line, "there is a control character", "take it out") from None
    loader.name = file
    try:
        node: yaml.Node | None = loader.get_single_node()
    except PiecesError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = str(error.problem)[:100]
        raise _error(file, line, f"this is not YAML: {problem}", remedy) from None
    except (ValueError, OverflowError):  # escapes and directives with impossible numbers
        raise _error(file, loader.line + 1, "this is not YAML: bad number", remedy) from None
    return node or yaml.ScalarNode("tag:yaml.org,2002:null", "", loader.get_mark())


def _error(file: str, line: int, wrong: str, todo: str) -> PiecesError:
    return PiecesError(f"{_printable(file)}:{line}: {_printable(wrong)}; {_printable(todo)}")


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _quoted(text: str) -> str:
    return f"'{_printable(text[:40])}{'...' if len(text) > 40 else ''}'"


def _suggestion(word: str, known: Collection[str]) -> str:
    nearest = difflib.get_close_matches(word[:40], known, n=1, cutoff=0)[0]
    return f"did you mean {nearest}? known: {', '.join(known)}"


# --- pieces --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Draft:
    """A piece that is right by itself, with the values that the rest of the set may refute."""

    piece: NamedPiece
    id: _Value
    words: Sequence[tuple[_Value, str]]  # that no other piece goes by
    options: Sequence[_Value]  # of its promotion


def _join(drafts: Sequence[_Draft]) -> PieceSet:
    standard = str(locate("standard"))
    has_own_king = any(draft.piece.royal and draft.piece.file != standard for draft in drafts)
    taken: dict[str, NamedPiece] = {}
    for count, draft in enumerate(drafts, 1):
        if count > _MOST_KINDS:
            draft.id.fail(f"is piece {count} of the set", f"leave at most {_MOST_KINDS}")
        for value, word in draft.words:
            other = taken.setdefault(word.casefold(), draft.piece)
            if other is not draft.piece:
                remedy = f"choose another {value.what}"
                if other.file == standard:
                    remedy += ", or leave the standard men out"
                    remedy += "" if has_own_king else ": they are once you define a king K"
                where = f"{other.file}:{other.line}"
                value.fail(f"{value.shown} is taken by the {other.id} of {where}", remedy)
    symbols = [draft.piece.symbol for draft in drafts if draft.piece.symbol not in ("K", "P")]
    for option in (option for draft in drafts for option in draft.options):
        if option.text() not in symbols:
            option.fail(
                f"is {option.shown}", f"give one of {', '.join(symbols) or 'the pieces you add'}"
            )
    return PieceSet(tuple(draft.piece for draft in drafts))


def _read_piece(id_: _Value, body: _Value) -> _Draft:
    if not re.fullmatch(r"[^\W\d_][\w-]{0,39}", id_.text()):
        id_.fail(f"is {id_.shown}", "give a letter, then up to 39 letters, digits, - or _")
    fields = body.fields(_PIECE_KEYS, required=("name", "symbol", "value", "moves"))
    symbol = _read_symbol(fields["symbol"])
    royal = "royal" in fields and fields["royal"].flag()
    value = fields["value"].pawns()
    if royal and symbol != "K":
        fields["royal"].fail(f"is true for {symbol}", "only the king K is royal: take it out")
    if symbol == "K" and not royal:
        fields.get("royal", fields["symbol"]).fail("makes a mortal king", "add royal: true")
    if royal and value != 0:
        fields["value"].fail(f"is {value:g}", "give the king 0: it is never traded")
    moves = tuple(map(_read_move, fields["moves"].items(_MOST_MOVES)))
    if all(move.initial_only for move in moves):
        wrong = "is initial_only throughout, so the piece gets stuck" if moves else "is empty"
        fields["moves"].fail(wrong, "add a slide, leap or hop that is always there")
    special_rules = SpecialRules()
    options: list[_Value] = []
    if "special_rules" in fields:
        special_rules, options = _read_special_rules(fields["special_rules"], symbol)
    piece = NamedPiece(
        id=id_.text(),
        name=fields["name"].sentence(60),
        symbol=symbol,
        value=value,
        royal=royal,
        description=fields["description"].sentence(1000) if "description" in fields else "",
        moves=moves,
        special_rules=special_rules,
        file=id_.file,
        line=id_.line,
    )
    words = ((fields["symbol"], symbol), (id_, piece.id), (fields["name"], piece.name))
    return _Draft(piece, id_, words, options)


def _read_symbol(value: _Value) -> str:
    symbol = value.text()
    if not 1 <= len(symbol) <= 2:
        value.fail(f"is {value.shown}", "give one or two characters")
    if any(letter in "/{}" or unicodedata.category(letter)[0] in "CMZ" for letter in symbol):
        value.fail(f"is {value.shown}", "give printable characters without space, / { or }")
    if symbol != symbol.upper():
        value.fail(f"is {value.shown}, lower case", f"give {_quoted(symbol.upper())}")
    return symbol


def _read_move(value: _Value) -> Move:
    keys = dict.fromkeys(key for keys in _MOVE_KEYS.values() for key in keys)
    fields = value.fields(("type", *keys, *_FLAGS), required=("type",))
    kind = fields["type"].word(_MOVE_KEYS)
    own = ("type", *_MOVE_KEYS[kind], *_FLAGS)
    for key, field in fields.items():
        if key not in own:
            field.fail(f"does not belong in a {kind}", f"a {kind} has {', '.join(own)}")
    vectors = _MOVE_KEYS[kind][0]
    if vectors not in fields:
        value.fail(f"is a {kind} without {vectors}", f"add {vectors}: [[right, forward], ...]")
    flags = {flag: flag in fields and fields[flag].flag() for flag in _FLAGS}
    if flags["move_only"] and flags["capture_only"]:
        fields["capture_only"].fail("stands beside move_only", "keep one, or neither for both")
    return Move(
        kind=kind,
        vectors=_read_vectors(fields[vectors]),
        range=fields["range"].whole(1, _FARTHEST, "unlimited") if "range" in fields else 0,
        hurdles=fields["hurdles"].whole(1, _FARTHEST) if "hurdles" in fields else 1,
        land=fields["land"].whole(1, _FARTHEST, "any") if "land" in fields else 0,
        moves=not flags["capture_only"],
        captures=not flags["move_only"],
        initial_only=flags["initial_only"],
    )


def _read_vectors(value: _Value) -> tuple[tuple[int, int], ...]:
    vectors: dict[tuple[int, int], None] = {}
    for item in value.items((2 * _FARTHEST + 1) ** 2):
        numbers = [number.whole(-_FARTHEST, _FARTHEST) for number in item.items(2)]
        if len(numbers) != 2:
            item.fail("is not a pair", "give [right, forward]")
        vector = (numbers[0], numbers[1])
        if vector == (0, 0):
            item.fail("is [0, 0] and leads nowhere", "take it out")
        if vector in vectors:
            item.fail(f"is {numbers} again", "take it out")
        vectors[vector] = None
    if not vectors:
        value.fail("is empty", "give pairs such as [[0, 1], [1, 0]]")
    return tuple(vectors)


def _read_special_rules(value: _Value, symbol: str) -> tuple[SpecialRules, list[_Value]]:
    rules: dict[str, _Value] = {}
    for part in value.items(len(_RULE_KEYS)) if value.is_list else [value]:
        for name, rule in part.fields(_RULE_KEYS).items():
            if name in rules:
                rule.fail("is given twice", "keep one")
            if symbol != _RULE_KEYS[name]:
                rule.fail(f"is on {symbol}", f"only {_RULE_KEYS[name]} can have it: take it out")
            rules[name] = rule
    rank, options, wings = 0, [], {}
    if "promotion" in rules:
        promotion = rules["promotion"].fields(("rank", "options"), required=("rank", "options"))
        rank = promotion["rank"].whole(3, 8)
        options = promotion["options"].items(_MOST_KINDS)
        if not options:
            promotion["options"].fail("is empty", "give symbols such as [Q, R, B, N]")
        for at, option in enumerate(options):
            if option.text() in [earlier.text() for earlier in options[:at]]:
                option.fail(f"is {option.shown} again", "take it out")
    if "castling" in rules:
        wings = rules["castling"].fields(("kingside", "queenside"))
    return SpecialRules(
        en_passant="en_passant" in rules and rules["en_passant"].flag(),
        promotion_rank=rank,
        promotion_options=tuple(option.text() for option in options),
        castles_kingside="kingside" in wings and wings["kingside"].flag(),
        castles_queenside="queenside" in wings and wings["queenside"].flag(),
    ), options
