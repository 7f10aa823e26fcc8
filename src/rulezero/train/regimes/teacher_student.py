"""A search teaches what one look ahead can do: the best net searches, the newest one does not."""

from rulezero.train.regimes.gated import Gated
from rulezero.train.tasks import PlaySettings


class TeacherStudent(Gated):
    """selfplay.a is the teacher; they swap colours each game, and both sides are learned from."""

    def selfplay(self, iteration: int) -> PlaySettings:
        """Teacher against student."""
        return self.recipe.selfplay.model_copy(update={"b": self.recipe.student, "swap": True})
