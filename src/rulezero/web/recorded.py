"""A recorded game in the form that page and notebooks draw: its positions, and what was thought."""

from collections.abc import Sequence

import msgspec

import rulezero as rz
from rulezero.contest import losses
from rulezero.contest.analysis import JudgedPly
from rulezero.data import Record, Step, Thought
from rulezero.stats.wdl import likely
from rulezero.web import shown
from rulezero.web.levels import say_result

_MOST_MOVES = 5  # of a thought


class MoveShown(msgspec.Struct, frozen=True):
    """A move that was considered."""

    say: str
    share: float
    chosen: bool
    squares: list[str]  # to show it on the board


class ThoughtShown(msgspec.Struct, frozen=True):
    """A thought about a ply. Values are seat 0's."""

    value: float | None
    raw: float | None  # the net's own, before the search
    wdl: tuple[float, float, float] | None
    sims: int
    surprise: float | None
    moves: list[MoveShown]
    best: str | None = None  # a judge's choice, if it is another move
    lost: float | None = None  # winning chance
    mark: str = ""


class Mind(msgspec.Struct, frozen=True):
    """The thoughts of the players, or of a judge, by ply."""

    name: str  # "": the players
    plies: list[ThoughtShown | None]


def states_of(record: Record, played: Sequence[Step], game: rz.Game) -> list[rz.State]:
    """The states of a game: one more than its plies."""
    last = played[-1].after if played else game.parse(record.start)
    return [*(step.state for step in played), last]


def position(record: Record, state: rz.State, number: int) -> shown.Position:
    """A state of a game as it is drawn; the last one says how the game ended."""
    words = None
    if number == record.plies and not state.is_over:  # the game was stopped
        words = say_result(record.outcome, record.end_reason, state.game)
    return shown.position(state, result=words)


def minds(played: list[Step], judges: Sequence[str], opening: int) -> list[Mind]:
    """The players' thoughts, then those of each judge with its verdicts on the plies."""
    found = [Mind("", [_thought(step, step.thought, None) for step in played])]
    for judge in judges:
        verdicts = zip(played, losses(played, judge, opening), strict=True)
        plies = [_thought(step, step.notes.get(judge), verdict) for step, verdict in verdicts]
        found.append(Mind(judge, plies))
    return found


def _thought(step: Step, thought: Thought | None, verdict: JudgedPly | None) -> ThoughtShown | None:
    if thought is None:
        return None
    state, shares = step.state, thought.shares
    best = sorted(shares, key=lambda action: -shares[action])[:_MOST_MOVES]
    if shares and step.action not in best:
        best.append(step.action)
    return ThoughtShown(
        value=_rounded(thought.value),
        raw=_rounded(thought.raw_value),
        wdl=None if thought.value is None else likely(thought.value, thought.draw),
        sims=thought.sims,
        surprise=_rounded(thought.surprise),
        moves=[
            MoveShown(
                rz.view.say(state, action),
                round(shares.get(action, 0.0), 4),
                action == step.action,
                [squares[0] for squares in state.touches(action)],
            )
            for action in best
        ],
        best=None if verdict is None or verdict.lost is None else verdict.best,
        lost=None if verdict is None else verdict.lost,
        mark="" if verdict is None else verdict.mark,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
