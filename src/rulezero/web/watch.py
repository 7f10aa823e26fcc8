"""Recorded games for the page: lists, one game with its thoughts, and downloads; for the owner."""

import re
import time
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Annotated, Literal, NamedTuple

import msgspec
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse

import rulezero as rz
from rulezero.data import Record, jsonl, pgn, steps_of
from rulezero.web import recorded, shown
from rulezero.web.games import kept_game
from rulezero.web.gate import At, Host, owner
from rulezero.web.levels import say_result
from rulezero.web.library import Contents, Facets, Library, Plies, Row, Shelf, Wanted

router = APIRouter(prefix="/api/stores", dependencies=[Depends(owner)])

_PAGE = 50  # games of a page of the list
_PATIENCE = 1.0  # seconds that a list waits for an index
_COUNTED_BYTES = 64 << 20  # stores are counted without being opened up to this size of all
_SENT_BYTES = 300_000  # positions of a game that are sent at once; of longer games, slices are
_SLICE = 100  # positions
_MOST_DOWNLOADED = 1_000  # games
_MOST_CHANNELS = 1_000  # planes of a position
_SEATS = "seat 0", "seat 1"


class PageWanted(Wanted):
    """A page of the wanted games."""

    page: Plies = 0


class StoreShown(msgspec.Struct, frozen=True):
    """A store in the list."""

    id: str
    name: str
    kind: Literal["run", "store"]
    bytes: int
    games: int | None  # None: not counted
    read: float  # share of the store that is counted


class RowShown(msgspec.Struct, frozen=True):
    """A game in the list."""

    row: Row
    title: str  # of the rules
    winner: str  # "0", "1", "drawn" or "unknown"
    result: str  # in words


class Listed(msgspec.Struct, frozen=True):
    """A page of the games of a store."""

    store: StoreShown
    found: int  # games that meet the conditions
    page: int
    pages: int
    rows: list[RowShown]
    facets: Facets
    damaged: int  # records that were skipped
    problems: tuple[str, ...]  # the first of them


class Slice(msgspec.Struct, frozen=True):
    """Some positions of a game, from number `first` on."""

    first: int
    positions: list[shown.Position]


class Again(msgspec.Struct, frozen=True):
    """The game as the page begins it."""

    game: str
    pieces: str | None = None  # pasted ones


class GameShown(msgspec.Struct, frozen=True):
    """A recorded game."""

    id: str
    store: str
    game: shown.Meta
    record: jsonl.Whole  # what the record says of the whole game
    result: str  # in words
    actions: list[int]
    plies: list[shown.PlyShown]
    minds: list[recorded.Mind]
    slice: Slice
    total: int  # positions
    again: Again
    pgn: bool  # whether the game can be written as PGN


class Opened(NamedTuple):
    """A record, replayed."""

    record: Record
    game: rz.Game
    states: tuple[rz.State, ...]  # one more than plies


_LIBRARIES: dict[object, Library] = {}


def library_of(host: At) -> Library:
    """The library of the owner's folder."""
    return _LIBRARIES.setdefault(host.place, Library(host.place))


def shelf_of(store: str, library: Annotated[Library, Depends(library_of)]) -> Shelf:
    """The store of a request."""
    return library.shelf(store)


AtShelf = Annotated[Shelf, Depends(shelf_of)]


@router.get("")
def stores(library: Annotated[Library, Depends(library_of)]) -> Response:
    """The stores, with the number of games of those that are small enough to be counted."""
    found = []
    total = 0
    until = time.monotonic() + _PATIENCE / 2
    for shelf in library.shelves():
        size = shelf.size()
        total += size
        patience = max(0.0, until - time.monotonic())
        contents = shelf.contents(patience) if total <= _COUNTED_BYTES else shelf.known
        found.append(_store_shown(shelf, contents, size))
    return _json({"stores": found})


