"""The matches that measure a new net, and the decision whether it becomes the best one."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rulezero.play.task import Task
from rulezero.stats.rating import to_score
from rulezero.stats.sprt import SequentialTest, Sprt
from rulezero.stats.tally import GameResult, Tally, different
from rulezero.training.tasks import GateSettings, task_name, trial_of

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment


def trials(experiment: "Experiment", iteration: int, nets: Mapping[str, str]) -> list[Task]:
    """The matches of an iteration's net: the gate against the best net, and one against the anchor.

    The net of the last iteration plays them whatever `every` says.
    """
    gate, anchor, tasks = experiment.gate, experiment.anchor, []
    is_last = iteration == experiment.iterations
    if iteration > 0 and gate.kind != "always" and (is_last or iteration % gate.every == 0):
        tasks.append(trial_of(gate, nets, experiment, iteration, name="gate", purpose="gate"))
    if anchor is not None and (is_last or iteration % anchor.every == 0):
        trial = trial_of(anchor, nets, experiment, iteration, name="anchor", purpose="rating")
        tasks.append(trial)
    return tasks


class Verdict(NamedTuple):
    """Whether a new net becomes the best, and why."""

    is_promoted: bool
    reason: str = ""  # in words; "": the score alone decided, or there were no games


def verdict(
    gate: GateSettings, iteration: int, results: Mapping[str, Sequence[GameResult]]
) -> Verdict:
    """The gate's verdict by the results of the trials: by task name, in the order of games."""
    played = results.get(task_name(iteration, "gate"))
    if played is None:
        return Verdict(gate.kind == "always" or iteration == 0)
    score, fresh = Tally.of(played).score, Tally.of(different(played))
    if gate.test is None:
        return _settled(score, fresh, gate.threshold, "")
    test = tested(gate.test, played)
    if (decision := test.sprt.verdict) != "undecided":
        return Verdict(decision == "accepted H1", f"{decision} after {test.games} games")
    middle = (gate.elo0 + gate.elo1) / 2
    words = (
        f"undecided after {test.games} games, so the score decides: {score:.1%} is"
        f" {{}} {to_score(middle):.1%}, {middle:+g} Elo"
    )
    words = words.format("at least" if score >= to_score(middle) else "below")
    return _settled(score, fresh, to_score(middle), words)


def _settled(score: float, fresh: Tally, least: float, words: str) -> Verdict:
    """The verdict by score: all games, and the different games alone, must reach `least`."""
    if score < least or fresh.score >= least:
        return Verdict(score >= least, words)
    games = "1 different game" if fresh.games == 1 else f"{fresh.games} different games"
    copies = f"{score:.1%} of all games, but {fresh.score:.1%} of the {games}: copies do not count"
    return Verdict(False, f"{words}; {copies}" if words else copies)


def tested(sprt: Sprt, results: Sequence[GameResult]) -> SequentialTest:
    """The test after the games of a task, in the order of their indices."""
    test = SequentialTest(sprt, pairs=True)
    for index, result in enumerate(results):
        if test.add(index, result):
            break
    return test
