"""Lessons: games from positions that a side must learn to win, in addition to a regime's games."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec
import numpy as np
from pydantic import Field

from rulezero.data.record import Columns, Purpose, Record
from rulezero.data.replay import Replay
from rulezero.games.load import load
from rulezero.learn.targets import Targets, of_play
from rulezero.play.task import Task
from rulezero.settings import Settings
from rulezero.training.flag import Flag, Keys, Switch, setting, with_sims
from rulezero.training.games import training_of
from rulezero.training.tasks import CURRICULUM, PlayerText, PlaySettings, task_of

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment

# Sources of records: the lessons of the bootstrap, which a window may always keep, and all later
# lessons.
BOOTSTRAP = "curriculum_bootstrap"
LESSON = "curriculum"

Value = Annotated[float, Field(ge=-1, le=1)]  # seat 0's


def _has_lessons(experiment: "Experiment") -> bool:
    return bool(training_of(load(experiment.game)).lessons())


def _fits(experiment: "Experiment") -> bool:
    return experiment.curriculum is not None


def _turn(experiment: "Experiment", is_on: bool) -> Keys:
    if is_on == _fits(experiment):
        return {}
    return {"curriculum": {} if is_on else None}


def _searching(experiment: "Experiment", sims: int) -> Keys:
    lessons = experiment.curriculum or Curriculum()
    return {"curriculum": {"player": with_sims(lessons.player, sims)}}


class Curriculum(Settings):
    """Settings for games from lessons in every iteration, and for their targets."""

    games: int = Field(200, ge=1)
    player: PlayerText = "puct:net=latest,sims=50,temperature=1,temperature_turns=15"  # White
    first: PlayerText = "ucb1:sims=800,temperature=1,temperature_turns=15"  # White in the bootstrap
    black: PlayerText = "scripted"
    starts: str = CURRICULUM  # as in selfplay
    label: Literal["result", "start"] = "result"  # value target: the result, or the tier's value
    values: tuple[Value, Value, Value, Value, Value] = (-1, -1, -0.7, -0.7, -0.7)  # by tier

    def idle(self) -> dict[str, str]:
        """The values of tiers if the targets are the results of games."""
        return {} if self.label == "start" else {"values": "label=start"}

    flags: ClassVar[tuple[Flag, ...]] = (
        Flag(
            "curriculum",
            Switch,
            "Play games from the game's lesson positions in every iteration.",
            _turn,
            _has_lessons,
        ),
        Flag(
            "curriculum-games",
            int,
            "Play this many lessons per iteration.",
            setting("curriculum", "games"),
            _fits,
            needs="curriculum",
        ),
        Flag(
            "curriculum-simulations",
            int,
            "Set White's simulations per move in lessons.",
            _searching,
            _fits,
            needs="curriculum",
        ),
    )

    def task(self, experiment: "Experiment", iteration: int, nets: Mapping[str, str]) -> Task:
        """The lessons of an iteration."""
        played = PlaySettings(
            a=self.player if iteration else self.first,
            b=self.black,
            games=self.games,
            swap=False,
            starts=self.starts,
            source=LESSON if iteration else BOOTSTRAP,
        )
        purpose: Purpose = "self-play" if iteration else "bootstrap"
        return task_of(played, nets, experiment, iteration, name=LESSON, purpose=purpose)

    def targets(
        self,
        experiment: "Experiment",
        record: Record,
        columns: Columns,
        replay: Replay,
        note: Columns | None,
    ) -> Targets | None:
        """The targets of a lesson, which keep its first plies; None for other games."""
        training = training_of(replay.last.game)
        tier = {lesson.text: lesson.tier for lesson in training.lessons()}.get(record.start)
        is_own = record.source in (BOOTSTRAP, LESSON)
        if tier is None and not is_own:
            return None
        plain = experiment.targets.model_copy(update={"skip_plies": 0})
        shaped = training.shape(record, replay, plain)
        found = of_play(record, columns, replay, plain, note, shaped)
        if self.label == "result" or tier is None or not is_own:
            return found
        result = np.full(record.plies, self.values[tier - 1], np.float32)
        return msgspec.structs.replace(found, result=result, drawn=1 - np.abs(result))
