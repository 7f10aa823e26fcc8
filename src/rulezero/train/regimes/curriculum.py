"""Lessons beside what another regime plays: games from positions that a side must learn to win."""

from collections.abc import Mapping

import msgspec
import numpy as np

from rulezero.data.record import Columns, Purpose, Record
from rulezero.data.replay import Replay
from rulezero.learn.targets import Targets, of_play
from rulezero.play.task import Task
from rulezero.stats.tally import Tally
from rulezero.train.games.monster import lessons
from rulezero.train.recipe import Recipe
from rulezero.train.regimes.gated import Gated
from rulezero.train.tasks import PlaySettings, task_of

# Sources of records: the first lessons, which a window may keep for ever, and all later ones.
BOOTSTRAP = "curriculum_bootstrap"
LESSON = "curriculum"


class Curriculum:
    """Another regime, and in every iteration games from the lessons as well."""

    def __init__(self, recipe: Recipe, inner: Gated) -> None:
        assert recipe.curriculum is not None
        self.recipe = recipe
        self.inner = inner
        self.settings = recipe.curriculum
        self._plain = recipe.targets.model_copy(update={"skip_plies": 0})
        self._tiers = {lesson.text: lesson.tier for lesson in lessons()}

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """What the other regime plays, then the lessons."""
        settings = self.settings
        first = settings.first if iteration == 0 else settings.seat
        played = PlaySettings(
            a=first,
            b=settings.black,
            games=settings.games,
            swap=False,
            starts=settings.starts,
            source=LESSON if iteration else BOOTSTRAP,
        )
        purpose: Purpose = "self-play" if iteration else "bootstrap"
        task = task_of(played, nets, self.recipe, iteration, name=LESSON, purpose=purpose)
        return [*self.inner.games(iteration, nets), task]

    def targets(
        self, record: Record, columns: Columns, course: Replay, note: Columns | None
    ) -> Targets:
        """What is learned from a game; a lesson's first plies are no opening."""
        tier, is_own = self._tiers.get(record.start), record.source in (BOOTSTRAP, LESSON)
        if tier is None and not is_own:
            return self.inner.targets(record, columns, course, note)
        found = of_play(record, columns, course, self._plain, note)
        if self.settings.label == "result" or tier is None or not is_own:
            return found
        result = np.full(record.plies, self.settings.values[tier - 1], np.float32)
        return msgspec.structs.replace(found, result=result, drawn=1 - np.abs(result))

    def trials(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """As the other regime."""
        return self.inner.trials(iteration, nets)

    def is_promoted(self, iteration: int, tallies: Mapping[str, Tally]) -> bool:
        """As the other regime."""
        return self.inner.is_promoted(iteration, tallies)
