"""Judges the choices of a game by analyses of its positions."""

from collections.abc import Mapping, Sequence

import rulezero as rz
from rulezero.contest.analysis import JudgedPly, Side, losses, side_of
from rulezero.data.steps import Step
from rulezero.data.thoughts import Thought
from rulezero.web.levels import seats_of
from rulezero.web.play.searching import Analysis

_JUDGE = "judge"


def judged_plies(
    states: Sequence[rz.State], found: Mapping[int, Analysis], expected: Mapping[int, float]
) -> list[JudgedPly]:
    """What each choice between these states lost, as far as their analyses tell.

    `expected` are the values after choices that are followed by a die, by ply.
    """
    actions, last = states[-1].actions, len(states) - 1
    if last in found and (value := found[last].value) is not None:  # the game was stopped
        expected = {**expected, last - 1: value}
    steps = [
        Step(
            ply=number,
            state=state,
            action=actions[number],
            notes={_JUDGE: _thought(found[number])} if number in found else {},
        )
        for number, state in enumerate(states[:-1])
    ]
    return losses(steps, _JUDGE, expected=expected)


def sides_of(plies: Sequence[JudgedPly], game: rz.Game) -> tuple[Side, Side]:
    """What each seat lost in all."""
    first, second = seats_of(game)
    return side_of(list(plies), 0, first), side_of(list(plies), 1, second)


def _thought(analysis: Analysis) -> Thought:
    return Thought(
        action=analysis.best,
        sims=analysis.sims,
        value=analysis.value,
        shares={move.action: move.share for move in analysis.moves},
    )
