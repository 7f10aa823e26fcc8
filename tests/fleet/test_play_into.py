"""play_into saves the games of tasks: each game once, and no record without its note."""

import re
from collections.abc import Collection, Generator, Sequence
from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero.data.record import Record, Thoughts
from rulezero.data.store import Store
from rulezero.fleet.fleet import Kept, play_into
from rulezero.fleet.local import LocalFleet
from rulezero.play.table import Finished
from rulezero.play.task import Task
from support.documents import ROOT

SOURCES = ROOT / "src" / "rulezero"
TASKS = [
    Task(game="connect4", a="random", b="random", games=3, name="one", judge="heuristic"),
    Task(game="connect4", a="random", b="heuristic", games=4, name="two", purpose="self-play"),
]
FLEET = LocalFleet(workers=1)


class Watched:
    """A fleet that counts the games it plays."""

    def __init__(self) -> None:
        self.played = 0

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """Yields the games of FLEET and counts them."""
        for game in FLEET.run(tasks, done):
            self.played += 1
            yield game


def keys(games: Collection[Kept]) -> list[tuple[int, int]]:
    """The task number and index of each game, sorted."""
    return sorted((game.number, game.record.index) for game in games)


ALL = [(number, index) for number, task in enumerate(TASKS) for index in range(task.games)]


def test_every_game_comes_once_and_only_missing_ones_are_played(tmp_path: Path) -> None:
    """Games in the store are yielded first and are not new; new games are saved before they are
    yielded. If a task asks for more games, the missing ones are played; if fewer, some are left
    out."""
    first = []
    with Store(tmp_path) as store:
        for game in play_into(store, TASKS, FLEET):
            assert game.is_new
            assert any(record.id == game.record.id for record in Store(tmp_path))
            first.append(game)
            if len(first) == 4:
                break
    fleet = Watched()
    with Store(tmp_path) as store:
        again = list(play_into(store, TASKS, fleet))
    assert [game.is_new for game in again] == [False] * 4 + [True] * 3
    assert keys(again) == ALL
    assert fleet.played == 3
    assert len(list(Store(tmp_path))) == len(ALL)

    other = msgspec.structs.replace(TASKS[1], games=6), msgspec.structs.replace(TASKS[0], games=2)
    with Store(tmp_path) as store:
        more = list(play_into(store, other, fleet))
    assert fleet.played == 5
    assert keys(more) == [(0, index) for index in range(6)] + [(1, 0), (1, 1)]


def test_a_task_without_a_name_is_always_played(tmp_path: Path) -> None:
    """Without a name, saved games cannot be recognised and are played again, but the store yields
    each record once. Without a store, games are only yielded."""
    task = msgspec.structs.replace(TASKS[0], name="")
    for _ in range(2):
        with Store(tmp_path) as store:
            assert [game.is_new for game in play_into(store, [task], FLEET)] == [True] * 3
    assert len(list(Store(tmp_path))) == 3
    assert keys(list(play_into(None, [task], FLEET))) == [(0, 0), (0, 1), (0, 2)]


class Killed(BaseException):
    """Stands for a kill of the process."""


class Fragile(Store):
    """A store whose process is killed between a note and its record."""

    def add(self, record: Record) -> None:
        """Raises Killed instead of saving the record."""
        raise Killed


class Careless(Store):
    """A store whose process is killed before a note."""

    def add_note(self, record_id: str, judge: str, thoughts: Thoughts) -> None:
        """Raises Killed instead of saving the note."""
        raise Killed


@pytest.mark.parametrize("kind", [Fragile, Careless])
def test_a_kill_while_a_game_is_kept_loses_nothing(tmp_path: Path, kind: type[Store]) -> None:
    """The note is written before the record, so every record has its note. A game without a record
    is played again, and its note is not written twice."""
    for _ in range(2):
        with pytest.raises(Killed), kind(tmp_path) as store:
            list(play_into(store, TASKS[:1], FLEET))
        assert list(Store(tmp_path)) == []
    with Store(tmp_path) as store:
        games = list(play_into(store, TASKS[:1], FLEET))
    assert keys(games) == [(0, 0), (0, 1), (0, 2)]
    notes = [note.record for note in Store(tmp_path).notes()]
    assert sorted(notes) == sorted(game.record.id for game in games)


def test_ctrl_c_while_a_game_is_kept_keeps_it_and_yields_it(tmp_path: Path) -> None:
    """A game that was saved when Ctrl-C came is still yielded, so the caller counts every one."""

    class Interrupted(Store):
        count = 0

        def add(self, record: Record) -> None:
            super().add(record)
            self.count += 1
            if self.count == 2:
                raise KeyboardInterrupt

    counted: list[str] = []

    def count() -> None:
        with Interrupted(tmp_path) as store:
            for game in play_into(store, TASKS, FLEET):
                counted.append(game.record.id)

    with pytest.raises(KeyboardInterrupt):
        count()
    assert len(counted) == 2
    assert sorted(counted) == sorted(record.id for record in Store(tmp_path))


def test_workers_give_the_same_games(tmp_path: Path) -> None:
    """One worker process and two give the same records and notes."""
    for name, workers in ("one", 1), ("two", 2):
        with Store(tmp_path / name) as store:
            list(play_into(store, TASKS, LocalFleet(workers=workers, width=2)))
    one, two = (Store(tmp_path / name) for name in ("one", "two"))
    assert sorted(record.id for record in one) == sorted(record.id for record in two)
    assert {note.record: note for note in one.notes()} == {
        note.record: note for note in two.notes()
    }


def test_nothing_else_keeps_games_of_a_fleet() -> None:
    """Only play_into saves games of a fleet; these call it."""
    texts = {
        path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8")
        for path in SOURCES.rglob("*.py")
    }
    users = {path for path, text in texts.items() if re.search(r"(?<!def )play_into\(", text)}
    assert users == {
        "training/loop.py",
        "steps.py",
        "reports/standings.py",
        "contest/match.py",
        "contest/ladder.py",
    }
    added = {
        path: re.findall(r"\b(?:store|kept)\.add\((.+)\)", text) for path, text in texts.items()
    }
    assert {path: found for path, found in added.items() if found} == {
        "fleet/fleet.py": ["finished.record"],
        "training/loop.py": ["copy"],  # copies of games that were given to the run
        "cli/training/imports.py": ["record"],
        "cli/play/analyse.py": ["record"],  # games of a file, whose notes need a store
        # games of people, without a task
        "cli/terminal/table.py": ["self.dialogue.record()"],
        "notebook/play.py": ["record"],
        "web/play/table.py": ["record"],
    }
    for path in users:
        assert not re.search(r"fleet\.run\(|Finished", texts[path]), path


def test_a_fleet_says_at_once_what_it_cannot_be() -> None:
    """Impossible settings raise GameError in the constructor."""
    for options in {"workers": -1}, {"workers": 5000}, {"width": 0}, {"cache": -1}:
        with pytest.raises(rz.GameError):
            LocalFleet(**options)  # type: ignore[arg-type]
