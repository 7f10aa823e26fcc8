"""Reads piece sets from YAML files and checks them.

A mistake in a file raises PiecesError with one line, "FILE:LINE: what is wrong; what to do". Files
may be untrusted: large files, deep nesting, anchors, aliases and tags are errors.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from rulezero._core import Game, GameError, Pattern, Piece, game_options, load_game
from rulezero.games import drawing
from rulezero.settings import GIVE_MAP, Settings, mistake, number, quoted, sentence, whole
from rulezero.yaml_files import Document, read_file, text_of

SHIPPED = ("standard", "custom")  # the sets that come with the package, in reading order
OWN = "your pieces"  # the name of a text that is not in a file, in messages

_MOST_KINDS = 32  # pieces in a set
_FARTHEST = 7  # squares: nothing leads further on a board of 8 x 8
_OWNERS = {"en_passant": "P", "promotion": "P", "castling": "K"}  # symbols with special rules


class PiecesError(GameError):
    """A piece file or a piece set that cannot be used: "FILE:LINE: what is wrong; what to do"."""


def _distinct(example: str) -> AfterValidator:
    """Allows only lists that are not empty and have no entry twice."""

    def check(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        if not entries:
            raise mistake("is empty", f"give {example}")
        for at, entry in enumerate(entries):
            if entry in entries[:at]:
                shown = quoted(entry) if isinstance(entry, str) else list(entry)
                raise mistake(f"is {shown} again", "take it out", at)
        return entries

    return AfterValidator(check)


def _vector(given: Any) -> Any:
    if isinstance(given, list) and len(given) != 2:
        raise mistake("is not a pair", "give [right, forward]")
    if given == [0, 0]:
        raise mistake("is [0, 0] and leads nowhere", "take it out")
    return given


def _symbol(symbol: str) -> str:
    if not 1 <= len(symbol) <= 2:
        raise mistake("", "give one or two characters")
    if any(letter in "/{}" or unicodedata.category(letter)[0] in "CMZ" for letter in symbol):
        raise mistake("", "give printable characters without space, / { or }")
    if symbol != symbol.upper():
        raise mistake(f"is {quoted(symbol)}, lower case", f"give {quoted(symbol.upper())}")
    return symbol


def _id(text: str) -> str:
    if not re.fullmatch(r"[^\W\d_][\w-]{0,39}", text):
        raise mistake("is not an id", "give a letter, then up to 39 letters, digits, - or _")
    return text


Flag = Annotated[bool, Field(strict=True)]
_Steps = Annotated[int, whole(-_FARTHEST, _FARTHEST)]
Vector = Annotated[tuple[_Steps, _Steps], BeforeValidator(_vector)]  # right, forward
Vectors = Annotated[tuple[Vector, ...], _distinct("pairs such as [[0, 1], [1, 0]]")]


class Move(Settings):
    """One way a piece moves."""

    type: str
    vectors: Vectors
    move_only: Flag = False
    capture_only: Flag = False
    initial_only: Flag = False

    @model_validator(mode="after")
    def _moves_or_captures(self) -> "Move":
        if self.move_only and self.capture_only:
            todo = "keep one, or neither to allow both"
            raise mistake("contradicts move_only", todo, "capture_only")
        return self

    @property
    def pattern(self) -> Pattern:
        """The move in the core's form."""
        return Pattern(
            kind=self.type,
            vectors=self.vectors,
            moves=not self.capture_only,
            captures=not self.move_only,
            **self.model_dump(include={"initial_only", "range", "hurdles", "land"}),
        )


class Leap(Move):
    """Jumps straight to a square, whatever is in between."""

    type: Literal["leap"] = "leap"


class Slide(Move):
    """Moves step by step until a man is in the way."""

    type: Literal["slide"] = "slide"
    vectors: Vectors = Field(validation_alias="directions")
    range: Annotated[int, whole(1, _FARTHEST, zero="unlimited")] = 0  # most steps; 0: no limit


class Hop(Move):
    """Passes over other men."""

    type: Annotated[Literal["hop", "hopper"], AfterValidator(lambda _: "hop")] = "hop"
    vectors: Vectors = Field(validation_alias="directions")
    hurdles: Annotated[int, whole(1, _FARTHEST)] = Field(  # men to pass over
        1, validation_alias=AliasChoices("hurdles", "hurdle_count")
    )
    land: Annotated[int, whole(1, _FARTHEST, zero="any")] = Field(  # squares beyond the last man
        0, validation_alias=AliasChoices("land", "land_distance")
    )


