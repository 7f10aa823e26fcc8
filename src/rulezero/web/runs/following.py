"""Follows a run's log for browsers: one look a second for all who watch the run.

Each look reads only the new lines of the log. It runs in a thread, so that it blocks no visitor.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import msgspec

import rulezero as rz
from rulezero.reports.figures import Figure, groups
from rulezero.training.log import read_entry
from rulezero.training.run import Progress
from rulezero.web.levels import ending
from rulezero.web.runs.overview import Experiments, PhaseMeter, PhaseProgress, Row
from rulezero.web.runs.training import Trainings

_LOOK_SECONDS = 1.0
_IDLE_SECONDS = 3.0  # the same for a run that does not train
_BEAT_SECONDS = 15.0  # at most, between two messages
_MOST_WATCHERS = 200  # of a run
_MARK_BYTES = 128  # before the place that the log was read to: if they change, it was cut
_MOST_LINES = 60  # of output


class Warned(msgspec.Struct, frozen=True):
    """A warning: what is wrong, and what to try."""

    about: str
    wrong: str
    remedy: str
    iteration: int


class Fact(msgspec.Struct, frozen=True):
    """A number that describes a run."""

    name: str
    words: str
    note: str = ""


class Moment(msgspec.Struct, frozen=True):
    """Where a run stands now."""

    row: Row
    progress: PhaseProgress | None  # none: it does not train
    facts: list[Fact]
    warnings: list[Warned]
    news: list[str]  # lines of the log in words, the newest last
    output: list[str]  # what it has printed, if it was started from the page


class LogTail:
    """The entries of a log, which grows, and is cut when a run is resumed."""

    def __init__(self, run: rz.Run) -> None:
        self._path = run.log
        self._at = 0
        self._mark = b""
        self.entries: list[rz.log.Entry] = []
        self.version = 0  # grows when the entries change

    def read_on(self) -> None:
        """Reads what is new."""
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, self._at - len(self._mark)))
                if file.read(len(self._mark)) != self._mark:
                    self._at, self._mark, self.entries = 0, b"", []
                    self.version += 1
                    file.seek(0)
                new = file.read()
        except FileNotFoundError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        for line in whole.splitlines():
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                self.entries.append(read_entry(line))
        if whole:
            self._at += len(whole)
            self._mark = (self._mark + whole)[-_MARK_BYTES:]
            self.version += 1


class Feed:
    """A run as browsers follow it."""

    def __init__(
        self, run: rz.Run, row: Callable[[], Row], experiments: Experiments, trainings: Trainings
    ) -> None:
        self._run, self._row = run, row
        self._experiments, self._trainings = experiments, trainings
        self._tail = LogTail(run)
        self._meter = PhaseMeter(run)
        self._drawn = -1  # the version of the log in the figures
        self._figures: dict[str, tuple[int, msgspec.Raw]] = {}
        self._groups: list[Any] = []
        self._moment = b""
        self._changed = asyncio.Event()
        self._watchers = 0
        self._task: asyncio.Task[None] | None = None
        self._fault: BaseException | None = None

    @property
    def is_watched(self) -> bool:
        """Whether any page shows the run."""
        return self._watchers > 0

    async def events(self) -> AsyncGenerator[bytes, None]:
        """Server-sent events: `moment`, and `figures` with those figures that are new."""
        if self._watchers >= _MOST_WATCHERS:
            yield _event("fault", msgspec.json.encode("too many pages follow this run"))
            return
        self._watchers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._follow())
        try:
            yield b"retry: 2000\n\n"
            seen: dict[str, int] = {}
            moment = b""
            while True:
                changed = self._changed
                if self._moment and self._moment != moment:
                    moment = self._moment
                    yield _event("moment", moment)
                if new := {k: v for k, v in self._figures.items() if seen.get(k) != v[0]}:
                    seen |= {name: version for name, (version, _) in new.items()}
                    figures = [raw for _, raw in new.values()]
                    body = {"groups": self._groups, "figures": figures}
                    yield _event("figures", msgspec.json.encode(body))
                try:
                    await asyncio.wait_for(changed.wait(), _BEAT_SECONDS)
                except TimeoutError:
                    yield b": beat\n\n"
        finally:
            self._watchers -= 1

    async def _follow(self) -> None:
        """Looks at the run as long as a page shows it."""
        while self._watchers:
            is_active = True
            try:
                before = self._moment, self._drawn
                is_active = await asyncio.to_thread(self.look)
                is_new = before != (self._moment, self._drawn)
            except Exception as error:  # such as a folder that was deleted: the next look may work
                is_new = type(error) is not type(self._fault)
                self._fault = error
                if is_new:
                    self._moment = msgspec.json.encode({"fault": str(error)[:300]})
            if is_new:
                self._changed.set()
                self._changed = asyncio.Event()
            await asyncio.sleep(_LOOK_SECONDS if is_active else _IDLE_SECONDS)

    def look(self) -> bool:
        """Reads what is new; returns whether the run trains."""
        row = self._row()
        self._tail.read_on()
        entries = self._tail.entries
        is_active = row.activity != ""
        progress = None
        if is_active and row.recipe and not row.is_done:
            experiment, state = self._experiments.of(self._run), self._run.progress()
            progress = self._meter.measure(experiment, state, usual_seconds(entries, state))
        if self._drawn != self._tail.version:
            self._draw(entries)
            self._drawn = self._tail.version
        moment = Moment(
            row=row,
            progress=progress,
            facts=facts(row, entries),
            warnings=warnings(entries),
            news=news(entries),
            output=self._trainings.output(self._run.path)[-_MOST_LINES:],
        )
        self._moment = msgspec.json.encode(moment)
        return is_active

    def _draw(self, entries: Sequence[rz.log.Entry]) -> None:
        found = groups(entries)
        self._groups = [
            {"id": group.id, "title": group.title, "figures": [each.id for each in group.figures]}
            for group in found
        ]
        figures: dict[str, tuple[int, msgspec.Raw]] = {}
        for each in (figure for group in found for figure in group.figures):
            figures[each.id] = self._renewed(each)
        self._figures = figures

    def _renewed(self, figure: Figure) -> tuple[int, msgspec.Raw]:
        raw = msgspec.json.encode(figure)
        version, known = self._figures.get(figure.id, (0, None))
        if known is not None and bytes(known) == raw:
            return version, known
        return version + 1, msgspec.Raw(raw)


def _event(name: str, data: bytes) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"


def usual_seconds(entries: Sequence[rz.log.Entry], progress: Progress) -> float | None:
    """The time that the present phase took in the last iteration."""
    for entry in reversed(entries):
        if isinstance(entry, rz.log.FitEntry) and progress.phase == "fit":
            return entry.seconds
        if isinstance(entry, rz.log.GamesEntry):
            is_training = entry.is_training
            if is_training == (progress.phase == "generate") and progress.phase != "fit":
                return entry.seconds
    return None


def facts(row: Row, entries: Sequence[rz.log.Entry]) -> list[Fact]:
    """The most important numbers of a run."""
    games = [entry for entry in entries if isinstance(entry, rz.log.GamesEntry)]
    found = [
        Fact("Games", f"{sum(each.games for each in games):,}", _speed(games)),
        Fact("Work so far", rz.reports.say_duration(row.seconds), _left(row, entries)),
        Fact("Best net", row.best or "none yet"),
    ]
    ratings = [each for each in games if each.purpose == "rating"]
    if ratings:
        last = ratings[-1]
        found.append(Fact("Elo", f"{last.elo.elo:+.0f}", f"against {last.b}"))
    measured = [e.held_out for e in entries if isinstance(e, rz.log.FitEntry) and e.held_out]
    for name, words in (("policy", "Policy loss"), ("value", "Value loss")):
        shown = [(getattr(m.net, name), getattr(m.constant, name)) for m in measured[-1:]]
        found += [
            Fact(words, f"{net:.3f}", f"best constant {plain:.3f}")
            for net, plain in shown
            if not math.isnan(net)
        ]
    played = [each for each in games if each.is_training]
    if played:
        draws, name = played[-1].draws.items(), row.game.partition(":")[0]
        causes = ", ".join(f"{ending(cause, name)}: {many}" for cause, many in draws)
        found.append(Fact("Draws", f"{played[-1].draw_share:.0%}", causes or "in self-play"))
    return found


def _speed(games: Sequence[rz.log.GamesEntry]) -> str:
    played = [each for each in games if each.is_training]
    is_searched = bool(played and played[-1].sims)
    return f"{played[-1].sims_per_second:,.0f} simulations/s" if is_searched else ""


def _left(row: Row, entries: Sequence[rz.log.Entry]) -> str:
    """The time that is left, by the last iterations."""
    ends = [e.seconds_so_far for e in entries if isinstance(e, rz.log.VerdictEntry)][-4:]
    if row.is_done:
        return "finished"
    if len(ends) < 2:
        return ""
    left = (ends[-1] - ends[0]) / (len(ends) - 1) * max(row.iterations - row.iteration + 1, 1)
    return f"about {rz.reports.say_duration(left)} left"


def warnings(entries: Sequence[rz.log.Entry]) -> list[Warned]:
    """The warnings of a run, the newest first."""
    found = []
    for entry in entries:
        if isinstance(entry, rz.log.WarningEntry):
            wrong, _, remedy = entry.words.partition(": ")
            found.append(Warned(entry.about, wrong, remedy, entry.iteration))
    return found[::-1]


def news(entries: Sequence[rz.log.Entry], most: int = 12) -> list[str]:
    """The last lines of the log in words."""
    found = [_say(entry) for entry in entries[-most:]]
    return [words for words in found if words]


def _say(entry: rz.log.Entry) -> str:
    at = f"Iteration {entry.iteration}"
    if isinstance(entry, rz.log.GamesEntry):
        seconds = rz.reports.say_duration(entry.seconds)
        if entry.is_training:
            return f"{at}: {entry.games:,} games of {entry.purpose} in {seconds}"
        elo = f"Elo {entry.elo.elo:+.0f}"
        return f"{at}: {entry.score:.0%} against {entry.b} in {entry.games} games, {elo}"
    if isinstance(entry, rz.log.FitEntry):
        seconds = rz.reports.say_duration(entry.seconds)
        return f"{at}: a fit of {entry.steps:,} steps in {seconds}"
    if isinstance(entry, rz.log.VerdictEntry):
        left = "was rejected" if entry.is_tried else "was not tried against the best net"
        return f"{at}: {entry.net} {'is the best net now' if entry.is_promoted else left}"
    if isinstance(entry, rz.log.ChangeEntry):
        return f"{at}: changed {', '.join(f'{key}={new}' for key, new in entry.keys.items())}"
    return ""
