"""One side learns while the other stands still: neither can adapt to what it has just been taught.

For games whose sides are unlike. What plays against the learning side is the net as the last fit
has left it, with fewer simulations; after the fit it is frozen anew.
"""

from rulezero.train.regimes.gated import Gated
from rulezero.train.tasks import PlaySettings


class FrozenOpponent(Gated):
    """Odd iterations train seat 1, even ones seat 0; the plies of both are learned from."""

    def selfplay(self, iteration: int) -> PlaySettings:
        """The side that learns, selfplay.a, against the frozen one."""
        recipe = self.recipe
        learner = recipe.selfplay.a
        frozen = recipe.opponent.first if iteration == 1 else recipe.opponent.seat
        first, second = (frozen, learner) if iteration % 2 else (learner, frozen)
        return recipe.selfplay.model_copy(update={"a": first, "b": second, "swap": False})