class Promotion(Settings):
    """Where a pawn promotes, and to what."""

    rank: Annotated[int, whole(3, 8)]  # counted from the owner's side; 0: no promotion
    options: Annotated[  # symbols
        tuple[str, ...],
        Field(max_length=_MOST_KINDS),
        _distinct("symbols such as [Q, R, B, N]"),
    ]


class Castling(Settings):
    """The sides on which a king may castle."""

    kingside: Flag = False
    queenside: Flag = False


class SpecialRules(Settings):
    """Rules that only pawns and kings may have."""

    en_passant: Flag = False
    promotion: Promotion = Promotion.model_construct(rank=0, options=())
    castling: Castling = Castling()


class _Entry(Settings):
    """A piece as a file describes it."""

    name: Annotated[str, sentence(60)]
    symbol: Annotated[str, AfterValidator(_symbol)]
    value: Annotated[float, number(0, 1000, what="number of pawns")]
    royal: Flag = False
    description: Annotated[str, sentence(1000)] = ""
    picture: Annotated[str, AfterValidator(drawing.checked)] = ""  # a name or SVG; "": none
    moves: tuple[Annotated[Slide | Leap | Hop, Field(discriminator="type")], ...] = Field(
        max_length=32
    )
    special_rules: SpecialRules = SpecialRules()

    @field_validator("special_rules", mode="before")
    @classmethod
    def _suit_the_symbol(cls, given: Any, info: ValidationInfo) -> Any:
        """The rules, merged if they are a list of maps; only pawns and kings may have them."""
        rules: dict[str, Any] = {}
        for at, part in enumerate(given if isinstance(given, list) else ()):
            if not isinstance(part, dict):
                raise mistake("", GIVE_MAP, at)
            if twice := sorted(rules.keys() & part.keys()):
                raise mistake("is given twice", "keep one", twice[0])
            rules |= part
        rules = given if isinstance(given, dict) else rules
        symbol = info.data.get("symbol")
        for name in rules:
            if symbol not in (None, owner := _OWNERS.get(name, symbol)):
                raise mistake(f"is for {symbol}", f"only {owner} can have it: take it out", name)
        return rules if isinstance(given, list) else given

    @model_validator(mode="after")
    def _moves_and_is_king_or_not(self) -> "_Entry":
        if all(move.initial_only for move in self.moves):
            stuck = "has only initial_only entries, so the piece gets stuck"
            todo = "add a slide, leap or hop without initial_only"
            raise mistake(stuck if self.moves else "is empty", todo, "moves")
        if self.royal and self.symbol != "K":
            todo = "only the king K is royal: take it out"
            raise mistake(f"is true for {self.symbol}", todo, "royal")
        if self.symbol == "K" and not self.royal:
            given = "royal" if "royal" in self.model_fields_set else "symbol"
            raise mistake("makes a king that is not royal", "add royal: true", given)
        if self.royal and self.value != 0:
            raise mistake(f"is {self.value:g}", "give the king 0, as it is never traded", "value")
        return self


class NamedPiece(_Entry):
    """A piece with its id and the place from which it was read."""

    id: str
    file: str  # str(locate(source))
    line: int

    @property
    def rules(self) -> list[str]:
        """The special rules in words."""
        rules = self.special_rules
        words = ["captures en passant"] if rules.en_passant else []
        if rules.promotion.rank:
            options = " ".join(rules.promotion.options)
            words.append(f"promotes on rank {rules.promotion.rank} to {options}")
        if wings := [wing for wing, castles in rules.castling if castles]:
            words.append(f"castles {' and '.join(wings)}")
        return words

    @property
    def piece(self) -> Piece:
        """The piece in the core's form."""
        rules = self.special_rules
        return Piece(
            name=self.id,
            symbol=self.symbol,
            value=self.value,
            royal=self.royal,
            patterns=[move.pattern for move in self.moves],
            en_passant=rules.en_passant,
            promotion_rank=rules.promotion.rank,
            promotion_options=rules.promotion.options,
            castles_kingside=rules.castling.kingside,
            castles_queenside=rules.castling.queenside,
        )


@dataclass(frozen=True)
class PieceSet:
    """The pieces of a game: one king; symbols, ids and names are unique, ignoring case."""

    pieces: tuple[NamedPiece, ...]

    def __iter__(self) -> Iterator[NamedPiece]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def core(self) -> list[Piece]:
        """The pieces in the core's form, for load_game."""
        return [piece.piece for piece in self.pieces]

    @property
    def pictures(self) -> dict[str, str]:
        """The pictures that the pieces name or bring as SVG, by symbol."""
        return {piece.symbol: piece.picture for piece in self.pieces if piece.picture}

    def find(self, symbol_or_id: str) -> NamedPiece:
        """The piece with this symbol, id or name, in any case. PiecesError if there is none."""
        word = symbol_or_id.casefold()
        for piece in self.pieces:
            if word in map(str.casefold, (piece.symbol, piece.id, piece.name)):
                return piece
        known = ", ".join(f"{piece.symbol} ({piece.id})" for piece in self.pieces)
        raise PiecesError(f"there is no piece {quoted(symbol_or_id)}; the set has {known}")


