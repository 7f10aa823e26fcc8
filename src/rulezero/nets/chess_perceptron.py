"""The game of the perceptrons in .nn files, and their inputs: chess, 781 features.

The file's format does not name a game (cpp/eval/mlp.h); this module is the only place that does.
"""

from pathlib import Path

from rulezero._core import Game, Mlp, NetError
from rulezero.games.load import load
from rulezero.nets.card import read_perceptron

GAME = "chess"
HIDDEN = (256, 128)  # neurons of the hidden layers of a new perceptron
SIZES = (781, *HIDDEN, 1)  # of all its layers, inputs first


def encoder() -> Game:
    """The game whose planes are a perceptron's inputs."""
    return load(GAME, planes="features781")


def read(path: Path, game: Game) -> tuple[Mlp, Game]:
    """The perceptron of a .nn file and its encoder; NetError if it cannot judge this game."""
    if game.facts.name != GAME:
        raise NetError(f"'{path}' is a perceptron for {GAME}; it cannot judge {game.facts.name}")
    mlp, encoded = read_perceptron(path), encoder()
    features, _, _ = encoded.facts.planes
    if (mlp.sizes[0], mlp.sizes[-1]) != (features, 1):
        raise NetError(
            f"'{path}' has {mlp.sizes[0]} inputs and {mlp.sizes[-1]} outputs;"
            f" a net for {GAME} has {features} inputs and 1 output"
        )
    return mlp, encoded
