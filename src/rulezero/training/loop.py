"""The training loop: generate, fit, evaluate, and repeat. It may be killed at any time.

The result of a phase depends only on the files that earlier phases have left in the run's folder.
A phase that was killed is repeated and gives the same result: the seeds of games depend on their
tasks, those of batches on the iteration, and a phase counts only once progress.json says so.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from rulezero._core import Game
from rulezero.data.record import Record
from rulezero.data.store import Store
from rulezero.errors import RunError
from rulezero.fleet.fleet import Fleet, OpenFleet, play_into
from rulezero.learn.fit import Fit, Tell
from rulezero.learn.window import Window, take
from rulezero.play.task import Task, result_of
from rulezero.seeds import keyed
from rulezero.stats.rating import elo
from rulezero.stats.running import RunningTally
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import Tally
from rulezero.training.experiment import Experiment
from rulezero.training.games import training_of
from rulezero.training.listener import Listener
from rulezero.training.log import Entry, FitEntry, GamesEntry, VerdictEntry, WarningEntry
from rulezero.training.run import Phase, Progress, Run
from rulezero.training.trials import tested
from rulezero.training.warnings import about_fit, about_games, about_trial

_TEST_BATCH = 32  # games that a sequential gate plays between two checks of its test


class Trainee(Protocol):
    """A learner: a net, its optimiser and its number of steps."""

    @property
    def step(self) -> int: ...

    def learn_from(
        self,
        window: Window,
        generation: int,
        *,
        progress: tuple[float, float],
        dice: np.random.Generator,
        tell: Tell | None = None,
    ) -> Fit:
        """Fits to a window; `progress` is the share of the run done before and after the fit."""

    def write(self, net: Path, metadata: dict[str, Any]) -> None:
        """Writes the net that plays."""

    def save(self, folder: Path) -> str:
        """Writes its state to resume from; returns the SHA-256 of that."""

    def load(self, folder: Path, wanted: str) -> None:
        """Restores the state that `save` wrote."""


class Loop:
    """The training loop of a run."""

    def __init__(
        self,
        run: Run,
        game: Game,
        experiment: Experiment,
        trainee: Callable[[int], Trainee],
        fleet: Fleet,
        listener: Listener | None = None,
        earlier: Mapping[int, Experiment] | None = None,
    ) -> None:
        """`trainee` makes an untrained learner from a seed.

        `earlier` has the former experiments of the run, each by its last iteration, in ascending
        order.
        """
        self.run = run
        self.game = game
        self.experiment = experiment
        self.new_trainee = trainee
        self.fleet = fleet
        self.listener = listener or Listener()
        self.earlier = earlier or {}
        self.progress = Progress()
        self._window = Window(experiment.window)
        self._trainee: Trainee | None = None
        self._began = time.perf_counter()
        self._times = os.times()
        self._played_sims: Counter[str] = Counter()  # by task, without games that were found

    def go(self, last: int | None = None) -> Progress:
        """Continues the run up to the end of the experiment, or of the iteration `last`."""
        with self.run.locked():
            self.progress = self.run.progress()
            self.run.cut_log(self.progress)
            if not self.progress.latest:
                self._begin()
            self.run.check_nets(self.progress)
            self._restore()
            phases: dict[Phase, Callable[[], None]] = {
                "generate": self._generate,
                "fit": self._fit,
                "evaluate": self._evaluate,
            }
            self._meet_length()
            while not self.progress.is_done and (last is None or self.progress.iteration <= last):
                self._began = time.perf_counter()
                self.listener.begin(self.progress.iteration, self.progress.phase)
                phases[self.progress.phase]()
        return self.progress

    # --- phases ----------------------------------------------------------------------------------

    def _generate(self) -> None:
        iteration = self.progress.iteration
        self._withdraw()
        tasks = self.experiment.games(iteration, self._nets())
        records = self._play(tasks)
        for task in tasks:
            self._log_games(task, [record for record in records if record.task == task.name])
        if iteration == 0:
            records += self._given()
        self._take(records, iteration)
        self._advance(phase="fit" if records else "evaluate")

    def _fit(self) -> None:
        iteration, experiment = self.progress.iteration, self.experiment
        trainee, window = self._trainee, self._window
        if trainee is None or (experiment.fit.init == "scratch" and iteration > 0):
            trainee = self.new_trainee(keyed(experiment.seed, "net", iteration) % 2**63)
        self._trainee = trainee
        fit = trainee.learn_from(
            window,
            iteration,
            progress=(
                iteration / (experiment.iterations + 1),
                (iteration + 1) / (experiment.iterations + 1),
            ),
            dice=np.random.default_rng(keyed(experiment.seed, "fit", iteration)),
            tell=self.listener.learned,
        )
        name = f"iter_{iteration}"
        trainee.write(self.run.nets / name, {"iteration": iteration, "step": trainee.step})
        folder = f"learner_{iteration}"
        (self.run.state / folder).mkdir(exist_ok=True)
        digest = trainee.save(self.run.state / folder)
        figures = msgspec.structs.asdict(fit)
        self._log(FitEntry, window=len(window), window_games=len(window.games), **figures)
        self._warn(about_fit(fit, experiment.fit.loss))
        self._advance(
            phase="evaluate",
            latest=name,
            previous=self.progress.latest,
            learner=folder,
            learner_digest=digest,
        )

    def _evaluate(self) -> None:
        iteration = self.progress.iteration
        tasks = self.experiment.regime.trials(self.experiment, iteration, self._nets())
        test = self.experiment.gate.test
        if test is None:
            records = self._play(tasks)
        else:
            records = self._play([task for task in tasks if task.purpose != "gate"])
            for gate in (task for task in tasks if task.purpose == "gate"):
                records += self._play_until_decided(gate, test)
        results = {}
        for task in tasks:
            played = [record for record in records if record.task == task.name]
            results[task.name] = [result_of(record, task) for record in played]
            self._log_games(task, played)
        verdict = self.experiment.regime.verdict(self.experiment, iteration, results)
        self._log(
            VerdictEntry,
            net=self.progress.latest,
            is_promoted=verdict.is_promoted,
            is_tried=any(task.purpose == "gate" for task in tasks),
            reason=verdict.reason,
            cores=self._busy_cores(),
        )
        best = self.progress.latest if verdict.is_promoted else self.progress.best
        if iteration >= self.experiment.iterations:
            self._advance(best=best, is_done=True)
        else:
            self._advance(best=best, iteration=iteration + 1, phase="generate")

    # --- what the phases share -------------------------------------------------------------------

    def _begin(self) -> None:
        """Writes the untrained net, which plays first, and the games that the run is given."""
        trainee = self.new_trainee(keyed(self.experiment.seed, "net", 0) % 2**63)
        trainee.write(self.run.nets / "untrained", {})
        self._copy_given()
        self._began = time.perf_counter()
        self._advance(best="untrained", latest="untrained")

    def _meet_length(self) -> None:
        """Continues a finished run that was lengthened, and ends a run that was shortened."""
        at, length = self.progress.iteration, self.experiment.iterations
        if self.progress.is_done and at < length:
            self._advance(iteration=at + 1, phase="generate", is_done=False)
        elif at > length:
            self._advance(iteration=length, phase="evaluate", is_done=True)

    def _experiment_of(self, iteration: int) -> Experiment:
        """The experiment that was in use in an iteration."""
        return next((e for last, e in self.earlier.items() if iteration <= last), self.experiment)

    def _restore(self) -> None:
        """Restores the window and the learner as the earlier phases have left them."""
        progress = self.progress
        if progress.learner:
            self._trainee = self.new_trainee(0)
            self._trainee.load(self.run.state / progress.learner, progress.learner_digest)
        self._fill_window()

    def _fill_window(self) -> None:
        """Fills the window with the games of the phases that are done."""
        progress = self.progress
        self._window = Window(self.experiment.window)
        last = progress.iteration - (progress.phase == "generate")
        by_task: dict[str, list[Record]] = {}
        with self.run.store() as store:
            for record in store:
                by_task.setdefault(record.task, []).append(record)
        for generation in range(last + 1):
            records = []
            for task in self._experiment_of(generation).games(generation, self._nets()):
                kept = by_task.get(task.name, [])
                if len({record.index for record in kept}) < task.games:
                    raise RunError(
                        f"'{self.run.records}' has {len(kept)} of the {task.games} games of"
                        f" {task.name}: restore the missing ones, or start a new run"
                    )
                records += kept
            if generation == 0:
                records += self._given()
            self._take(records, generation)

    def _withdraw(self) -> None:
        """Leaves the games out that were withdrawn from the fleet, from this iteration on."""
        if not isinstance(self.fleet, OpenFleet):
            return
        new = self.run.withdraw(self.fleet.withdrawn(), self.progress.iteration)
        if new:
            self._fill_window()
            about = f"withdrawn/{self.progress.iteration}"
            self._warn({about: f"{new} withdrawn games are left out of the window from now on"})

    def _play(self, tasks: Sequence[Task]) -> list[Record]:
        """Plays the tasks; returns all their games, including those already in the store."""
        found: list[dict[int, Record]] = [{} for _ in tasks]
        tallies = [RunningTally() for _ in tasks]
        total, sims = sum(task.games for task in tasks), 0
        with self.run.store() as store:
            for number, record, is_new in play_into(store, tasks, self.fleet):
                found[number][record.index] = record
                if is_new:
                    tallies[number].add(result_of(record, tasks[number]))
                    searched = int(record.columns().sims.sum())
                    self._played_sims[tasks[number].name] += searched
                    sims += searched
                    games = sum(map(len, found))
                    self.listener.played(tasks[number], tallies[number].tally, games, total, sims)
        return [found[number][at] for number in range(len(tasks)) for at in sorted(found[number])]

    def _play_until_decided(self, task: Task, test: Sprt) -> list[Record]:
        """Plays the games of a gate up to the verdict of its sequential test.

        The games are played in batches, so that their number depends only on results and not on
        the speed of the workers.
        """
        records: list[Record] = []
        for games in range(_TEST_BATCH, task.games + _TEST_BATCH, _TEST_BATCH):
            part = msgspec.structs.replace(task, games=min(games, task.games))
            records = self._play([part])
            results = [result_of(record, task) for record in records]
            if tested(test, results).sprt.verdict != "undecided":
                break
        return records

    def _copy_given(self) -> None:
        """Copies the games of other stores into the run's store, with new names of their tasks."""
        with self.run.store() as store:
            for number, path in enumerate(self.experiment.stores):
                source = Store(path)
                for record in source.select(game=self.game.text):
                    task = f"given/{number}/{record.task}" if record.task else ""
                    copy = msgspec.structs.replace(record, task=task, iteration=None, is_given=True)
                    store.add(copy)
                    for note in source.notes(record.id):
                        store.add_note(copy.id, note.judge, note.thoughts)

    def _given(self) -> list[Record]:
        """The games that were copied from other stores."""
        if not self.experiment.stores:
            return []
        return [
            record
            for record in self.run.store()
            if record.is_given or not record.task  # no task: given in an older run
        ]

    def _take(self, records: Sequence[Record], generation: int) -> None:
        if withdrawn := self.run.withdrawn(self.progress.iteration):
            records = [record for record in records if record.id not in withdrawn]
        ids = {record.id for record in records}
        notes = {
            note.record: note.thoughts for note in self.run.store().notes() if note.record in ids
        }
        take(self._window, records, self.game, self.experiment.targets_of, generation, notes)

    def _nets(self) -> dict[str, str]:
        progress = self.progress
        return {
            "best": progress.best,
            "latest": progress.latest,
            "previous": progress.previous or progress.latest,
            "candidate": progress.latest,
        }

    def _busy_cores(self) -> float:
        """The mean number of cores that this process and its workers used since the last call."""
        now, before = os.times(), self._times
        self._times = now
        worked = sum(now[at] - before[at] for at in range(4))  # user and system, with children
        return worked / max(now.elapsed - before.elapsed, 0.01)

    def _advance(self, **changes: Any) -> None:
        """Writes down that the phase is done."""
        size = self.run.log.stat().st_size if self.run.log.is_file() else 0
        self.progress = msgspec.structs.replace(
            self.progress, seconds=self._seconds_so_far(), log_bytes=size, **changes
        )
        self.run.advance(self.progress)

    def _seconds_so_far(self) -> float:
        return self.progress.seconds + time.perf_counter() - self._began

    def _log(self, kind: Callable[..., Entry], **fields: Any) -> None:
        iteration, seconds = self.progress.iteration, self._seconds_so_far()
        entry = kind(iteration=iteration, seconds_so_far=seconds, **fields)
        self.run.append(entry)
        self.listener.logged(entry)

    def _log_games(self, task: Task, records: Sequence[Record]) -> None:
        seconds = time.perf_counter() - self._began
        tally = Tally.of(result_of(record, task) for record in records)
        first = tally.by_seat[0] + tally.by_seat[1].swapped
        self._log(
            GamesEntry,
            task=task.name,
            purpose=task.purpose,
            a=task.a,
            b=task.b,
            games=len(records),
            plies=sum(record.plies for record in records),
            sims=sum(int(record.columns().sims.sum()) for record in records),
            played_sims=self._played_sims.pop(task.name, 0),
            seconds=seconds,
            score=tally.score,
            elo=elo(tally),
            first_seat=first.score,
            ends=tally.by_cause,
            different=tally.different,
            figures=training_of(self.game).figures(self.game, records, self.experiment.targets),
        )
        if task.purpose in ("self-play", "bootstrap"):
            self._warn(about_games(first))
        else:
            self._warn(about_trial(task, tally))

    def _warn(self, found: Mapping[str, str]) -> None:
        for name, words in found.items():
            if name not in self.progress.warned:
                warned = (*self.progress.warned, name)
                self.progress = msgspec.structs.replace(self.progress, warned=warned)
                self._log(WarningEntry, about=name, words=words)
