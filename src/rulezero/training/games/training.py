"""The base class for code that is special to training one game."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from rulezero._core import Game
from rulezero.data.columns import Floats
from rulezero.data.record import Record
from rulezero.data.replay import Replay
from rulezero.learn.targets import TargetSettings
from rulezero.training.flag import Flag
from rulezero.training.games.figures import GameFigures


class Lesson(msgspec.Struct, frozen=True):
    """A position to learn from."""

    text: str
    tier: int
    value: float  # seat 0's
    distance: int | None = None  # the winner's turns to the end; none: not proven

    @property
    def is_proven(self) -> bool:
        """Whether the value is certain."""
        return self.distance is not None


class GameTraining:
    """Code that is special to training one game: a subclass in a file of its own.

    The defaults add nothing.
    """

    game: ClassVar[str] = ""  # its name
    flags: ClassVar[tuple[Flag, ...]] = ()  # its own flags on the command line
    has_rewards: ClassVar[bool] = False  # whether `targets.rewards` shape its results

    def shape(self, record: Record, replay: Replay, settings: TargetSettings) -> Floats | None:
        """Seat 0's result to be learned at each ply of a game; None: the plain result."""
        return None

    def figures(
        self, game: Game, records: Sequence[Record], settings: TargetSettings
    ) -> GameFigures:
        """Figures about some games for the log, in addition to their results."""
        return GameFigures()

    def lessons(self) -> Sequence[Lesson]:
        """Positions that a side must learn to win, the easy ones first; () if there are none."""
        return ()
