"""Random efficiently updatable nets of every game that has features."""

import functools
from typing import Any

import numpy as np

import rulezero as rz
from reference import nnue
from support import samples

GAMES = [
    "chess",
    "random_chess",
    "random_chess:pieces=standard+custom",
    "random_chess:pieces=custom",
    "monster",
    "exchange",
    "razzle",
]


def most_of(game: rz.Game) -> int:
    """The number of features at the beginning of a game."""
    return len(game.start(seed=0).features(0))


@functools.cache
def net(text: str, *, width: int = 8, phases: int = 4, seed: int = 0) -> nnue.Net:
    """A net whose sums lie on both sides of 0 and of the unit, and whose values vary."""
    game, dice = samples.game(text), np.random.default_rng(seed)
    facts, most, unit = game.facts, most_of(game), 100

    def whole(size: float, *shape: int) -> nnue.Shorts:
        return dice.integers(-int(size), int(size), shape, dtype=np.int16, endpoint=True)

    return nnue.Net(
        game=facts.name,
        version=facts.features_version,
        features=facts.features,
        places=facts.feature_places,
        width=width,
        phases=phases,
        most=most,
        unit=unit,
        factor=float(np.float32(1 / (unit * unit * 100 * (2 * width) ** 0.5))),
        columns=whole(3 * unit / most**0.5, facts.features, width),
        biases=whole(unit, width),
        outputs=whole(300, phases, 2, width),
        output_biases=dice.uniform(-0.3, 0.3, phases).astype(np.float32),
        trust=dice.uniform(-0.5, 1.5, phases).astype(np.float32),
    )


def silent(text: str, **changes: Any) -> nnue.Net:
    """A net with all weights 0 and full trust in the heuristic, with these changes."""
    made = net(text, phases=1)
    known = {field: getattr(made, field) for field in made.__dataclass_fields__}
    for name in ("columns", "biases", "outputs", "output_biases"):
        known[name] = np.zeros_like(known[name])
    return nnue.Net(**known | {"trust": np.ones(1, np.float32)} | changes)


@functools.cache
def states(text: str, about: int = 400) -> tuple[rz.State, ...]:
    """States of random games that a net can judge."""
    found = samples.states(text, about)
    return tuple(each for each in found if not each.is_over and each.mover != rz.CHANCE)
