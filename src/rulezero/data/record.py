"""The record of a game: its start, the actions chosen, and the thoughts of the movers."""

import hashlib
import re
from typing import Annotated, Any, Literal, cast, get_args

import msgspec
from msgspec import Meta

from rulezero._core import State
from rulezero.data.columns import Numbers, RecordError, unpack_numbers
from rulezero.data.thoughts import Column, Columns, Thought, Thoughts, pack

__all__ = [
    "DATE",
    "PURPOSES",
    "STOPPED",
    "Columns",
    "Purpose",
    "Record",
    "RecordError",
    "Thought",
    "Thoughts",
    "pack",
    "read_purpose",
    "read_record",
    "record_from",
    "upgraded",
]

Purpose = Literal["self-play", "bootstrap", "gate", "rating", "human", "analysis"]
PURPOSES: tuple[str, ...] = get_args(Purpose)
# End reasons that do not come from the rules; claimed: an imported file gives the result of a game,
# but not its end. forfeit: the player to move was an engine, which has failed.
STOPPED = ("cap", "resigned", "forfeit", "claimed", "interrupted")

Text = Annotated[str, Meta(max_length=4096)]
LongText = Annotated[str, Meta(max_length=1 << 16)]

DATE = re.compile(r"[0-9?]{4}\.[0-9?]{2}\.[0-9?]{2}")
_FIRST_FIELDS = 16  # fields that every record has had; `thoughts` is the last
_FIRST_FORM = b"\xdc\x00\x10"  # how the msgpack array of these fields begins


