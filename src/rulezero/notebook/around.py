"""What a notebook shows around the board of a game that is played."""

import msgspec

from rulezero._core import State
from rulezero.games.view import say
from rulezero.play.dialogue import Ply
from rulezero.play.thought import Thought
from rulezero.stats.wdl import likely
from rulezero.web import shown

_HINTS = 5  # moves of a hint


class PlyPlayed(msgspec.Struct, frozen=True):
    """A ply in the list of moves, with what the program thought of it. Values are seat 0's."""

    ply: shown.PlyShown
    value: float | None = None
    wdl: tuple[float, float, float] | None = None
    sims: int = 0


class MoveHinted(msgspec.Struct, frozen=True):
    """A move of a hint."""

    say: str
    share: float
    touches: list[list[str]]


class Hint(msgspec.Struct, frozen=True):
    """What a search finds in the person's position. The value is seat 0's."""

    moves: list[MoveHinted]
    value: float | None
    wdl: tuple[float, float, float] | None
    sims: int


class Message(msgspec.Struct, frozen=True):
    """A line below the board. A new number says that it was said again."""

    words: str
    is_error: bool
    number: int


class Around(msgspec.Struct, frozen=True):
    """What is shown around the board."""

    plies: list[PlyPlayed]
    players: tuple[str, str]
    people: list[int]  # seats of people
    last: str  # the last choice in words, with its die
    is_thinking: bool
    is_hinting: bool
    can_undo: bool
    can_undo_turn: bool  # whether that differs from taking back one ply
    hint: Hint | None
    message: Message


def played(ply: shown.PlyShown, choice: Ply) -> PlyPlayed:
    """A ply with its mover's thought."""
    thought = choice.thought
    if thought is None or thought.value is None:
        return PlyPlayed(ply)
    return PlyPlayed(ply, thought.value, likely(thought.value, thought.draw), thought.sims)


def hinted(state: State, thought: Thought) -> Hint:
    """The best moves of a thought about the person's position."""
    best = sorted(thought.shares.items(), key=lambda item: -item[1])[:_HINTS]
    return Hint(
        moves=[
            MoveHinted(say(state, action), share, state.touches(action))
            for action, share in best or [(thought.action, 1.0)]
        ],
        value=thought.value,
        wdl=None if thought.value is None else likely(thought.value, thought.draw),
        sims=thought.sims,
    )
