"""What a run's folder says about the run: the rows of the list, and how far a phase is."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

import rulezero as rz
from rulezero.data.columns import RecordError
from rulezero.data.shard import PART, Reader, chunk
from rulezero.games import view
from rulezero.training.run import Progress
from rulezero.web.levels import offers
from rulezero.web.runs.training import Activity, Trainings

_DEPTH = 6  # folders below the owner's folder
_MOST_RUNS = 500
_PHASES = ("generate", "fit", "evaluate")
_SUFFIXES = (".games", f".games{PART}")


class Row(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A run in the list."""

    id: str
    name: str
    recipe: str = ""
    preset: str = ""
    game: str = ""  # its text
    title: str = ""  # of the game
    phase: str = ""  # generate, fit or evaluate
    iteration: int = 0
    iterations: int = 0
    share: float = 0.0  # of the run that is done
    seconds: float = 0.0  # of work so far
    changed: float = 0.0  # seconds since 1970
    warnings: int = 0
    best: str = ""  # the best net
    is_done: bool = False
    activity: Activity = ""
    fault: str | None = None
    has_fleet: bool = False


class PhaseProgress(msgspec.Struct, frozen=True, rename="camel"):
    """How far the present phase is."""

    since: float  # seconds since 1970
    done: int | None = None  # games; none: a fit, or the number is not known
    total: int | None = None
    is_most: bool = False  # whether there may be fewer games: a gate with a sequential test
    usual: float | None = None  # seconds that this phase took in the last iteration


def run_id(path: Path) -> str:
    """The id of a run: it does not contain its path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def folders(place: Path) -> Iterator[Path]:
    """The runs in a folder and below. Links are not followed."""
    number = 0
    for folder, below, files in os.walk(place):
        path = Path(folder)
        below[:] = sorted(name for name in below if not name.startswith("."))
        is_run = "config.yaml" in files and "state" in below
        if is_run or len(path.relative_to(place).parts) >= _DEPTH:
            below.clear()
        if is_run:
            yield path
            number += 1
            if number == _MOST_RUNS:
                return


class Experiments:
    """The experiments of runs; each config is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, int], rz.Experiment]] = {}

    def of(self, run: rz.Run) -> rz.Experiment:
        """The experiment of a run. RunError."""
        try:
            found = (run.path / "config.yaml").stat()
        except OSError as error:
            raise rz.RunError(f"{run.path.name} has not begun yet: {error.strerror}") from error
        key = found.st_mtime_ns, found.st_size
        known = self._known.get(run.path)
        if known is None or known[0] != key:
            known = key, rz.config.read(run.config())
            self._known[run.path] = known
        return known[1]


def row(path: Path, place: Path, experiments: Experiments, trainings: Trainings) -> Row:
    """The row of a run. What is wrong with its folder is its fault."""
    inside = path.relative_to(place).as_posix()
    name = path.resolve().name if inside == "." else inside
    plain = Row(
        id=run_id(path),
        name=name,
        activity=trainings.activity(path),
        fault=trainings.fault(path),
    )
    run = rz.Run(path)
    if not run.exists:
        return plain
    try:
        experiment, progress = experiments.of(run), run.progress()
    except (rz.RulezeroError, OSError) as error:
        return msgspec.structs.replace(plain, fault=str(error))
    return msgspec.structs.replace(
        plain,
        recipe=experiment.recipe,
        preset=experiment.preset,
        game=experiment.game,
        title=game_title(experiment.game),
        phase=progress.phase,
        iteration=progress.iteration,
        iterations=experiment.iterations,
        share=_share(progress, experiment.iterations),
        seconds=progress.seconds,
        changed=max(_changed(run.log), _changed(run.state / "progress.json")),
        warnings=len(progress.warned),
        best=progress.best,
        is_done=progress.is_done,
        has_fleet=(path / "fleet").is_dir(),
    )


def game_title(text: str) -> str:
    """A game's name for people, with its options."""
    name, _, options = text.partition(":")
    offer = offers().get(name)
    if offer is None:
        return view.title(text)
    return f"{offer.title}, {options}" if options else offer.title


def _share(progress: Progress, iterations: int) -> float:
    if progress.is_done:
        return 1.0
    phase = _PHASES.index(progress.phase) / len(_PHASES)
    return min((progress.iteration + phase) / (iterations + 1), 1.0)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class PhaseMeter:
    """Counts the games of the present phase of a run.

    The games of a phase are in shards that were written after the phase before it was done.
    """

    def __init__(self, run: rz.Run) -> None:
        self._run = run
        self._phase: tuple[int, str] | None = None
        self._total: int | None = None
        self._counted: dict[str, tuple[int, int]] = {}  # by shard: where it was read to, games

    def measure(
        self, experiment: rz.Experiment, progress: Progress, usual: float | None
    ) -> PhaseProgress:
        """How far the present phase is."""
        since = _changed(self._run.state / "progress.json")
        phase = progress.iteration, progress.phase
        if phase != self._phase:
            self._phase, self._counted = phase, {}
            self._total = _planned(experiment, progress)
        if progress.phase == "fit" or not self._total:
            return PhaseProgress(since, usual=usual)
        done = min(self._count(since), self._total)
        is_most = progress.phase == "evaluate" and experiment.gate.test is not None
        return PhaseProgress(since, done, self._total, is_most, usual)

    def _count(self, since: float) -> int:
        if not self._run.records.is_dir():
            return 0
        for path in self._run.records.iterdir():
            if path.name.endswith(_SUFFIXES) and _changed(path) > since:
                name = path.name.removesuffix(PART)
                self._counted[name] = _count_games(path, *self._counted.get(name, (0, 0)))
        return sum(games for _, games in self._counted.values())


def _count_games(path: Path, at: int, games: int) -> tuple[int, int]:
    """Where the whole games of a shard end, and their number, if `games` end at `at`."""
    try:
        with Reader(path) as reader:
            if at == 0:
                at = next(iter(reader.values(lambda _: None)))[0]
            while True:
                at += len(chunk(reader.frame_at(at)))
                games += 1
    except (RecordError, OSError, StopIteration):
        return at, games


def _planned(experiment: rz.Experiment, progress: Progress) -> int | None:
    """The number of games of a phase; None if it is not known."""
    names = {"best": progress.best, "latest": progress.latest, "candidate": progress.latest}
    nets = {**names, "previous": progress.previous or progress.latest}
    try:
        if progress.phase == "generate":
            tasks = experiment.games(progress.iteration, nets)
        else:
            tasks = experiment.regime.trials(experiment, progress.iteration, nets)
    except (rz.RulezeroError, OSError):
        return None
    return sum(task.games for task in tasks)
