"""A net plays itself; a new one becomes the best if it is stronger."""

from collections.abc import Mapping

from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.learn.targets import Targets, of_play
from rulezero.play.task import Task
from rulezero.stats.tally import Tally
from rulezero.train.recipe import Recipe
from rulezero.train.tasks import PlaySettings, task_of
from rulezero.train.trials import is_better, trials


class Gated:
    """Iteration 0 is the bootstrap, if there is one; every later one is self-play."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """What to play before the fit of an iteration; none: there is no fit."""
        recipe = self.recipe
        if iteration == 0:
            return [
                task_of(settings, nets, recipe, 0, name=f"bootstrap_{at}", purpose="bootstrap")
                for at, settings in enumerate(recipe.bootstrap)
            ]
        played = self.selfplay(iteration)
        return [task_of(played, nets, recipe, iteration, name="self-play", purpose="self-play")]

    def selfplay(self, iteration: int) -> PlaySettings:
        """The games of an iteration after the bootstrap."""
        return self.recipe.selfplay

    def targets(
        self, record: Record, columns: Columns, course: Replay, note: Columns | None
    ) -> Targets:
        """What is learned from a game, perhaps with a judge's note about it."""
        return of_play(record, columns, course, self.recipe.targets, note)

    def trials(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """What to play with the net that was fitted."""
        return trials(self.recipe, iteration, nets)

    def is_promoted(self, iteration: int, tallies: Mapping[str, Tally]) -> bool:
        """Whether the new net becomes the best, by the trials' names."""
        return is_better(self.recipe.gate, iteration, tallies)