def read_pieces(sources: Sequence[str] = (), own: str | None = None) -> PieceSet:
    """The set of pieces from these sources: names of shipped sets and paths of YAML files.

    `own` is the text of one more file, which has no name. The standard men are added first, unless
    a file defines its own king K: then the files must be a complete set. A file that is named twice
    is read once.
    """
    paths: dict[object, Path] = {}
    for source in sorted(sources, key=_reading_order):
        path = locate(source)
        paths.setdefault(_identity(path), path)
    drafts = [draft for path in paths.values() for draft in _read_file(path)]
    if own is not None:
        drafts += _read(text_of(own.encode(), OWN, PiecesError))
    if not any(piece.royal for _, piece in drafts):
        drafts = _read_file(locate("standard")) + drafts
    return _join(drafts)


def game_with(pieces: PieceSet, **options: str) -> Game:
    """The game that reads its pieces from files (random_chess), with these pieces."""
    known = game_options().items()
    name = next(name for name, keys in known if any(key[0] == "pieces" for key in keys))
    return load_game(name, options, pieces.core)


def locate(source: str) -> Path:
    """The path of a source's file."""
    if source in SHIPPED:
        return Path(__file__).parent / "data" / "pieces" / f"{source}.yaml"
    return Path(source).expanduser()


def _reading_order(source: str) -> int:
    return SHIPPED.index(source) if source in SHIPPED else len(SHIPPED)


def _identity(path: Path) -> object:
    """A value that is equal for two paths of the same file."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # reading the file reports this
        return path
    return status.st_dev, status.st_ino


def _read_file(path: Path) -> list[tuple[Document, NamedPiece]]:
    return _read(read_file(path, f"name a YAML file, or {' or '.join(SHIPPED)}", PiecesError))


def _read(file: Document) -> list[tuple[Document, NamedPiece]]:
    if isinstance(file.data, dict) and len(file.data) > _MOST_KINDS:  # many mistakes take long
        words = f"this is piece {_MOST_KINDS + 1} of the set; keep at most {_MOST_KINDS}"
        raise file.wrong(([*file.data][_MOST_KINDS],), words)
    entries = file.read(dict[Annotated[str, AfterValidator(_id)], _Entry])
    if not entries:
        raise file.wrong((), "the file defines no piece; add one, or leave the file out")
    return [
        (
            file,
            NamedPiece.model_construct(
                **dict(entry), id=id_, file=file.name, line=file.line((id_,)) or 1
            ),
        )
        for id_, entry in entries.items()
    ]


def _join(drafts: Sequence[tuple[Document, NamedPiece]]) -> PieceSet:
    standard = str(locate("standard"))
    has_own_king = any(piece.royal and piece.file != standard for _, piece in drafts)
    taken: dict[str, NamedPiece] = {}
    for count, (file, piece) in enumerate(drafts, 1):
        if count > _MOST_KINDS:
            words = f"this is piece {count} of the set; keep at most {_MOST_KINDS}"
            raise file.wrong((piece.id,), words)
        for key in ("symbol", "id", "name"):
            word = getattr(piece, key)
            other = taken.setdefault(word.casefold(), piece)
            if other is not piece:
                remedy = f"choose another {key}"
                if other.file == standard:
                    remedy += ", or leave the standard men out"
                    remedy += "" if has_own_king else ": define a king K of your own for that"
                wrong = f"{key} {quoted(word)} is taken by the {other.id} of"
                where = f"{other.file}:{other.line}"
                raise file.wrong((piece.id, key), f"{wrong} {where}; {remedy}")
    symbols = [piece.symbol for _, piece in drafts if piece.symbol not in ("K", "P")]
    for file, piece in drafts:
        for at, option in enumerate(piece.special_rules.promotion.options):
            if option not in symbols:
                place = (piece.id, "special_rules", "promotion", "options", at)
                words = f"entry {at + 1} of options is {quoted(option)}; give one of"
                raise file.wrong(place, f"{words} {', '.join(symbols) or 'the pieces you add'}")
    return PieceSet(tuple(piece for _, piece in drafts))
