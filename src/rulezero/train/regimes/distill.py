"""A perceptron learns to say at a glance what counting men says, then what a search says.

It plays against itself, and a judge looks on: in mode 1 what it says of a position itself is
learned, in mode 2 what its search comes to. The judge's own net stands still for a whole stage.
"""

from collections.abc import Mapping

import numpy as np

from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.learn.targets import Targets
from rulezero.play.task import Task
from rulezero.train.distillation import AGENTS, ENDS, Stage
from rulezero.train.recipe import Recipe
from rulezero.train.regimes.gated import Gated
from rulezero.train.tasks import PlaySettings, named, task_of

SUREST = 0.98  # targets are chances from 0.01 to 0.99


class Distill(Gated):
    """Stages of a number of iterations each; iteration 0 measures the net that it begins with."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.settings = recipe.distill

    def selfplay(self, iteration: int) -> PlaySettings:
        """The student against itself, and its judge."""
        judge = _judge(self.settings.stage_of(iteration))
        return self.recipe.selfplay.model_copy(update={"judge": judge})

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """As anywhere; for two agents games of each, judged by its own teacher."""
        if iteration == 0 or self.settings.agents == 1:
            return super().games(iteration, nets)
        stage, played = self.settings.stage_of(iteration), self.recipe.selfplay
        black = named(played.a, {name: net + ENDS[1] for name, net in nets.items()})
        return [
            task_of(
                played.model_copy(update={"b": black, "swap": False, "judge": _judge(stage, end)}),
                nets,
                self.recipe,
                iteration,
                name=agent,
                purpose="self-play",
            )
            for agent, end in zip(AGENTS, ENDS, strict=True)
        ]

    def targets(
        self, record: Record, columns: Columns, course: Replay, note: Columns | None
    ) -> Targets:
        """What the judge says, whoever moved there and why; it counts as the search's value."""
        stage = self.settings.stage_of(record.iteration or 1)
        said = np.full(record.plies, np.nan, np.float32)
        if note is not None and stage.mode > 0:
            said = note.raw_value if stage.mode == 1 else note.value
        turns = np.arange(record.plies) // 2  # of both sides, so that none is passed over
        is_learned = np.isfinite(said) & (turns % self.settings.train_every == 0)
        return Targets(
            result=np.zeros(record.plies, np.float32),
            drawn=np.zeros(record.plies, np.float32),
            search=said.clip(-SUREST, SUREST),
            draw=np.zeros(record.plies, np.float32),
            weight=is_learned.astype(np.float32),
            has_policy=np.zeros(record.plies, np.bool_),
        )


def _judge(stage: Stage, end: str = "") -> str | None:
    """Who looks on: alpha-beta tells a position's own worth, too, before it searches."""
    if stage.mode == 2:
        return f"alphabeta:net={stage.teacher}{end},depth={stage.depth}"
    return "alphabeta:depth=1" if stage.mode == 1 else None
