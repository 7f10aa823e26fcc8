"""An experiment: everything that a run depends on, but for the machine."""

from collections.abc import Mapping
from typing import Annotated

import yaml
from pydantic import BeforeValidator, Field, model_validator

from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.learn.fit import FitSettings
from rulezero.learn.targets import Targets
from rulezero.learn.window import WindowSettings
from rulezero.nets.config import NetConfig, sized
from rulezero.play.task import Task
from rulezero.settings import Settings
from rulezero.train.games.exchange import ShapedTargetSettings
from rulezero.train.regimes import AnyRegime
from rulezero.train.regimes.curriculum import Curriculum
from rulezero.train.regimes.gated import Gated
from rulezero.train.tasks import GateSettings, PlaySettings, TrialSettings


class Experiment(Settings):
    """A recipe with its preset and changes."""

    recipe: str
    preset: str
    game: str
    regime: AnyRegime = Gated()
    seed: int = Field(0, ge=0, lt=1 << 64)
    iterations: int = Field(10, ge=0)  # of self-play; the bootstrap is iteration 0
    begin: str | None = None  # a net whose weights the first one has; none: random ones
    net: Annotated[NetConfig, BeforeValidator(sized)] = NetConfig()
    bootstrap: tuple[PlaySettings, ...] = ()
    selfplay: PlaySettings
    curriculum: Curriculum | None = None  # lessons beside the other games; none: without
    stores: tuple[str, ...] = ()  # folders of more games to learn from, people's for instance
    targets: ShapedTargetSettings = ShapedTargetSettings()
    window: WindowSettings = WindowSettings()
    fit: FitSettings = FitSettings()
    gate: GateSettings = GateSettings()
    anchor: TrialSettings | None = None
    width: int = Field(32, ge=1)  # games that a worker plays in step

    @model_validator(mode="after")
    def _suits_its_regime(self) -> "Experiment":
        last, whole = self.regime.last_iteration, self
        if last is not None and "iterations" not in self.model_fields_set:
            whole = self.model_copy(update={"iterations": last})
        self.regime.accept(whole)
        return whole

    @property
    def text(self) -> str:
        """The experiment as YAML: config.read gives it back."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """What to play before the fit of an iteration; none: there is no fit."""
        tasks = self.regime.games(self, iteration, nets)
        if self.curriculum is not None:
            tasks.append(self.curriculum.task(self, iteration, nets))
        return tasks

    def targets_of(
        self, record: Record, columns: Columns, replay: Replay, note: Columns | None
    ) -> Targets:
        """What is learned from a game, perhaps with a judge's note about it."""
        found = None
        if self.curriculum is not None:
            found = self.curriculum.targets(self, record, columns, replay, note)
        return found or self.regime.targets(self, record, columns, replay, note)
