"""The editors of pieces and of positions. They accept text of visitors, but no names of files."""

import re
import threading
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Annotated

import msgspec
from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

import rulezero as rz
from rulezero.games import drawing, pieces, reach
from rulezero.web import shown
from rulezero.web.gate import AnyVisitor, At, Host
from rulezero.web.levels import Field as TextField
from rulezero.web.levels import Offer, offer_of, offers, seats_of
from rulezero.web.limits import MOST_BYTES
from rulezero.web.wording import for_page

router = APIRouter()
_one_at_a_time = threading.Lock()  # long texts take a second, in which others still play

Own = Annotated[str | None, Field(max_length=MOST_BYTES)]  # pieces as YAML
_Short = Annotated[str, Field(max_length=60)]
_Text = Annotated[str, Field(max_length=2000)]


class PiecesWanted(BaseModel):
    """Pieces that are to be checked and drawn."""

    model_config = ConfigDict(extra="forbid")
    pieces: Annotated[str, Field(max_length=MOST_BYTES)]
    pool: Annotated[list[_Short], Field(max_length=64)] = []  # symbols or ids; []: all
    back_rank: Annotated[list[_Short], Field(max_length=26)] = []  # []: a random one
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 0


class GameWanted(BaseModel):
    """A game whose positions are to be edited."""

    model_config = ConfigDict(extra="forbid")
    game: _Text
    pieces: Own = None
    text: Annotated[str, Field(max_length=4000)] | None = None  # a position; or:
    cells: Annotated[list[list[tuple[_Short, int]]], Field(max_length=99)] = []  # men and seats
    fields: Annotated[list[_Text], Field(max_length=16)] = []  # behind the men


class TryWanted(BaseModel):
    """Choices of a person who tries the rules."""

    model_config = ConfigDict(extra="forbid")
    game: _Text
    pieces: Own = None
    start: _Text | None = None
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 0
    actions: Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(max_length=200)] = []


class Problem(msgspec.Struct, frozen=True):
    """A mistake in the pieces."""

    line: int | None
    words: str


class DiagramShown(msgspec.Struct, frozen=True):
    """A piece in the middle of a board of 2 radius + 1 squares, and what it reaches."""

    radius: int
    targets: list[tuple[int, int, str, bool]]  # right, forward, what it may do, only at first
    hurdles: list[tuple[int, int]]


class PieceShown(msgspec.Struct, frozen=True):
    """A piece of a set."""

    id: str
    name: str
    symbol: str
    value: float
    description: str
    royal: bool
    drawable: bool  # whether a random back rank may have it
    line: int | None  # of the visitor's text; none: a standard piece
    rules: list[str]  # special rules in words
    diagrams: list[DiagramShown]


class PiecesShown(msgspec.Struct, frozen=True):
    """What a text with pieces means, or its first mistake."""

    problem: Problem | None = None
    pieces: list[PieceShown] = []
    pictures: dict[str, str] = {}
    text: str = ""  # the game, to be played with these pieces
    game: shown.Meta | None = None
    start: shown.Position | None = None
    start_problem: str | None = None  # why there is no start position


class Man(msgspec.Struct, frozen=True):
    """A man that can be put onto the board."""

    man: str
    seat: int
    name: str
    note: str  # of a fresh man


class EditorShown(msgspec.Struct, frozen=True):
    """What the editor of a game's positions offers."""

    game: shown.Meta
    start: str
    men: list[Man]
    fields: tuple[TextField, ...]  # (): positions are edited as text only


class Edited(msgspec.Struct, frozen=True):
    """A position being edited."""

    text: str
    problem: str | None
    cells: list[list[tuple[str, int, str]]] | None  # man, seat and note; none: unreadable
    fields: list[str]
    position: shown.Position | None


