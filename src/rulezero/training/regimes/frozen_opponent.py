"""One side learns per iteration, against a frozen opponent that cannot adapt to it.

This is for games with unequal sides. The learning side plays with the newest net. The frozen side
plays with a search of its own, by the newest net or, with net=previous, the net before the last
fit.
"""

from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.learn.targets import Targets
from rulezero.play.players import read_player
from rulezero.settings import Settings
from rulezero.training.flag import Flag, Keys, with_sims
from rulezero.training.regimes.regime import Regime
from rulezero.training.tasks import PlayerText, PlaySettings

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment


class OpponentSettings(Settings):
    """The opponent of the side that learns."""

    player: PlayerText = "puct:net=latest,sims=200"
    first: PlayerText = "ucb1:sims=200"  # in iteration 1


def _opponent(experiment: "Experiment") -> OpponentSettings:
    return cast(FrozenOpponent, experiment.regime).opponent


def _opposed(experiment: "Experiment", sims: int) -> Keys:
    players = _opponent(experiment).model_dump().items()
    return {"regime": {"opponent": {name: with_sims(text, sims) for name, text in players}}}


def _opposed_by(experiment: "Experiment", net: Any) -> Keys:
    player = read_player(_opponent(experiment).player).changed(net=net)
    return {"regime": {"opponent": {"first": player.text}}}


class FrozenOpponent(Regime):
    """Odd iterations train seat 1, even ones seat 0."""

    kind: Literal["frozen_opponent"] = "frozen_opponent"
    opponent: OpponentSettings = OpponentSettings()
    learn_from: Literal["both", "trained"] = "both"  # plies of both sides, or of the trained one

    has_gate = False
    switch = "alternating"
    switch_help = "Train one side per iteration, in turn, against a frozen net."
    flags = (
        Flag("opponent-sims", int, "Set the frozen side's simulations per move.", _opposed),
        Flag("opponent-model", str, "Set the frozen side's net in iteration 1.", _opposed_by),
    )
    unread = {  # noqa: RUF012
        "selfplay.b": "set regime.opponent.player, the second player",
        "selfplay.swap": "leave it out, as the side that trains changes with the iteration",
    }

    def selfplay(self, experiment: "Experiment", iteration: int) -> PlaySettings:
        """The side that learns, selfplay.a, against the frozen one."""
        learner = experiment.selfplay.a
        frozen = self.opponent.first if iteration == 1 else self.opponent.player
        first, second = (frozen, learner) if iteration % 2 else (learner, frozen)
        return experiment.selfplay.model_copy(update={"a": first, "b": second, "swap": False})

    def targets(
        self,
        experiment: "Experiment",
        record: Record,
        columns: Columns,
        replay: Replay,
        note: Columns | None,
    ) -> Targets:
        """The default targets; with learn_from=trained, the frozen side's plies have weight 0."""
        found = super().targets(experiment, record, columns, replay, note)
        if self.learn_from == "both" or not record.iteration:
            return found
        is_trained = replay.movers == record.iteration % 2
        return msgspec.structs.replace(found, weight=found.weight * is_trained)
