"""The messages of the WebSocket for play and analysis, in JSON."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta as Limits

from rulezero.contest.analysis import JudgedPly, Side
from rulezero.web.limits import MOST_BYTES, MOST_PLIES
from rulezero.web.play import thinker
from rulezero.web.play.searching import Analysis
from rulezero.web.shown import Meta, PlyShown, Position

Text = Annotated[str, Limits(max_length=2_000)]
Id = Annotated[str, Limits(max_length=64)]
Action = Annotated[int, Limits(ge=0, lt=2**32)]
Players = tuple[Text, Text]


class _FromPage(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """A message of the browser."""


class NewTable(_FromPage, frozen=True, tag="new"):
    """Begin a game, perhaps after some actions from a start."""

    game: Text
    players: Players
    start: Text | None = None
    actions: Annotated[list[Action], Limits(max_length=MOST_PLIES)] = []
    seed: Annotated[int, Limits(ge=0, lt=2**53)] | None = None
    pieces: Annotated[str, Limits(max_length=MOST_BYTES)] | None = None
    # plies that no player chose, of the actions; None: all of them
    opening: Annotated[int, Limits(ge=0)] | None = None


class Resume(_FromPage, frozen=True, tag="resume"):
    """Show a game of this visitor again."""

    table: Id


class Choose(_FromPage, frozen=True, tag="move"):
    """A person's choice."""

    action: Action


class Undo(_FromPage, frozen=True, tag="undo"):
    """Back to where a person chose last, or to the begin of that person's turn."""

    unit: Literal["ply", "turn"] = "ply"


class SetPlayers(_FromPage, frozen=True, tag="players"):
    """Change who plays."""

    players: Players


class Look(_FromPage, frozen=True, tag="look"):
    """Show the position after the first plies of the game."""

    ply: Annotated[int, Limits(ge=0, le=MOST_PLIES)]


class Resign(_FromPage, frozen=True, tag="resign"):
    """The person who is to move gives up."""


class Go(_FromPage, frozen=True, tag="go"):
    """The player that thinks moves now."""


class Pause(_FromPage, frozen=True, tag="pause"):
    """Stop or continue a game of two players."""

    on: bool


class Pace(_FromPage, frozen=True, tag="pace"):
    """The least time between choices in a game of two players."""

    seconds: Annotated[float, Limits(ge=0, le=60)]


class Analyse(_FromPage, frozen=True, tag="analyse"):
    """Think about the current position; live: also about later ones."""

    mode: Literal["off", "once", "live"]
    sims: Annotated[int, Limits(ge=1)] | None = None


class Review(_FromPage, frozen=True, tag="review"):
    """Judge every choice of the game."""


class Save(_FromPage, frozen=True, tag="save"):
    """Keep the finished game as a record."""


class Ping(_FromPage, frozen=True, tag="ping"):
    """Is the server there?"""


FromPage = (
    NewTable | Resume | Choose | Undo | Look | SetPlayers | Resign | Go | Pause | Pace | Analyse
    | Review | Save | Ping
)  # fmt: skip
FROM_PAGE = msgspec.json.Decoder(FromPage)


class PlayerShown(msgspec.Struct, frozen=True):
    """Who sits in a seat."""

    kind: Literal["human", "level", "player"]
    name: str
    text: str


class _ToPage(msgspec.Struct, frozen=True, tag_field="event"):
    """A message of the server."""


class TableShown(_ToPage, frozen=True, tag="table"):
    """A whole game."""

    table: str
    game: Meta
    players: tuple[PlayerShown, PlayerShown]
    position: Position
    plies: list[PlyShown]
    paused: bool
    saved: bool
    start: str
    seed: int
    pieces: str | None = None


class Moved(_ToPage, frozen=True, tag="position"):
    """The position has changed; `plies` are those from number `first` on."""

    position: Position
    first: int = msgspec.field(name="from")
    plies: list[PlyShown]
    players: tuple[PlayerShown, PlayerShown]
    paused: bool = False


class Past(_ToPage, frozen=True, tag="past"):
    """The position after the first `ply` plies of the game."""

    ply: int
    position: Position


class Thinking(_ToPage, frozen=True, tag="thinking"):
    """A player searches (None: no longer), behind `waiting` other searches."""

    seat: int | None
    waiting: int = 0


class ThoughtShown(_ToPage, frozen=True, tag="thought"):
    """What a player thought about a ply that it chose. Values are seat 0's."""

    ply: int
    value: float | None
    wdl: tuple[float, float, float] | None
    sims: int


class AnalysisShown(Analysis, frozen=True, kw_only=True, tag_field="event", tag="analysis"):
    """An analysis of the current position."""


class Reviewed(_ToPage, frozen=True, tag="review"):
    """The judged plies so far; `sides` when all are judged."""

    done: int
    total: int
    plies: list[JudgedPly]
    sides: tuple[Side, Side] | None = None


class Saved(_ToPage, frozen=True, tag="saved"):
    """The game was kept as a record."""

    record: str


class Failed(_ToPage, frozen=True, tag="error"):
    """What is wrong, in one line."""

    words: str
    code: str | None = None


BUSY = Failed(thinker.BUSY, "busy")


class Pong(_ToPage, frozen=True, tag="pong"):
    """The answer to a ping."""


ToPage = (
    TableShown
    | Moved
    | Past
    | Thinking
    | ThoughtShown
    | AnalysisShown
    | Reviewed
    | Saved
    | Failed
    | Pong
)
