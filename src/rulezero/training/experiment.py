"""An experiment: everything that a run depends on, except the machine."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.games.load import load
from rulezero.learn.fit import FitSettings
from rulezero.learn.targets import Targets
from rulezero.learn.window import WindowSettings
from rulezero.nets.config import NetConfig, sized
from rulezero.play.task import Task
from rulezero.settings import Settings
from rulezero.training.games.exchange import ShapedTargetSettings
from rulezero.training.regimes import AnyRegime
from rulezero.training.regimes.curriculum import Curriculum
from rulezero.training.regimes.gated import Gated
from rulezero.training.tasks import GateSettings, PlaySettings, TrialSettings
from rulezero.yaml_files import dump


def _or_none(given: Any) -> Any:
    """Reads `gate: null` as no gate."""
    return {"kind": "always"} if given is None else given


class Experiment(Settings):
    """A recipe with its preset and changes."""

    recipe: str
    preset: str
    game: str
    regime: AnyRegime = Gated()
    seed: int = Field(0, ge=0, lt=1 << 64)
    iterations: int = Field(10, ge=0)  # of self-play; the bootstrap is iteration 0
    # A file of positions that all games begin from, in turn; none: the start of the game. The
    # groups selfplay, bootstrap, gate and anchor may have their own `starts`.
    starts: str | None = None
    begin: str | None = None  # a net whose weights the run begins with; none: random weights
    net: Annotated[NetConfig, BeforeValidator(sized)] = NetConfig()
    bootstrap: tuple[PlaySettings, ...] = ()
    selfplay: PlaySettings
    curriculum: Curriculum | None = None  # lessons in addition to the other games; none: no lessons
    stores: tuple[str, ...] = ()  # stores with more games to learn from, such as human games
    targets: ShapedTargetSettings = ShapedTargetSettings()
    window: WindowSettings = WindowSettings()
    fit: FitSettings = FitSettings()
    hooks: str | None = None  # a Python file that registers the terms of fit.loss.extra
    gate: Annotated[GateSettings, BeforeValidator(_or_none)] = GateSettings()
    anchor: TrialSettings | None = None
    width: int = Field(32, ge=1)  # games that a worker plays at the same time

    def __repr__(self) -> str:
        kind, many = self.regime.kind, self.iterations
        return f"<experiment {self.recipe} {self.preset}: {self.game}, {kind}, {many} iterations>"

    __str__ = __repr__

    @model_validator(mode="after")
    def _suits_its_regime(self) -> "Experiment":
        last, update = self.regime.last_iteration, dict[str, Any]()
        if last is not None and "iterations" not in self.model_fields_set:
            update["iterations"] = last
        if not self.regime.has_gate:
            update["gate"] = self._without_gate()
        whole = self.model_copy(update=update)
        self.regime.accept(whole)
        return whole

    def _without_gate(self) -> GateSettings:
        """The gate that promotes every net. Raises ValueError if the recipe sets another one."""
        none, given = GateSettings(kind="always"), self.gate
        wrong = [key for key in none.idle() if getattr(given, key) != getattr(none, key)]
        if "kind" in given.model_fields_set and given.kind != none.kind:
            wrong = ["kind"]
        if wrong:
            raise ValueError(
                f"the regime {self.regime.kind} has no gate and does not read gate.{wrong[0]}:"
                " leave it out, or add --set gate=null"
            )
        return none

    def idle(self) -> dict[str, str]:
        """Keys for parts that the net does not have."""
        found = {} if self.net.moves_left else {"fit.loss.moves_left": "net.moves_left=true"}
        if self.regime.has_tower and not self.fit.loss.extra:
            found["hooks"] = "fit.loss.extra={NAME: WEIGHT}"
        if self.regime.has_tower:
            head = self.net.for_game(load(self.game).facts).head
            if head not in ("flat", "dense"):
                found["net.policy_channels"] = "net.head=flat"
            if head != "from_to":
                found["net.key_channels"] = "net.head=from_to"
        return found

    @property
    def text(self) -> str:
        """The experiment as YAML, which config.read reads again."""
        keys = self.model_dump(mode="json")
        for group in (keys, keys["gate"], keys["anchor"] or {}):
            if group.get("starts", "") is None:  # as in older runs, which do not have this key
                del group["starts"]
        return dump(keys)

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """The tasks before the fit of an iteration; [] if there is no fit."""
        tasks = self.regime.games(self, iteration, nets)
        if self.curriculum is not None:
            tasks.append(self.curriculum.task(self, iteration, nets))
        return tasks

    def targets_of(
        self, record: Record, columns: Columns, replay: Replay, note: Columns | None
    ) -> Targets:
        """The training targets of a game; `note` is a judge's note about it, if there is one."""
        found = None
        if self.curriculum is not None:
            found = self.curriculum.targets(self, record, columns, replay, note)
        return found or self.regime.targets(self, record, columns, replay, note)
