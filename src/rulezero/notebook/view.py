"""Recorded games in a notebook: choose one, step through it, and see what was thought."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from rulezero._core import Game, RulezeroError, State
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.replay import game_of
from rulezero.data.steps import steps
from rulezero.data.store import Note, Store
from rulezero.games.view import say_result, title
from rulezero.notebook.board import Board, Bundle, Order
from rulezero.notebook.source import source_of
from rulezero.notebook.still import Still, still
from rulezero.web import recorded, shown
from rulezero.web.library import Row, Wanted

_MOST_LISTED = 500  # games in the list
_SEATS = ("seat 0", "seat 1")


class GameShown(msgspec.Struct, frozen=True):
    """A recorded game."""

    id: str
    game: shown.Meta
    players: tuple[str, str]
    result: str  # in words
    outcome: float | None  # seat 0's; None: not known
    positions: list[shown.Position]
    plies: list[shown.PlyShown]
    minds: list[recorded.Mind]
    facts: list[tuple[str, str]]


class Listed(msgspec.Struct, frozen=True):
    """The games to choose from, and the choices of each filter with their words."""

    options: list[tuple[str, str]]
    matching: int
    total: int
    results: list[tuple[str, str]]
    causes: list[tuple[str, str]]
    purposes: list[tuple[str, str]]
    wanted: dict[str, str]
    words: str  # what is wrong, if anything


class ViewGames:
    """The recorded games of a run, a store or a file, as the output of a cell.

    The whole game is in the widget, so stepping through it needs no kernel.
    """

    def __init__(
        self,
        games: str | Path | Store | Iterable[Record],
        *,
        game: Game | None = None,
        result: str = "",
        cause: str = "",
        purpose: str = "",
    ) -> None:
        """The newest game that meets the conditions.

        games    a run's folder, a store, a .jsonl or .pgn file, or records
        game     needed if loading the rules would run or read a file
        result   the seat that won, 0 or 1, or "drawn" (default: any)
        cause    how the game ended, such as "king" (default: any)
        purpose  self-play, gate, rating, human, ... (default: any)
        """
        self._source = source_of(games)
        self._rows = self._source.rows()
        if not self._rows:
            raise RecordError("there are no recorded games here")
        self._game = game
        self._wanted = Wanted(result=result, cause=cause, purpose=purpose)
        self._states: list[State] = []
        self.widget = Board(kind="view")
        self._listed = self._list("")
        self.widget.show(listed=self._listed)
        self.open(self._listed.options[0][0] if self._listed.options else self._rows[0].id)
        self.widget.on_order(self._obey)

    @property
    def ids(self) -> list[str]:
        """The ids of the games that are listed, newest first."""
        return [record_id for record_id, _ in self._listed.options]

    @property
    def shown(self) -> GameShown:
        """The game that is shown."""
        return self._shown

    @property
    def state(self) -> State:
        """The position that is shown."""
        return self._states[self._at]

    def open(self, record_id: str, at: int = 0) -> None:
        """Shows the game of a record, at a position."""
        row = next((row for row in self._rows if row.id.startswith(record_id)), None)
        if row is None:
            raise RecordError(f"there is no game {record_id[:40]!r} here")
        record = self._source.record(row)
        self._shown, self._states = _opened(record, self._source.notes(row.id), self._game)
        self.widget.show(shown=self._shown, at=self._inside(at))

    def filter(self, *, result: str = "", cause: str = "", purpose: str = "") -> None:
        """Lists the games that meet the conditions, and shows the newest of them."""
        try:
            wanted = Wanted(result=result, cause=cause, purpose=purpose)
        except ValueError:
            raise RecordError(f"the result is 0, 1, drawn or empty, not {result!r}") from None
        self._wanted, self._rows = wanted, self._source.rows()
        self._listed = self._list("")
        if not self._listed.options:
            self._listed = self._list("No game meets these conditions.")
        self.widget.show(listed=self._listed)
        if self._listed.options:
            self.open(self._listed.options[0][0])

    def picture(self, at: int | None = None) -> Still:
        """The position that is shown, or another one, as a picture that stays in the notebook."""
        at, found = self._at if at is None else self._inside(at), self._shown
        thought = next((mind.plies[at] for mind in found.minds if _has(mind, at)), None)
        value = None
        if thought is not None and thought.value is not None and thought.wdl is not None:
            value = thought.value, thought.wdl
        label = dict(self._listed.options).get(found.id, found.id)
        return still(
            self._states[at],
            found.positions[at].caption,
            plies=found.plies,
            is_flipped=self.widget.flipped,
            title=label,
            value=value,
            shares=[] if thought is None else [(each.say, each.share) for each in thought.moves],
            lines=[f"Ply {at} of {len(found.plies)}; result: {found.result}"],
        )

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        found = self.picture()
        return self.widget.bundle(found.html, found.text)

    @property
    def _at(self) -> int:
        return self._inside(int(self.widget.at))

    def _inside(self, at: int) -> int:
        return max(0, min(at, len(self._states) - 1))

    def _obey(self, order: Order) -> None:
        try:
            if order["do"] == "open":
                self.open(str(order["id"]))
            elif order["do"] == "filter":
                given = {name: str(order.get(name, "")) for name in ("result", "cause", "purpose")}
                self.filter(**given)
        except RulezeroError as error:
            self._listed = msgspec.structs.replace(self._listed, words=str(error))
            self.widget.show(listed=self._listed)

    def _list(self, words: str) -> Listed:
        rows = self._rows
        found = list(self._wanted.select(rows))
        named = {_seats(text, self._game) for text in {row.game for row in rows}}
        seats = named.pop() if len(named) == 1 else _SEATS
        results = Counter(row.result for row in rows)
        said = {"0": f"{seats[0]} won", "1": f"{seats[1]} won", "drawn": "drawn"}
        several = len({row.game for row in rows}) > 1
        return Listed(
            options=[(row.id, _label(row, self._game, several)) for row in found[:_MOST_LISTED]],
            matching=len(found),
            total=len(rows),
            results=[
                ("", "every result"),
                *((key, f"{name} ({results[key]})") for key, name in said.items() if results[key]),
            ],
            causes=_choices("every end", [row.end_reason for row in rows]),
            purposes=_choices("every purpose", [row.purpose for row in rows]),
            wanted={name: getattr(self._wanted, name) for name in ("result", "cause", "purpose")},
            words=words,
        )


def _choices(every: str, values: Sequence[str]) -> list[tuple[str, str]]:
    counted = Counter(values).most_common()
    return [("", every), *((value, f"{value} ({games})") for value, games in counted)]


def _seats(text: str, game: Game | None) -> tuple[str, str]:
    try:
        return (game or game_of(text)).facts.seat_names
    except RulezeroError:
        return _SEATS


def _label(row: Row, game: Game | None, has_title: bool) -> str:
    ended = say_result(row.outcome, row.end_reason, _seats(row.game, game))
    parts = [title(row.game)] if has_title else []
    parts += [ended, f"{row.plies} plies", row.purpose]
    if row.iteration is not None:
        parts.append(f"iteration {row.iteration}")
    parts += filter(None, (row.date, row.id[:8]))
    return ", ".join(parts)


def _opened(record: Record, notes: list[Note], game: Game | None) -> tuple[GameShown, list[State]]:
    """A record, replayed."""
    loaded = game or game_of(record.game)
    played = list(steps(record, notes, game=loaded))
    states = recorded.states_of(record, played, loaded)
    judges = list(dict.fromkeys(note.judge for note in notes))
    first, second = (name or text for name, text in zip(record.names, record.players, strict=True))
    found = GameShown(
        id=record.id,
        game=shown.meta(loaded),
        players=(first, second),
        result=say_result(record.outcome, record.end_reason, loaded.facts.seat_names),
        outcome=None if record.end_reason == "interrupted" else record.outcome,
        positions=[recorded.position(record, state, at) for at, state in enumerate(states)],
        plies=shown.plies(states[-1], record.opening),
        minds=recorded.minds(played, judges, record.opening),
        facts=_facts(record),
    )
    return found, states


def _facts(record: Record) -> list[tuple[str, str]]:
    rows = [
        ("Game", title(record.game)),
        ("Purpose", record.purpose),
        ("Iteration", record.iteration),
        ("Task", f"{record.task}, game {record.index}" if record.task else None),
        ("Source", record.source),
        ("Date", record.date),
        ("Seed", record.seed),
        ("Learned result", record.forced_result),
        ("Record", record.id),
    ]
    return [(label, str(words)) for label, words in rows if words is not None]


def _has(mind: recorded.Mind, at: int) -> bool:
    return at < len(mind.plies) and mind.plies[at] is not None