class Record(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A finished game: enough to replay it, to check it and to learn from it."""

    game: Text  # canonical text of the game
    version: Annotated[int, Meta(ge=1)]  # of its rules
    encoding: Annotated[int, Meta(ge=1)]  # of its planes and slots when it was played
    start: LongText  # the first position
    actions: Column  # packed; action_numbers() unpacks them
    outcome: float  # seat 0's: 1, 0 or -1
    end_reason: Text  # the rules' own, or one of STOPPED
    players: tuple[Text, Text]  # who played, by seat
    nets: tuple[Text | None, Text | None] = (None, None)  # which nets or weights they used
    seed: Annotated[int, Meta(ge=0)] = 0
    task: Text = ""  # name of the task it belongs to; "": none
    index: Annotated[int, Meta(ge=0)] = 0  # number of the game in its task
    purpose: Purpose = "self-play"
    source: Text = "match"  # match, human, import:FILE
    opening: Annotated[int, Meta(ge=0)] = 0  # number of first plies that the players did not choose
    thoughts: Thoughts
    iteration: Annotated[int, Meta(ge=0)] | None = None  # of the run that played it
    forced_result: float | None = None  # seat 0's, learned instead of the outcome
    is_given: bool = False  # whether a run took it from another store
    names: tuple[Text | None, Text | None] = (None, None)  # of the people who played, by seat
    date: Text | None = None  # when it began, as in PGN: 2026.11.18

    def __post_init__(self) -> None:
        """Refuses impossible values; msgspec checks types and sizes."""
        for result in (self.outcome, self.forced_result or 0.0):
            if not -1 <= result <= 1:
                raise RecordError(f"an outcome must be in [-1, 1], not {result}")
        read_purpose(self.purpose)
        if not (0 <= self.seed < 1 << 64 and 0 <= self.index < 1 << 64):
            raise RecordError("seed and index must be whole numbers from 0 to 2**64 - 1")
        if not 0 <= self.opening <= self.plies:
            raise RecordError(f"an opening of {self.opening} plies in a game of only {self.plies}")
        if self.date is not None and not DATE.fullmatch(self.date):
            raise RecordError(f"the date {self.date[:40]!a} is not of the form 2026.11.18")
        said = [self.game, self.start, self.end_reason, *self.players, self.task, self.source]
        for text in [*said, *filter(None, (*self.nets, *self.names, self.date))]:
            if not text.isprintable():
                raise RecordError(f"{text[:60]!a} has unprintable characters")

    def __repr__(self) -> str:
        results = {1.0: "1-0", 0.0: "1/2-1/2", -1.0: "0-1"}
        result = results.get(self.outcome, f"{self.outcome:+g}")
        players = " against ".join(self.players)
        plies = f"{self.plies} plies"
        return f"<record of {self.game}: {players}, {result} ({self.end_reason}), {plies}>"

    @property
    def plies(self) -> int:
        """The number of choices, dice included."""
        return self.thoughts.plies

    @property
    def learned_result(self) -> float:
        """The result that nets learn, for seat 0: a forced result, or else the outcome."""
        return self.outcome if self.forced_result is None else self.forced_result

    @property
    def id(self) -> str:
        """32 hexadecimal digits that depend on the game, its players and their thoughts.

        Later fields say how a run uses the record (iteration, forced_result, is_given), who the
        people were and when they played. They are left out, so that old records keep their ids;
        the task's name and the seed still tell games apart.
        """
        fields = msgspec.structs.astuple(self)[: _FIRST_FIELDS - 1]
        whole = (*fields, self.thoughts.identity())
        return hashlib.sha256(msgspec.msgpack.encode(whole)).hexdigest()[:32]

    @property
    def moves_id(self) -> str:
        """32 hexadecimal digits, equal for records of the same game, start and actions."""
        played = (self.game, self.start, self.actions)
        return hashlib.sha256(msgspec.msgpack.encode(played)).hexdigest()[:32]

    @property
    def played_id(self) -> str:
        """32 hexadecimal digits, equal for copies: the same players and nets in the same seats
        chose the same actions from the same start."""
        whole = (self.players, self.nets, self.game, self.start, self.actions)
        return hashlib.sha256(msgspec.msgpack.encode(whole)).hexdigest()[:32]

    def action_numbers(self) -> Numbers:
        """The actions chosen, [plies]: all that a replay needs."""
        return unpack_numbers(self.actions, self.plies, "actions")

    def columns(self) -> Columns:
        """Choices and thoughts as arrays; RecordError if the packed form is damaged."""
        return self.thoughts.columns(self.action_numbers())

    def thought(self, ply: int) -> Thought | None:
        """The mover's thought at this ply; None for dice, openings, random and human movers.

        For many plies, call `columns()` once and use its `thought`.
        """
        return self.columns().thought(ply)


def read_purpose(text: str) -> Purpose:
    """The purpose of this name; RecordError if there is none."""
    if text not in PURPOSES:
        raise RecordError(f"there is no purpose '{text}'; known: {', '.join(PURPOSES)}")
    return cast("Purpose", text)


def record_from(start: State, packed: tuple[bytes, Thoughts], **fields: Any) -> Record:
    """A record from a start without a history, the result of `pack`, and other fields."""
    game, (actions, thoughts) = start.game, packed
    fields = {"version": game.facts.version, "encoding": game.facts.encoding, **fields}
    return Record(game=game.text, start=start.text, actions=actions, thoughts=thoughts, **fields)


def read_record(packed: bytes) -> Record:
    """The record of the bytes in a store, also of those that an older version wrote."""
    record = _DECODER.decode(packed)
    return upgraded(record) if packed.startswith(_FIRST_FORM) else record


def upgraded(record: Record) -> Record:
    """Derives `iteration` and the fields after it for a record of the first form, from its texts.

    iteration      the number before the slash in the task: 3 in `0003/self-play`
    forced_result  in the source: 1 in `forced:1`
    is_given       whether the task begins with `given/`
    """
    iteration = re.match(r"([0-9]+)/", record.task)
    forced = re.fullmatch(r"forced:(-1|0|1)", record.source)
    return msgspec.structs.replace(
        record,
        iteration=int(iteration[1]) if iteration else None,
        forced_result=float(forced[1]) if forced else None,
        is_given=record.task.startswith("given/"),
    )


_DECODER = msgspec.msgpack.Decoder(Record)
