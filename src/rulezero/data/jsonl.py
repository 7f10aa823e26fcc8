"""Records as lines of JSON, one object a ply: for other programs to read, and back.

A line has the fields that Monster Chess programs exchange (fen, mcts_value, policy, current_player,
game_result; the mcts_value is the mover's), and beside them what gives the record back exactly.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from rulezero._core import Game, RulezeroError
from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.foreign import Joiner, Line
from rulezero.data.place import Place, Report
from rulezero.data.record import Purpose, Record
from rulezero.data.replay import game_of
from rulezero.data.thoughts import Columns, pack

_DIGITS = 6  # finer than the steps in which values are kept
_LONGEST_LINE = 1 << 23  # bytes
_PLAYERS = ("white", "black")
_SAID = ("game", "fen", "move", "current_player", "mover", "game_result")  # of each ply, for people

Number = Annotated[int, Meta(ge=0, lt=1 << 32)]


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of a whole game; stands in the line of ply 0."""

    game: str
    version: Number
    encoding: Number
    start: str
    plies: Number
    outcome: float
    end_reason: str
    seats: tuple[str, str]
    nets: tuple[str | None, str | None]
    seed: int
    task: str
    index: int
    purpose: Purpose
    source: str
    opening: Number


class OwnLine(Line, frozen=True, kw_only=True):
    """One ply of a record. Without an id it is a line of another program."""

    id: str | None = None  # of the record
    ply: Number = 0
    mover: int | None = None  # 0, 1 or -1 for a die
    action: Number | None = None
    sims: Number = 0
    value: float | None = None  # seat 0's, as everywhere in records; so is the next
    raw_value: float | None = None
    draw: float | None = None
    surprise: float | None = None
    pairs: tuple[tuple[Number, Number, Number], ...] = ()  # action, weight, weight of the target
    record: Whole | None = None


def write(records: Iterable[Record], file: IO[bytes], game_for: Callable[[str], Game]) -> int:
    """Writes every ply of the records as a line; returns the number of records."""
    number = 0
    for record in records:
        for line in lines_of(record, game_for(record.game)):
            file.write(msgspec.json.encode(line) + b"\n")
        number += 1
    return number


def lines_of(record: Record, game: Game) -> Iterator[OwnLine]:
    """The lines of a record; a single one without a move if nothing was chosen at all."""
    columns = record.columns()
    state = game.parse(record.start)
    record_id = record.id
    whole = Whole(**{name: getattr(record, name) for name in Whole.__struct_fields__})
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
        value = _rounded(columns.value[ply])
        pairs = _pairs(columns, ply)
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
            sims=int(columns.sims[ply]),
            value=value,
            raw_value=_rounded(columns.raw_value[ply]),
            draw=_rounded(columns.draw[ply]),
            surprise=_rounded(columns.surprise[ply]),
            pairs=pairs,
            record=whole if ply == 0 else None,
        )
        state = state.apply(action)


def read(
    file: IO[bytes], name: str, game: str | None, trusted: bool, report: Report
) -> Iterator[Record]:
    """The records of a file, its own lines and those of other programs, each checked.

    `game` is what lines play that do not say. What is wrong is reported, then stepped over.
    """
    joiner = Joiner(game or "monster", name, trusted)
    own: list[OwnLine] = []

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
    """What is made, until something is wrong; that is reported."""
    try:
        yield from made
    except RulezeroError as error:
        report(place.error(error))


def _ignore(_: RecordError) -> None:
    """For what is only the consequence of damage that is reported anyway."""


def _lines(file: IO[bytes], name: str) -> Iterator[tuple[Place, OwnLine | RecordError]]:
    """Every line that is not empty, or what is wrong with it."""
    decoder = msgspec.json.Decoder(OwnLine)
    number = 0
    while text := file.readline(_LONGEST_LINE):
        number += 1
        place = Place(name, number)
        if len(text) == _LONGEST_LINE and not text.endswith(b"\n"):
            while text and not text.endswith(b"\n"):
                text = file.readline(_LONGEST_LINE)
            yield place, place.error(f"a line of {_LONGEST_LINE} bytes and more is no ply")
        elif not text.isspace():
            try:
                yield place, decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield place, place.error(f"no ply: {error}; a ply is an object with a 'fen'")


def _restore(lines: list[OwnLine], trusted: bool) -> Record:
    """The record of its lines, checked."""
    first = lines[0]
    whole = first.record
    if whole is None or first.ply != 0:
        raise RecordError(f"record {first.id} begins with ply {first.ply}: the line of ply 0 lacks")
    plies = [line for line in lines if line.action is not None]
    if [line.ply for line in plies] != list(range(whole.plies)):
        raise RecordError(f"record {first.id} has {whole.plies} plies; some of their lines lack")
    pairs = [pair for line in plies for pair in line.pairs]

    def column(attribute: str) -> list[float | None]:
        return [getattr(line, attribute) for line in plies]

    actions, thoughts = pack(
        np.array([line.action for line in plies], np.int64),
        sims=np.array([line.sims for line in plies], np.int64),
        value=np.array(column("value"), np.float64),
        raw_value=np.array(column("raw_value"), np.float64),
        draw=np.array(column("draw"), np.float64),
        surprise=np.array(column("surprise"), np.float64),
        counts=np.array([len(line.pairs) for line in plies], np.int64),
        pair_actions=[action for action, _, _ in pairs],
        pair_weights=[weight for _, weight, _ in pairs],
        pair_targets=[target for _, _, target in pairs],
    )
    fields = {n: getattr(whole, n) for n in Whole.__struct_fields__ if n != "plies"}
    record = Record(**fields, actions=actions, thoughts=thoughts)
    if record.id != first.id:
        raise RecordError(f"record {first.id} was changed: its lines have the id {record.id}")
    game = game_of(record.game, trusted=trusted)
    check(record, game=game)
    for line, own in zip(lines, lines_of(record, game), strict=True):
        _compare(line, own)
    return record


def _compare(line: OwnLine, own: OwnLine) -> None:
    """Refuses a line that says of its ply something else than the record does."""
    for name in _SAID:
        said, true = getattr(line, name), getattr(own, name)
        if said != true:
            raise RecordError(f"record {own.id}: at ply {own.ply} {name} is {said!r}, not {true!r}")
    said, true = line.mcts_value, own.mcts_value
    if (said is None) != (true is None) or abs((said or 0) - (true or 0)) > 10**-_DIGITS:
        raise RecordError(f"record {own.id}: at ply {own.ply} mcts_value is {said}, not {true}")


def _rounded(value: np.float32) -> float | None:
    return None if np.isnan(value) else round(float(value), _DIGITS)


def _pairs(columns: Columns, ply: int) -> tuple[tuple[int, int, int], ...]:
    chosen = slice(columns.offsets[ply], columns.offsets[ply + 1])
    return tuple(
        zip(
            columns.pair_actions[chosen].tolist(),
            columns.pair_weights[chosen].tolist(),
            columns.pair_targets[chosen].tolist(),
            strict=True,
        )
    )
