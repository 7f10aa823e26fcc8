"""The records of a store or a file, for the verbs that read them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.terminal.options import RECORDS
from rulezero.cli.terminal.screen import warn

OfGame = Annotated[
    str | None,
    typer.Option(
        metavar="GAME",
        help="Read records of this game only. In a .pgn file that does not name its game, this"
        " is the game of all records.",
        rich_help_panel=RECORDS,
    ),
]
OfPurpose = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PURPOSE",
        help=f"Read games of this purpose only: {', '.join(rz.data.PURPOSES)}. Can be repeated.",
        rich_help_panel=RECORDS,
    ),
]
OfSource = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE",
        help="Read games from this source only: match, train, import:FILE, ...",
        rich_help_panel=RECORDS,
    ),
]

_RESULTS = {1.0: "1-0", 0.0: "1/2", -1.0: "0-1"}
_SHARD = re.compile(r"(.*\.games(?:\.part)?): ")  # what a store's problem begins with


def say_result(record: rz.Record) -> str:
    """How a recorded game ended: "1-0 king", "* interrupted"."""
    score = _RESULTS.get(record.outcome, f"{record.outcome:+g}")
    return f"{'*' if record.end_reason == 'interrupted' else score} {record.end_reason}"


class Selection:
    """The records at a path that pass the filters; it can be iterated several times."""

    def __init__(
        self,
        path: Path,
        *,
        game: str | None = None,
        purpose: Sequence[str] | None = None,  # any of these
        source: str | None = None,
        trusted: bool = False,
    ) -> None:
        for each in purpose or ():
            rz.data.read_purpose(each)
        filters = {"game": [game], "purpose": purpose or [], "source": [source]}
        self.path = path
        self._filters = {
            name: {text for text in texts if text is not None} for name, texts in filters.items()
        }
        self._trusted = trusted
        self._game = game
        self._store = None if path.is_file() else rz.records(path, tolerant=True)
        self._reported: list[str] = []
        self._seen: dict[str, Counter[str]] = {}
        self.current: rz.Record | None = None  # the one that an iteration has come to

    def __iter__(self) -> Iterator[rz.Record]:
        self._seen = {name: Counter() for name in self._filters}
        for record in self.unfiltered():
            fields = {name: getattr(record, name) for name in self._filters}
            for name, text in fields.items():
                self._seen[name][text] += 1
            if all(not wanted or fields[name] in wanted for name, wanted in self._filters.items()):
                self.current = record
                yield record
        self.current = None

    def unfiltered(self) -> rz.Store | Iterator[rz.Record]:
        """All records at the path."""
        if self._store is not None:
            return self._store
        return rz.data.import_file(self.path, self._game, trusted=self._trusted, report=self.report)

    def look_up(self, which: str) -> tuple[rz.Record, list[rz.data.Note]]:
        """One record that passes the filters, by number or id, with the judges' notes about it."""
        if not any(self._filters.values()):
            return rz.data.look_up(self.unfiltered(), which)
        record, _ = rz.data.look_up(self, which)
        return record, [note for note in self.notes() if note.record == record.id]

    def notes(self) -> Iterator[rz.data.Note]:
        """The judges' notes about records at the path; a file has none."""
        return self._store.notes() if isinstance(self._store, rz.Store) else iter(())

    def report(self, problem: object) -> None:
        """Remembers what is wrong with a record."""
        self._reported.append(str(problem))

    @property
    def problems(self) -> list[str]:
        """What was wrong so far, each problem once."""
        of_store = self._store.problems if isinstance(self._store, rz.Store) else []
        return list(dict.fromkeys([*self._reported, *of_store]))

    def warn(self) -> None:
        """Prints what was wrong; one line for a damaged file."""
        by_file: dict[str, list[str]] = {}
        for problem in self.problems:
            shard = _SHARD.match(problem)
            by_file.setdefault(shard[1] if shard else problem, []).append(problem)
        warn(
            [
                first + (f" (and in {len(more)} more places of this file)" if more else "")
                for first, *more in by_file.values()
            ]
        )

    def nothing(self) -> rz.RecordError:
        """Why there are no records, once all were read."""
        for name, wanted in self._filters.items():
            seen = self._seen[name]
            if wanted and seen and not wanted & set(seen):
                asked = " or ".join(sorted(wanted))
                there = ", ".join(text for text, _ in seen.most_common())
                return rz.RecordError(
                    f"'{self.path}' has no record whose {name} is {asked}; it has {there}"
                )
        if any(self._filters.values()) and any(self._seen.values()):
            names = ", ".join(f"--{name}" for name, wanted in self._filters.items() if wanted)
            return rz.RecordError(f"'{self.path}' has no record that passes all of {names}")
        return rz.RecordError(next(iter(self.problems), f"'{self.path}' holds no games"))
