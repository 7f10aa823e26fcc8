"""A net plays itself; a new one becomes the best if it is stronger."""

from typing import Literal

from rulezero.training.regimes.regime import Regime


class Gated(Regime):
    """Iteration 0 is the bootstrap, if there is one; every later one is self-play."""

    kind: Literal["gated"] = "gated"
