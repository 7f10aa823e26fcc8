"""Chess: the features that perceptrons read, and the material at the end of games."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rulezero._core import Game, material, remake
from rulezero.data.columns import Floats
from rulezero.data.record import Record
from rulezero.data.replay import replay_of
from rulezero.learn.targets import TargetSettings
from rulezero.learn.window import Indices, Window
from rulezero.nets.chess_perceptron import GAME, encoder
from rulezero.training.games.figures import GameFigures
from rulezero.training.games.training import GameTraining

_CHUNK = 4096  # positions whose features are made at a time


class Features:
    """The 781 features of some positions of a window, one bit each."""

    def __init__(self, window: Window, positions: Indices) -> None:
        """Replays every game once and stores the features of all positions."""
        game = encoder()
        self._size = math.prod(game.facts.planes)
        self._places = np.zeros(len(window), np.int64)
        self._places[positions] = np.arange(len(positions))
        self._bits = np.zeros((len(positions), (self._size + 7) // 8), np.uint8)
        self._chances = ((1 + window.at(positions).search) / 2).astype(np.float32)
        for at in range(0, len(positions), _CHUNK):
            known = window.at(positions[at : at + _CHUNK])
            numbers, which = np.unique(known.game, return_inverse=True)
            planes = np.empty((len(known.ply), *game.facts.planes), np.float32)
            remake(
                game,
                [(window.games[number].start, window.games[number].actions) for number in numbers],
                known.ply.astype(np.uint32),
                which=which.astype(np.uint32),
                planes=planes,
            )
            self._bits[at : at + _CHUNK] = np.packbits(planes.reshape(-1, self._size) > 0, axis=1)

    def of(self, positions: Indices) -> Floats:
        """The features from the mover's point of view, each 0 or 1: [p, 781]."""
        bits: npt.NDArray[np.uint8] = self._bits[self._places[positions]]
        return np.unpackbits(bits, axis=1, count=self._size).astype(np.float32)

    def chances(self, positions: Indices) -> Floats:
        """The targets: the mover's chance by the search's value, [p]."""
        found: Floats = self._chances[self._places[positions]]
        return found


class ChessTraining(GameTraining):
    """Logs the material at the end of the last game."""

    game = GAME

    def figures(
        self, game: Game, records: Sequence[Record], settings: TargetSettings
    ) -> GameFigures:
        """White's lead in centipawns at the end of the last game."""
        last = material(replay_of(records[-1], game).last) if records else None
        return GameFigures(last_material=last)
