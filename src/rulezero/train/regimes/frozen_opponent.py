"""One side learns while the other stands still: neither can adapt to what it has just been taught.

For games whose sides are unlike. What plays against the learning side is the net as the last fit
has left it, with fewer simulations; after the fit it is frozen anew.
"""

from collections.abc import Mapping

from rulezero.play.task import Task
from rulezero.train.regimes.gated import Gated


class FrozenOpponent(Gated):
    """Odd iterations train seat 1, even ones seat 0; the plies of both are learned from."""

    def games(self, iteration: int, nets: Mapping[str, str]) -> list[Task]:
        """The side that learns, selfplay.a, against the frozen one, after the bootstrap."""
        if iteration == 0:
            return super().games(iteration, nets)
        recipe = self.recipe
        learner = recipe.selfplay.a
        frozen = recipe.opponent.first if iteration == 1 else recipe.opponent.seat
        first, second = (frozen, learner) if iteration % 2 else (learner, frozen)
        sides = recipe.selfplay.model_copy(update={"a": first, "b": second, "swap": False})
        return [self.selfplay(iteration, nets, sides)]
