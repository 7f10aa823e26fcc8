"""Writes records as lines of JSON, one object per ply, for other programs; also reads them.

A line has the fields that Monster Chess programs exchange (fen, mcts_value, policy, current_player,
game_result; the mcts_value is the mover's), and others that restore the record exactly.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Annotated, Any, cast

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType

from rulezero._core import Game, RulezeroError
from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.monster_lines import Joiner, Line
from rulezero.data.place import Place, Report
from rulezero.data.record import Purpose, Record, upgraded
from rulezero.data.replay import game_of
from rulezero.data.thoughts import PLY_COLUMNS, pack

_DIGITS = 6  # finer than the steps of a record's values
_LONGEST_LINE = 1 << 23  # bytes
_PLAYERS = ("white", "black")
_SAID = ("game", "fen", "move", "current_player", "mover", "game_result")  # as in the record

Number = Annotated[int, Meta(ge=0, lt=1 << 32)]


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a record that are about the whole game; in the line of ply 0."""

    game: str
    version: Number
    encoding: Number
    start: str
    plies: Number
    outcome: float
    end_reason: str
    players: tuple[str, str] = ("?", "?")
    seats: tuple[str, str] | UnsetType = UNSET  # the former name of `players`
    nets: tuple[str | None, str | None]
    seed: int
    task: str
    index: int
    purpose: Purpose
    source: str
    opening: Number
    iteration: Number | None = None
    forced_result: float | None = None
    is_given: bool = False
    names: tuple[str | None, str | None] = (None, None)
    date: str | None = None


class PlyLine(Line, frozen=True, kw_only=True):
    """One ply of a record. Without an id it is a line of another program."""

    id: str | None = None  # of the record
    ply: Number = 0
    mover: int | None = None  # 0, 1 or -1 for a die
    action: Number | None = None
    pairs: tuple[tuple[Number, Number, Number], ...] = ()  # action, weight, weight of the target
    record: Whole | None = None


_FIELDS = [name for name in Whole.__struct_fields__ if name not in ("plies", "seats")]
_NUMBERS: list[tuple[str, Any, Any]] = [  # of the columns; values are seat 0's, as in all records
    (column.name, Number, 0) if column.is_whole else (column.name, float | None, None)
    for column in PLY_COLUMNS
]
OwnLine = cast(
    "type[PlyLine]",
    msgspec.defstruct("OwnLine", _NUMBERS, bases=(PlyLine,), frozen=True, kw_only=True),
)


def write(records: Iterable[Record], file: IO[bytes], game_for: Callable[[str], Game]) -> int:
    """Writes every ply of the records as a line; returns the number of records."""
    number = 0
    for record in records:
        for line in lines_of(record, game_for(record.game)):
            file.write(msgspec.json.encode(line) + b"\n")
        number += 1
    return number


def lines_of(record: Record, game: Game) -> Iterator[PlyLine]:
    """The lines of a record; for a game without plies, a single line without a move."""
    columns = record.columns()
    state = game.parse(record.start)
    record_id = record.id
    fields = {name: getattr(record, name) for name in _FIELDS}
    whole = Whole(plies=record.plies, **fields)
    if record.plies == 0:
        yield OwnLine(
            game=record.game,
            fen=state.text,
            game_result=record.outcome,
            id=record_id,
            record=whole,
        )
    for ply, action in enumerate(columns.actions.tolist()):
        mover = state.mover
        numbers = {
            name: None if number is None else round(number, _DIGITS)
            for name, number in columns.numbers(ply).items()
        }
        value = numbers["value"]
        pairs = tuple(zip(*columns.pairs(ply), strict=True))
        total = sum(weight for _, weight, _ in pairs)
        yield OwnLine(
            game=record.game,
            fen=state.text,
            move=state.say(action),
            current_player=_PLAYERS[mover] if mover in (0, 1) else None,
            mcts_value=-value if value is not None and mover == 1 else value,
            policy={state.say(a): round(w / total, _DIGITS) for a, w, _ in pairs if w},
            game_result=record.outcome,
            id=record_id,
            ply=ply,
            mover=mover,
            action=action,
            **numbers,
            pairs=pairs,
            record=whole if ply == 0 else None,
        )
        state = state.apply(action)