def _answer(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _opened(wanted: GameWanted | TryWanted, host: Host) -> rz.Game:
    """The game that a visitor names, perhaps with own pieces."""
    if wanted.pieces is None:
        return host.games.open(wanted.game)
    with _one_at_a_time:
        return host.games.open(wanted.game, wanted.pieces)


# --- pieces --------------------------------------------------------------------------------------


@router.get("/api/pieces")
def shipped() -> Response:
    """Texts to start from, and names of drawings that pieces may have."""
    drawings = {name: drawing.shapes(name) for name in drawing.PICTURES}
    return _answer({"sets": _texts(), "drawings": drawings})


@router.post("/api/pieces")
def check_pieces(wanted: PiecesWanted, _: AnyVisitor) -> Response:
    """Reads pieces: how they move, a start position, or the first mistake with its line."""
    with _one_at_a_time:
        try:
            loaded = pieces.read_pieces(own=wanted.pieces)
        except rz.PiecesError as error:
            return _answer(PiecesShown(_problem(str(error))))
        return _answer(_described(loaded, wanted))


def _described(loaded: pieces.PieceSet, wanted: PiecesWanted) -> PiecesShown:
    found = PiecesShown(
        pieces=[_piece(piece) for piece in loaded], pictures=drawing.resolved(loaded.pictures)
    )
    try:
        pool = [loaded.find(each).id for each in wanted.pool]
        rank = "".join(_written(loaded.find(each).symbol, 0) for each in wanted.back_rank)
        options = {"pool": "+".join(dict.fromkeys(pool))} if pool else {}
        game = pieces.game_with(loaded, **options)
        start = {"back_rank": rank} if rank else {}
        state = game.start(seed=wanted.seed, **start)
    except rz.RulezeroError as error:
        return msgspec.structs.replace(found, start_problem=str(error))
    meta = shown.meta(game)
    name = game.facts.name
    return msgspec.structs.replace(
        found,
        text=f"{name}:pool={options['pool']}" if pool else name,
        game=msgspec.structs.replace(meta, pictures=meta.pictures | found.pictures),
        start=shown.position(state, is_asked=not state.is_over),
    )


def _problem(words: str) -> Problem:
    """A message "your pieces:7: what is wrong; what to do" in parts."""
    for name in pieces.SHIPPED:
        words = words.replace(str(pieces.locate(name)), f"the {name} pieces")
    words = re.sub(r"(the \w+ pieces):(\d+)", r"\1", words)
    match = re.match(rf"{pieces.OWN}:(\d+): ", words)
    if match is None:
        return Problem(None, for_page(words))
    rest = words[match.end() :]
    return Problem(int(match[1]), for_page(re.sub(rf"{pieces.OWN}:(\d+)", r"line \1", rest)))


def _piece(piece: pieces.NamedPiece) -> PieceShown:
    return PieceShown(
        id=piece.id,
        name=piece.name,
        symbol=piece.symbol,
        value=piece.value,
        description=piece.description,
        royal=piece.royal,
        drawable=not piece.royal and piece.symbol != "P",
        line=piece.line if piece.file == pieces.OWN else None,
        rules=piece.rules,
        diagrams=[_diagram(each) for each in reach.diagrams(piece)],
    )


def _diagram(found: reach.Diagram) -> DiagramShown:
    return DiagramShown(
        radius=found.radius,
        targets=[(*square, _what(each), each.is_first) for square, each in found.targets.items()],
        hurdles=sorted(found.hurdles),
    )


def _what(target: reach.Target) -> str:
    if target.moves and target.captures:
        return "both"
    return "move" if target.moves else "capture"


@cache
def _texts() -> dict[str, str]:
    """Texts with pieces to start from: an example, and the sets of the package."""
    example = (resources.files("rulezero.web") / "pieces.yaml").read_text(encoding="utf-8")
    sets = {name: pieces.locate(name).read_text(encoding="utf-8") for name in pieces.SHIPPED}
    return {"example": example, **sets}


# --- positions -----------------------------------------------------------------------------------


@router.post("/api/editor")
def editor(wanted: GameWanted, host: At, _: AnyVisitor) -> Response:
    """What the editor of a game's positions offers: men and fields."""
    game = _opened(wanted, host)
    offer = offer_of(game)
    start = game.start()
    notes = {(cell.man.upper(), cell.seat): cell.note for row in start.cells() for cell in row}
    order = [man for man, _ in notes]  # as they stand in the start position
    men = [
        Man(man, seat, name, notes.get((man, seat), ""))
        for man, seat, name in sorted(
            _men(game, wanted.pieces),
            key=lambda each: order.index(each[0]) if each[0] in order else len(order),
        )
    ]
    is_known = game.facts.name in offers() and bool(offer.fields)
    return _answer(EditorShown(shown.meta(game), start.text, men if is_known else [], offer.fields))


@router.post("/api/try")
def attempt(wanted: TryWanted, host: At, _: AnyVisitor) -> Response:
    """The position after these choices, with the legal choices of the next mover or die."""
    game = _opened(wanted, host)
    start = game.start(seed=wanted.seed).text if wanted.start is None else wanted.start
    state = game.replay(start, wanted.actions)
    return _answer(shown.position(state, is_asked=not state.is_over))


@router.post("/api/edit")
def edit(wanted: GameWanted, host: At, _: AnyVisitor) -> Response:
    """A position put together from men and fields, or read from its text; and what is wrong."""
    game = _opened(wanted, host)
    offer = offer_of(game)
    fields = offer.fields
    text = _composed(wanted, offer) if wanted.text is None else " ".join(wanted.text.split())
    men, *values = text.split(" ")
    values += [_default(field) for field in fields[len(values) :]]
    try:
        state = game.parse(text)
    except rz.RulezeroError as error:
        cells = _read_men(men, offer, *game.facts.board)
        return _answer(Edited(text, str(error), cells, values, None))
    men, *values = state.text.split(" ")
    values += [_default(field) for field in fields[len(values) :]]
    position = shown.position(state, is_asked=not state.is_over)
    return _answer(Edited(state.text, None, position.cells, values, position))


def _men(game: rz.Game, own: str | None) -> list[tuple[str, int, str]]:
    """The men that positions may have: symbol, seat and name."""
    offer = offer_of(game)
    if offer.men:
        return [(man, seat, seats_of(game)[seat]) for seat, man in enumerate(offer.men)]
    names = {**game.facts.pictures, **offer.names}
    if own is not None:
        names = {piece.symbol: piece.name for piece in pieces.read_pieces(own=own)}
    return [(man, seat, name) for seat in (0, 1) for man, name in names.items()]


def _written(man: str, seat: int) -> str:
    """A man as the text of a position has it."""
    if re.fullmatch("[A-Za-z]", man):
        return man.lower() if seat == 1 else man.upper()
    return f"{{{'wb'[seat == 1]}{man}}}"


def _composed(wanted: GameWanted, offer: Offer) -> str:
    """The text of a position with these men and fields."""
    rows = []
    for row in wanted.cells:
        squares = [
            "" if not man else man if man in offer.men else _written(man, seat) for man, seat in row
        ]
        runs = [(is_man, list(run)) for is_man, run in groupby(squares, key=bool)]
        rows.append("".join("".join(run) if is_man else str(len(run)) for is_man, run in runs))
    values = ["".join(value.split()) for value in wanted.fields]
    required = sum(not field.optional for field in offer.fields)
    while len(values) > required and not values[-1]:
        values.pop()
    return " ".join(["/".join(rows), *(value or "-" for value in values)])


def _default(field: TextField) -> str:
    return "" if field.optional else next(iter(field.values), "-")


def _read_men(
    text: str, offer: Offer, rows: int, columns: int
) -> list[list[tuple[str, int, str]]] | None:
    """The men of a position that the rules refuse, to show them; None if they do not fit."""
    cells: list[list[tuple[str, int, str]]] = []
    for row in text.split("/"):
        line: list[tuple[str, int, str]] = []
        for number, letter, seat, symbol in re.findall(r"(\d+)|([A-Za-z])|\{([wb])([^}]+)\}", row):
            if number:
                line += [("", -1, "")] * min(int(number), columns + 1)
            elif letter:
                own = letter in offer.men
                line.append((letter, offer.men.index(letter) if own else letter.islower(), ""))
            else:
                line.append((symbol, int(seat == "b"), ""))
        cells.append(line)
    fits = len(cells) == rows and all(len(line) == columns for line in cells)
    return cells if fits else None
