"""Piece sets: YAML files in, checked pieces out.

A mistake in a file is a PiecesError of one line, "FILE:LINE: what is wrong; what to do". Files may
come from strangers: they are small, shallow, and free of anchors, aliases and tags.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rulezero._core import Game, GameError, Pattern, Piece, game_options, load_game
from rulezero.yaml_values import Value, quoted, read_file

SHIPPED = ("standard", "custom")  # the sets that come with the package, in reading order

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
_OTHER_SPELLINGS = {"hopper": "hop", "hurdle_count": "hurdles", "land_distance": "land"}
_FLAGS = ("move_only", "capture_only", "initial_only")
_RULE_KEYS = {"en_passant": "P", "promotion": "P", "castling": "K"}  # with the piece they are for


class PiecesError(GameError):
    """A piece file or a piece set that cannot be used: "FILE:LINE: what is wrong; what to do"."""


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
        raise PiecesError(f"there is no piece {quoted(symbol_or_id)}; the set has {known}")


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


def game_with(pieces: PieceSet) -> Game:
    """The game whose men are read from files, with these men."""
    options = game_options().items()
    name = next(name for name, keys in options if any(key[0] == "pieces" for key in keys))
    return load_game(name, {}, pieces.core)


def locate(source: str) -> Path:
    """The file that a source means."""
    if source in SHIPPED:
        return Path(__file__).parent / "data" / "pieces" / f"{source}.yaml"
    return Path(source).expanduser()


def _reading_order(source: str) -> int:
    return SHIPPED.index(source) if source in SHIPPED else len(SHIPPED)


def _identity(path: Path) -> object:
    """Equal for two paths of one file."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # reading it will say what is wrong
        return path
    return status.st_dev, status.st_ino


def _read_file(path: Path) -> "list[_Draft]":
    file = read_file(path, f"name a YAML file, or {' or '.join(SHIPPED)}", PiecesError)
    pieces = file.entries("id")
    if not pieces:
        file.fail("defines no piece", "add one, or leave the file out")
    return [_read_piece(id_, body) for id_, body in pieces.values()]


@dataclass(frozen=True)
class _Draft:
    """A piece that is right by itself, with the values that the rest of the set may refute."""

    piece: NamedPiece
    id: Value
    words: Sequence[tuple[Value, str]]  # that no other piece goes by
    options: Sequence[Value]  # of its promotion


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


def _read_piece(id_: Value, body: Value) -> _Draft:
    if not re.fullmatch(r"[^\W\d_][\w-]{0,39}", id_.text()):
        id_.fail(f"is {id_.shown}", "give a letter, then up to 39 letters, digits, - or _")
    fields = body.fields(_PIECE_KEYS, required=("name", "symbol", "value", "moves"))
    symbol = _read_symbol(fields["symbol"])
    royal = "royal" in fields and fields["royal"].flag()
    value = _read_pawns(fields["value"])
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
    options: list[Value] = []
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


def _read_symbol(value: Value) -> str:
    symbol = value.text()
    if not 1 <= len(symbol) <= 2:
        value.fail(f"is {value.shown}", "give one or two characters")
    if any(letter in "/{}" or unicodedata.category(letter)[0] in "CMZ" for letter in symbol):
        value.fail(f"is {value.shown}", "give printable characters without space, / { or }")
    if symbol != symbol.upper():
        value.fail(f"is {value.shown}, lower case", f"give {quoted(symbol.upper())}")
    return symbol


def _read_pawns(value: Value) -> float:
    plain = r"\+?((0|[1-9]\d*)?\.\d+|0|[1-9]\d*)"
    is_plain = value.is_scalar("int", "float") and re.fullmatch(plain, value.node.value)
    if not is_plain or float(value.node.value) > _MOST_PAWNS:
        remedy = f"give its worth in pawns, a number from 0 to {_MOST_PAWNS} such as 3.5"
        value.fail(f"is {value.shown}", remedy)
    return float(value.node.value)


def _read_move(value: Value) -> Move:
    keys = dict.fromkeys(key for keys in _MOVE_KEYS.values() for key in keys)
    fields = value.fields(("type", *keys, *_FLAGS), ("type",), _OTHER_SPELLINGS)
    kind = fields["type"].word(_MOVE_KEYS, _OTHER_SPELLINGS)
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


def _read_vectors(value: Value) -> tuple[tuple[int, int], ...]:
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


def _read_special_rules(value: Value, symbol: str) -> tuple[SpecialRules, list[Value]]:
    rules: dict[str, Value] = {}
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
