"""A search teaches what one look ahead can do: the best net searches, the newest one does not."""

from collections.abc import Mapping

from rulezero.play.task import Task
from rulezero.train.regimes.gated import Gated


class TeacherStudent(Gated):
    """selfplay.a is the teacher; they swap colours each game, and both sides are learned from."""

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """Teacher against student, after the bootstrap."""
        if iteration == 0:
            return super().games(iteration, nets)
        lesson = self.recipe.selfplay.model_copy(update={"b": self.recipe.student, "swap": True})
        return [self.selfplay(iteration, nets, lesson)]
