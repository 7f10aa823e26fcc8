"""An efficiently updatable net (NNUE) learns the values of alpha-beta's searches, and results.

Alpha-beta plays against itself, first with the heuristic and then with the newest net. The net
learns the value of every search, mixed with the game's result (`targets.search_share`), so its
static value comes close to that of a deeper search.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from rulezero._core import Game
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.nets.card import NNUE
from rulezero.training.regimes.regime import Regime
from rulezero.training.run import Run

if TYPE_CHECKING:
    from rulezero.nets.nnue import Shape
    from rulezero.nets.size import Size
    from rulezero.training.experiment import Experiment
    from rulezero.training.loop import Trainee

# Keys of a fit that only towers have.
_OF_TOWERS = (
    *("fit.micro_batch", "fit.patience", "fit.mirror", "fit.loss"),
    *("fit.processes", "fit.device", "fit.precision"),
)


class NnueRegime(Regime):
    """Self-play of alpha-beta, whose evaluation learns from its searches."""

    kind: Literal["nnue"] = "nnue"
    hidden: int = Field(64, ge=8, le=256, multiple_of=8)  # sums of each seat's view of a position
    phases: int = Field(4, ge=1, le=16)  # sets of output weights, by the number of men

    has_tower = False
    unread = {  # noqa: RUF012
        "net": "leave it out, as regime.hidden sets the size of an NNUE",
        "begin": "leave it out, as an NNUE begins with random weights",
        **dict.fromkeys((*_OF_TOWERS, "hooks"), "leave it out, as it is for nets with a tower"),
    }

    def check(self, game: Game) -> None:
        """Raises RunError if the game has no features."""
        if not game.facts.features:
            raise RunError(
                f"{game.facts.name} has no features for an NNUE: train a net with a policy"
            )

    def shape(self, game: Game) -> "Shape":
        """The shape of its nets for a game."""
        from rulezero.nets.nnue import Shape

        start = game.start(seed=0)
        most = max(len(start.features(seat)) for seat in (0, 1))
        return Shape.of(game.facts, width=self.hidden, phases=self.phases, most=most)

    def trainee(self, experiment: "Experiment", game: Game, run: Run) -> "Callable[[int], Trainee]":
        """Returns a function that makes an untrained learner from a seed."""
        from rulezero.training.regimes.nnue_learner import NnueLearner

        return lambda seed: NnueLearner(experiment, game, self.shape(game), seed)

    def untrained(self, experiment: "Experiment", game: Game, folder: Path) -> Path:
        """Writes a net that has learned nothing into a folder."""
        from rulezero.nets.nnue import create, to_nnue

        net = folder / f"untrained{NNUE}"
        net.write_bytes(to_nnue(create(self.shape(game), experiment.seed)))
        return net

    def size(self, experiment: "Experiment") -> "Size":
        """The size of its net; an evaluation of a whole position, without updates."""
        from rulezero.nets.size import Size

        shape = self.shape(load(experiment.game))
        outputs = 2 * shape.width * shape.phases
        return Size(
            (shape.features + 1) * shape.width + outputs, 2 * shape.width * (shape.most + 1)
        )
