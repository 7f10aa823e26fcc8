"""The newest games of a run, ready to be shown on a board."""

import threading
import time
from pathlib import Path

import msgspec

import rulezero as rz
from rulezero.data.record import STOPPED, Record
from rulezero.data.steps import steps
from rulezero.games import view
from rulezero.reports.sample import newest_games
from rulezero.web import shown
from rulezero.web.levels import say_result, seats_of

_MOST_GAMES = 24  # that are shown in turn
_KEPT_SECONDS = 3.0  # the games of a store are looked up once in this time
_PATIENCE = 10  # the same for a large store, in times that reading it takes


class Sample(msgspec.Struct, frozen=True):
    """A game of a run with all its positions."""

    id: str
    game: shown.Meta
    about: str
    players: tuple[str, str]
    result: str
    says: list[str]  # the choice before each position; "" before the first
    positions: list[shown.Position]


class Newest:
    """The newest games of runs. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[float, list[Record]]] = {}  # with the time of the next look
        self._lock = threading.Lock()

    def next(self, run: rz.Run, game: rz.Game, after: str) -> Sample | None:
        """The game after another one: the newest first, then older ones, then the newest again."""
        records = self._records(run)
        if not records:
            return None
        ids = [record.id for record in records]
        at = ids.index(after) + 1 if after in ids else 0
        return sample(records[at % len(records)], game)

    def _records(self, run: rz.Run) -> list[Record]:
        with self._lock:  # a store is read once, however many ask
            until, records = self._known.get(run.path, (0.0, []))
            began = time.monotonic()
            if began < until:
                return records
            records = newest_games(
                run,
                _MOST_GAMES,
                ("self-play", "rating", "bootstrap"),
                lambda record: record.end_reason in STOPPED,
            )
            now = time.monotonic()
            self._known[run.path] = (
                now + max(_KEPT_SECONDS, _PATIENCE * (now - began)),
                records,
            )
            return records


def sample(record: Record, game: rz.Game) -> Sample:
    """The game of a record with all its positions."""
    names = seats_of(game)
    played = list(steps(record, game=game))
    result = say_result(record.outcome, record.end_reason, game)
    last = played[-1].after if played else game.parse(record.start)
    before = [shown.position(step.state) for step in played]
    iteration = "" if record.iteration is None else f", iteration {record.iteration}"
    return Sample(
        id=record.id,
        game=shown.meta(game),
        about=f"{record.purpose}{iteration}, game {record.index}",
        players=record.players,
        result=result,
        says=["", *(view.say_ply(step.state, step.action, names) for step in played)],
        positions=[*before, shown.position(last, result=result)],
    )
