"""The base class of regimes; by default, a net plays against itself."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rulezero._core import Game
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.games.load import load
from rulezero.learn.targets import Targets, of_play
from rulezero.learn.terms import chosen
from rulezero.play.task import Task
from rulezero.settings import Settings
from rulezero.stats.tally import GameResult
from rulezero.training.flag import Flag, Keys
from rulezero.training.games import training_of
from rulezero.training.log import Summary
from rulezero.training.run import Run
from rulezero.training.tasks import PlaySettings, task_of
from rulezero.training.trials import Verdict, trials, verdict

if TYPE_CHECKING:
    from rulezero.nets.size import Size
    from rulezero.training.experiment import Experiment
    from rulezero.training.loop import Trainee


class Regime(Settings):
    """Who plays whom, what is learned, which net is promoted, and what kind of net learns.

    Its fields are the keys of a recipe's `regime`; its methods get the other keys as `experiment`.
    """

    flags: ClassVar[tuple[Flag, ...]] = ()  # its own flags on the command line
    has_gate: ClassVar[bool] = True  # whether a new net must beat the best one
    has_tower: ClassVar[bool] = True  # whether the net is a tower: `net`, `targets`, GPUs
    switch: ClassVar[str] = ""  # the flag that turns it on and off; "": there is none
    switch_help: ClassVar[str] = ""  # what turning it on does
    unread: ClassVar[dict[str, str]] = {}  # keys that it does not read, and what to do instead

    @property
    def last_iteration(self) -> int | None:
        """The number of iterations by its own settings; None: the recipe's key `iterations`."""
        return None

    def accept(self, experiment: "Experiment") -> None:
        """Raises ValueError if the experiment has keys that do not fit this regime."""

    def check(self, game: Game) -> None:
        """Raises RunError if a run cannot begin: for example, a wrong game or a missing net."""

    def games(
        self, experiment: "Experiment", iteration: int, nets: Mapping[str, str]
    ) -> list[Task]:
        """The tasks before the fit of an iteration; [] if there is no fit.

        Iteration 0 is the bootstrap, if there is one; every later one is self-play. `nets` maps
        best, latest, previous and candidate to the names of nets; players may also name `untrained`
        and `iter_N` (iter_0 only after a bootstrap). Names of tasks and numbers of games must not
        depend on `nets`, because a resumed run calls this for old iterations with the current nets.
        """
        if iteration == 0:
            return [
                task_of(settings, nets, experiment, 0, name=f"bootstrap_{at}", purpose="bootstrap")
                for at, settings in enumerate(experiment.bootstrap)
            ]
        played = self.selfplay(experiment, iteration)
        return [task_of(played, nets, experiment, iteration, name="self-play", purpose="self-play")]

    def selfplay(self, experiment: "Experiment", iteration: int) -> PlaySettings:
        """The games of an iteration after the bootstrap."""
        return experiment.selfplay

    def standalone_games(self, experiment: "Experiment") -> PlaySettings:
        """The games that `rulezero generate` plays, outside any run."""
        return experiment.selfplay

    def targets(
        self,
        experiment: "Experiment",
        record: Record,
        columns: Columns,
        replay: Replay,
        note: Columns | None,
    ) -> Targets:
        """The training targets of a game; `note` is a judge's note about it, if there is one."""
        shaped = training_of(replay.last.game).shape(record, replay, experiment.targets)
        return of_play(record, columns, replay, experiment.targets, note, shaped)

    def trials(
        self, experiment: "Experiment", iteration: int, nets: Mapping[str, str]
    ) -> list[Task]:
        """The matches of the net that was fitted."""
        return trials(experiment, iteration, nets)

    def verdict(
        self, experiment: "Experiment", iteration: int, results: Mapping[str, Sequence[GameResult]]
    ) -> Verdict:
        """Whether the new net becomes the best, by the results of the trials (by task name)."""
        return verdict(experiment.gate, iteration, results)

    def trainee(self, experiment: "Experiment", game: Game, run: Run) -> "Callable[[int], Trainee]":
        """Returns a function that makes an untrained learner from a seed."""
        from rulezero.learn.learner import Learner  # here, because importing torch takes long
        from rulezero.nets.card import inside, resolve
        from rulezero.nets.checkpoint import load
        from rulezero.nets.tower import create

        terms = chosen(experiment.hooks, experiment.fit.loss.extra)
        heads = {term.name: term.head for term in terms if term.head is not None}

        def learner(seed: int) -> Learner:
            if experiment.begin is None:
                net = create(game, experiment.net, seed, heads)
            else:  # the run has a copy of the net that it began with
                found = inside(run.nets, "untrained") or resolve(experiment.begin)
                net = load(found, game, heads, seed)
            return Learner(net, game, experiment.fit, experiment.targets, terms, experiment.hooks)

        return learner

    def begin_with(self, net: str) -> Keys:
        """The keys with which a run begins with the weights of a net."""
        return {"begin": net}

    def untrained(self, experiment: "Experiment", game: Game, folder: Path) -> Path:
        """Writes a net that has learned nothing into a folder."""
        from rulezero.nets.checkpoint import save
        from rulezero.nets.tower import create

        return save(folder / "untrained", create(game, experiment.net, experiment.seed), game)

    def stand_in(self, folder: Path, seed: int) -> bool:
        """Replaces the untrained nets of a folder by ones that play like trained nets, if it can.

        Returns whether it did. Estimates measure games of these nets, and take their lengths for
        those of the run's games. By default the untrained nets remain.
        """
        return False

    def learns_since(self, iteration: int) -> int:
        """The first iteration whose games the fit of an iteration may learn from."""
        return 0

    def size(self, experiment: "Experiment") -> "Size":
        """The size of its net."""
        from rulezero.nets.size import size_of

        return size_of(load(experiment.game).text, experiment.net)

    def conclude(self, run: Run) -> Summary | None:
        """A summary of a finished run for its log; None: there is none."""
        return None
