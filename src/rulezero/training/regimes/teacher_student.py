"""The best net with a search plays against the newest net, which looks one ply ahead."""

from typing import TYPE_CHECKING, Literal

from rulezero.training.flag import Flag, searching
from rulezero.training.regimes.regime import Regime
from rulezero.training.tasks import PlayerText, PlaySettings

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment


class TeacherStudent(Regime):
    """selfplay.a is the teacher. The two swap colours each game; both sides are learned from."""

    kind: Literal["teacher_student"] = "teacher_student"
    student: PlayerText = "oneply:net=latest"

    switch = "asymmetric"
    switch_help = "Let a net that searches play one that looks one ply ahead."
    flags = (
        Flag(
            "asymmetric-sims",
            int,
            "Set the simulations per move of the net that searches.",
            searching,
        ),
    )
    unread = {  # noqa: RUF012
        "selfplay.b": "set regime.student, the second player",
        "selfplay.swap": "leave it out, as teacher and student always swap colours",
    }

    def selfplay(self, experiment: "Experiment", iteration: int) -> PlaySettings:
        """Teacher against student."""
        return experiment.selfplay.model_copy(update={"b": self.student, "swap": True})

    def standalone_games(self, experiment: "Experiment") -> PlaySettings:
        """The same games outside a run."""
        return self.selfplay(experiment, 1)
