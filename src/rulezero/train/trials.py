"""How a new net is measured, and when it becomes the best one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rulezero.play.task import Task
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import Tally
from rulezero.train.tasks import GateSettings, task_name, trial_of

if TYPE_CHECKING:
    from rulezero.train.experiment import Experiment


def trials(experiment: "Experiment", iteration: int, nets: Mapping[str, str]) -> list[Task]:
    """What the net of an iteration plays: against the best one, and against the anchor.

    The last one is always tried.
    """
    gate, anchor, tasks = experiment.gate, experiment.anchor, []
    is_last = iteration == experiment.iterations
    if iteration > 0 and gate.kind != "always" and (is_last or iteration % gate.every == 0):
        tasks.append(trial_of(gate, nets, experiment, iteration, name="gate", purpose="gate"))
    if anchor is not None and (is_last or iteration % anchor.every == 0):
        trial = trial_of(anchor, nets, experiment, iteration, name="anchor", purpose="rating")
        tasks.append(trial)
    return tasks


def is_better(gate: GateSettings, iteration: int, tallies: Mapping[str, Tally]) -> bool:
    """Whether a new net becomes the best, by the trials' names."""
    tally = tallies.get(task_name(iteration, "gate"))
    if tally is None:
        return gate.kind == "always" or iteration == 0
    if gate.kind == "sprt":
        return Sprt(elo0=gate.elo0, elo1=gate.elo1).after(tally).verdict == "accepted H1"
    return tally.score >= gate.threshold