def read(
    file: IO[bytes], name: str, game: str | None, trusted: bool, report: Report
) -> Iterator[Record]:
    """The records of a file with lines of rulezero or of other programs, each checked.

    `game` is the game of lines that do not name theirs. Mistakes are reported and skipped.
    """
    joiner = Joiner(game, name, trusted)
    own: list[PlyLine] = []

    def restored() -> Iterator[Record]:
        lines = own.copy()
        own.clear()
        if lines:
            yield _restore(lines, trusted)

    last = Place(name, 0)
    for place, line in _lines(file, name):
        is_damaged = isinstance(line, RecordError)
        if isinstance(line, RecordError) or (own and line.id != own[0].id):
            yield from _attempt(restored(), last, _ignore if is_damaged else report)
        if isinstance(line, RecordError) or line.id is not None:
            yield from _attempt(joiner.finish(), last, report)
        if isinstance(line, RecordError):
            report(line)
        elif line.id is not None:
            own.append(line)
        else:
            yield from _attempt(joiner.add(line), place, report)
        last = place
    yield from _attempt(restored(), last, report)
    yield from _attempt(joiner.finish(), last, report)


def _attempt(made: Iterator[Record], place: Place, report: Report) -> Iterator[Record]:
    """Yields records until there is an error, which is reported."""
    try:
        yield from made
    except RulezeroError as error:
        report(place.error(error))


def _ignore(_: RecordError) -> None:
    """Ignores an error that is only the consequence of damage already reported."""


def _lines(file: IO[bytes], name: str) -> Iterator[tuple[Place, PlyLine | RecordError]]:
    """Yields every line that is not empty, or the error in it."""
    decoder = msgspec.json.Decoder(OwnLine)
    number = 0
    while text := file.readline(_LONGEST_LINE):
        number += 1
        place = Place(name, number)
        if len(text) == _LONGEST_LINE and not text.endswith(b"\n"):
            while text and not text.endswith(b"\n"):
                text = file.readline(_LONGEST_LINE)
            yield place, place.error(f"a line of {_LONGEST_LINE} bytes or more is not a ply")
        elif not text.isspace():
            try:
                yield place, decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield place, place.error(f"not a ply: {error}; a ply is an object with a 'fen'")


def _restore(lines: list[PlyLine], trusted: bool) -> Record:
    """The record of these lines, checked."""
    first = lines[0]
    whole = first.record
    if whole is None or first.ply != 0:
        raise RecordError(f"record {first.id}: the line for ply 0 is missing")
    plies = [line for line in lines if line.action is not None]
    if [line.ply for line in plies] != list(range(whole.plies)):
        raise RecordError(f"record {first.id}: lines for some of {whole.plies} plies are missing")
    pairs = [pair for line in plies for pair in line.pairs]
    actions, thoughts = pack(
        np.array([line.action for line in plies], np.int64),
        **{each.name: [getattr(line, each.name) for line in plies] for each in PLY_COLUMNS},
        counts=np.array([len(line.pairs) for line in plies], np.int64),
        pair_actions=[action for action, _, _ in pairs],
        pair_weights=[weight for _, weight, _ in pairs],
        pair_targets=[target for _, _, target in pairs],
    )
    fields = {name: getattr(whole, name) for name in _FIELDS}
    if whole.seats is not UNSET:
        fields["players"] = whole.seats
    record = Record(**fields, actions=actions, thoughts=thoughts)
    if whole.seats is not UNSET:
        record = upgraded(record)
    if record.id != first.id:
        raise RecordError(f"record {first.id} was changed: its lines have the id {record.id}")
    game = game_of(record.game, trusted=trusted)
    check(record, game=game)
    for line, own in zip(lines, lines_of(record, game), strict=True):
        _compare(line, own)
    return record


def _compare(line: PlyLine, own: PlyLine) -> None:
    """Raises RecordError if a line contradicts the record."""
    for name in _SAID:
        said, true = getattr(line, name), getattr(own, name)
        if said != true:
            raise RecordError(f"record {own.id}: at ply {own.ply} {name} is {said!r}, not {true!r}")
    said, true = line.mcts_value, own.mcts_value
    if (said is None) != (true is None) or abs((said or 0) - (true or 0)) > 10**-_DIGITS:
        raise RecordError(f"record {own.id}: at ply {own.ply} mcts_value is {said}, not {true}")