@router.get("/{store}/games")
def games(shelf: AtShelf, wanted: Annotated[PageWanted, Query()], host: At) -> Response:
    """A page of the games, newest first."""
    contents = shelf.contents(_PATIENCE)
    rows = list(wanted.select(contents.rows))
    pages = max(1, -(-len(rows) // _PAGE))
    page = min(wanted.page, pages - 1)
    listed = Listed(
        store=_store_shown(shelf, contents, shelf.size()),
        found=len(rows),
        page=page,
        pages=pages,
        rows=[_row_shown(row, host) for row in rows[page * _PAGE : (page + 1) * _PAGE]],
        facets=contents.facets,
        damaged=len(contents.problems),
        problems=contents.problems[:5],
    )
    return _json(listed)


@router.get("/{store}/games/{record}")
def game(shelf: AtShelf, record: str, host: At) -> Response:
    """One game: what was chosen and thought, and its positions or the first of them."""
    opened = _open(shelf, record, host)
    notes = shelf.notes(record)
    played = list(steps_of(opened.record, notes, game=opened.game))
    judges = list(dict.fromkeys(note.judge for note in notes))
    mine, facts = opened.record, opened.game.facts
    return _json(
        GameShown(
            id=record,
            store=shelf.name,
            game=shown.meta(opened.game),
            record=_whole(mine),
            result=say_result(mine.outcome, mine.end_reason, opened.game),
            actions=mine.action_numbers().tolist(),
            plies=shown.plies(opened.states[-1], mine.opening),
            minds=recorded.minds(played, judges, mine.opening),
            slice=_slice(opened, 0, len(opened.states), _SENT_BYTES),
            total=len(opened.states),
            again=_again(mine.game, host),
            pgn=bool(facts.pgn_variants),
        )
    )


@router.get("/{store}/games/{record}/positions")
def positions(shelf: AtShelf, record: str, host: At, first: Plies = 0) -> Response:
    """Some positions of a game."""
    return _json(_slice(_open(shelf, record, host), first, _SLICE, 2 * _SENT_BYTES))


@router.get("/{store}/games/{record}/planes")
def planes(shelf: AtShelf, record: str, host: At, ply: Plies = 0) -> Response:
    """The input of a net at a position. Rows are counted from the bottom of the board."""
    state = _state(_open(shelf, record, host), ply)
    if state.is_over or state.mover == rz.CHANCE:
        why = "the game is over" if state.is_over else "the die rolls"
        raise rz.RecordError(f"a net does not see this position: {why}")
    values = state.planes()
    channels = values.shape[0]
    flat = values[:_MOST_CHANNELS].reshape(min(channels, _MOST_CHANNELS), -1)
    names = state.game.facts.plane_names[:_MOST_CHANNELS]
    return _json({"shape": values.shape, "names": names, "planes": flat.round(3).tolist()})


@router.get("/{store}/games/{record}/board.svg")
def board(shelf: AtShelf, record: str, host: At, ply: Plies = 0, flipped: bool = False) -> Response:
    """The board of a position as an image."""
    state = _state(_open(shelf, record, host), ply)
    drawn = rz.svg(state, is_flipped=flipped, size=600)
    return _file(drawn, "image/svg+xml", f"{_named(state.game)}_{record[:8]}_{ply}.svg")


@router.get("/{store}/games/{record}/game.{form}")
def download(shelf: AtShelf, record: str, host: At, form: Literal["jsonl", "pgn"]) -> Response:
    """The game as lines of JSON, or as PGN if it has SAN."""
    mine, game, _ = _open(shelf, record, host)
    text = pgn.text_of(mine, game).encode() if form == "pgn" else b"".join(_lines(mine, game))
    return _file(text, "text/plain", f"{_named(game)}_{record[:8]}.{form}")


@router.get("/{store}/games.jsonl")
def games_jsonl(shelf: AtShelf, wanted: Annotated[Wanted, Query()], host: At) -> Response:
    """The first wanted games as lines of JSON. Damaged ones are left out."""
    rows = islice(wanted.select(shelf.contents(_PATIENCE).rows), _MOST_DOWNLOADED)

    def lines() -> Iterator[bytes]:
        for row in rows:
            try:
                yield b"".join(_lines(shelf.record(row), _game_of(row.game, host)))
            except rz.RulezeroError:
                continue

    name = re.sub(r"[^\w.-]+", "_", shelf.name)
    return StreamingResponse(lines(), headers=_attached(f"{name}.jsonl"), media_type="text/plain")


def _json(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _file(content: str | bytes, kind: str, name: str) -> Response:
    """A file to keep."""
    return Response(content, media_type=kind, headers=_attached(name))


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _named(game: rz.Game) -> str:
    return re.sub(r"\W+", "_", game.facts.name)[:40]


def _lines(record: Record, game: rz.Game) -> Iterator[bytes]:
    for line in jsonl.lines_of(record, game):
        yield msgspec.json.encode(line) + b"\n"


def _store_shown(shelf: Shelf, contents: Contents, size: int) -> StoreShown:
    games = len(contents.rows) if contents.read > 0 else None
    return StoreShown(shelf.id, shelf.name, shelf.kind, size, games, contents.read)


def _row_shown(row: Row, host: Host) -> RowShown:
    try:
        result = say_result(row.outcome, row.end_reason, _game_of(row.game, host))
    except rz.RulezeroError:
        result = rz.view.say_result(row.outcome, row.end_reason, _SEATS)
    kept = kept_game(row.game, host.people)
    title = rz.view.title(row.game) if kept is None else f"{kept.text}, own pieces"
    return RowShown(row, title, row.result, result)


def _game_of(text: str, host: Host) -> rz.Game:
    """The game of a record: one of the page, or one whose rules were run here before."""
    try:
        return rz.data.game_of(text)
    except rz.RecordError as error:
        if text in host.games.names():
            return host.games.open(text)
        if (kept := kept_game(text, host.people)) is not None:
            return kept.game
        words = str(error).partition("; trust it")
        hint = "; `rulezero replay --trusted` shows it in the terminal" if words[1] else ""
        raise rz.RecordError(words[0] + hint) from error


def _again(text: str, host: Host) -> Again:
    kept = kept_game(text, host.people)
    return Again(text) if kept is None else Again(kept.text, kept.pieces)


def _open(shelf: Shelf, record_id: str, host: Host) -> Opened:
    return _replayed(shelf, shelf.find(record_id), host)


@lru_cache(maxsize=8)
def _replayed(shelf: Shelf, row: Row, host: Host) -> Opened:
    record = shelf.record(row)
    game = _game_of(record.game, host)
    played = list(steps_of(record, game=game))
    return Opened(record, game, tuple(recorded.states_of(record, played, game)))


def _state(opened: Opened, ply: int) -> rz.State:
    if ply >= len(opened.states):
        raise rz.RecordError(f"the game has {len(opened.states) - 1} plies, not {ply}")
    return opened.states[ply]


def _slice(opened: Opened, first: int, most: int, most_bytes: int) -> Slice:
    """Positions from number `first` on, until they have too many bytes."""
    found: list[shown.Position] = []
    size = 0
    for number, state in enumerate(opened.states[first : first + most], first):
        position = recorded.position(opened.record, state, number)
        size += len(msgspec.json.encode(position))
        if found and size > most_bytes:
            break
        found.append(position)
    return Slice(first, found)


def _whole(record: Record) -> jsonl.Whole:
    """What a record says of the whole game."""
    names = [name for name in jsonl.Whole.__struct_fields__ if name != "seats"]
    return jsonl.Whole(**{name: getattr(record, name) for name in names})
