"""The best net plays itself; a new one takes its place if it is stronger."""

from collections.abc import Mapping
from typing import Protocol

from rulezero.data.record import Columns, Record
from rulezero.data.replay import Course
from rulezero.play.sprt import Sprt
from rulezero.play.tally import Tally
from rulezero.play.task import Task
from rulezero.train.play import GateSettings, PlaySettings, TrialSettings, task_of, trial_of
from rulezero.train.targets import Targets, TargetSettings, of_play


class Recipe(Protocol):
    """What this regime reads of an experiment."""

    @property
    def game(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def bootstrap(self) -> tuple[PlaySettings, ...]: ...
    @property
    def selfplay(self) -> PlaySettings: ...
    @property
    def targets(self) -> TargetSettings: ...
    @property
    def gate(self) -> GateSettings: ...
    @property
    def anchor(self) -> TrialSettings | None: ...


class Gated:
    """Iteration 0 is the bootstrap, if there is one; every later one is self-play of the best."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """What to play before the fit of an iteration."""
        recipe = self.recipe
        if iteration == 0:
            return [
                task_of(
                    settings,
                    nets,
                    game=recipe.game,
                    name=f"{iteration:04}/bootstrap_{number}",
                    seed=recipe.seed,
                    purpose="bootstrap",
                )
                for number, settings in enumerate(recipe.bootstrap)
            ]
        return [
            task_of(
                recipe.selfplay,
                nets,
                game=recipe.game,
                name=f"{iteration:04}/self-play",
                seed=recipe.seed,
                purpose="self-play",
            )
        ]

    def targets(self, record: Record, columns: Columns, course: Course) -> Targets:
        """What is learned from a game."""
        return of_play(record, columns, course, self.recipe.targets)

    def trials(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """What to play with the net that was fitted."""
        recipe, tasks = self.recipe, []
        gate, anchor = recipe.gate, recipe.anchor
        game, seed = recipe.game, recipe.seed
        if iteration > 0 and gate.kind != "always" and iteration % gate.every == 0:
            name = f"{iteration:04}/gate"
            tasks.append(trial_of(gate, nets, game=game, name=name, seed=seed, purpose="gate"))
        if anchor is not None and iteration % anchor.every == 0:
            name = f"{iteration:04}/anchor"
            tasks.append(trial_of(anchor, nets, game=game, name=name, seed=seed, purpose="rating"))
        return tasks

    def is_promoted(self, iteration: int, tallies: Mapping[str, Tally]) -> bool:
        """Whether the new net becomes the best, by the trials' names."""
        gate = self.recipe.gate
        tally = tallies.get(f"{iteration:04}/gate")
        if tally is None:
            return gate.kind == "always" or iteration == 0
        if gate.kind == "sprt":
            return Sprt(elo0=gate.elo0, elo1=gate.elo1).after(tally).verdict == "accepted H1"
        return tally.score >= gate.threshold
