"""A search teaches what one look ahead can do: the best net searches, the newest one does not."""

from typing import TYPE_CHECKING, Literal

from rulezero.train.flag import Flag, searching
from rulezero.train.regimes.regime import Regime
from rulezero.train.tasks import PlayerText, PlaySettings

if TYPE_CHECKING:
    from rulezero.train.experiment import Experiment


class TeacherStudent(Regime):
    """selfplay.a is the teacher; they swap colours each game, and both sides are learned from."""

    kind: Literal["teacher_student"] = "teacher_student"
    student: PlayerText = "oneply:net=latest"

    flags = (
        Flag(
            "asymmetric",
            bool,
            "A teacher who searches against a student.",
            lambda *_: {"regime": {"kind": "teacher_student"}},
        ),
        Flag("asymmetric-sims", int, "The teacher's simulations.", searching),
    )

    def selfplay(self, experiment: "Experiment", iteration: int) -> PlaySettings:
        """Teacher against student."""
        return experiment.selfplay.model_copy(update={"b": self.student, "swap": True})

    def standalone_games(self, experiment: "Experiment") -> PlaySettings:
        """The same outside a run."""
        return self.selfplay(experiment, 1)
