"""A record step by step: the position, the choice, and the thoughts about it."""

from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from rulezero._core import Game, MoveError, PositionError, State
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.replay import game_of
from rulezero.data.store import Note, Store
from rulezero.data.thoughts import Thought


class Step(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One choice of a recorded game."""

    ply: int  # from 0
    state: State  # before it
    action: int
    thought: Thought | None = None  # the mover's
    notes: dict[str, Thought] = {}  # the judges', by their players' texts

    @property
    def after(self) -> State:
        """The state it led to."""
        return self.state.apply(self.action)


def steps(
    record: Record, notes: Iterable[Note] = (), *, game: Game | None = None
) -> Iterator[Step]:
    """Yields the choices of a record in order; RecordError names the ply of an illegal one.

    `notes` are judges' notes about this record. `game` is needed if loading it would run or read a
    file.
    """
    columns = record.columns()
    judged = {note.judge: note.thoughts.columns(columns.actions) for note in notes}
    try:
        state = (game or game_of(record.game)).parse(record.start)
    except PositionError as error:
        raise RecordError(f"{record.game}: {error}") from error
    for ply, action in enumerate(columns.actions.tolist()):
        thoughts = {judge: noted.thought(ply) for judge, noted in judged.items()}
        step = Step(
            ply=ply,
            state=state,
            action=action,
            thought=columns.thought(ply),
            notes={judge: thought for judge, thought in thoughts.items() if thought is not None},
        )
        try:
            state = step.after
        except MoveError as error:
            raise RecordError(f"{record.game}: at ply {ply}: {error}") from error
        yield step


def look_up(found: Store | Iterable[Record], which: str) -> tuple[Record, list[Note]]:
    """One of these records, by its number from 1, its id, or "last", with its judges' notes.

    The beginning of an id is enough if it is unique.
    """
    record = _find(found, which)
    return record, list(found.notes(record.id)) if isinstance(found, Store) else []


def _find(found: Store | Iterable[Record], which: str) -> Record:
    if which == "last":
        if (newest := next(iter(deque(found, maxlen=1)), None)) is None:
            raise RecordError("there are no records here")
        return newest
    if which.isdigit() and len(which) < 9:
        for number, record in enumerate(found, 1):
            if number == int(which):
                return record
        raise RecordError(f"there is no record number {which}; --list shows them")
    if isinstance(found, Store) and which in found:
        return found[which]
    matching = [record for record in found if record.id.startswith(which)]
    if not matching or not which:
        raise RecordError(f"there is no record '{which}'; --list shows them")
    if len({record.id for record in matching}) > 1:
        raise RecordError(f"{len(matching)} records begin with '{which}'; give more of the id")
    return matching[0]
