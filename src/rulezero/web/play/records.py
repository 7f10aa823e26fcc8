"""Records of the games that people play on the page."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import rulezero as rz
from rulezero.data.record import record_from
from rulezero.data.thoughts import PLY_COLUMNS, Thought, pack


def record_of(
    start: rz.State,
    actions: Sequence[int],
    thoughts: Sequence[Thought | None],
    *,
    result: tuple[float, str],
    players: tuple[rz.Player, rz.Player],
    nets: tuple[str | None, str | None],
    seed: int,
    opening: int,
) -> rz.Record:
    """The record of a game: its choices, what the players thought, and how it ended.

    result  seat 0's outcome, and the reason
    nets    the identities of the players' nets or weights, by seat
    """
    pairs = [sorted((thought.shares if thought else {}).items()) for thought in thoughts]
    columns: dict[str, Any] = {
        column.name: [_number(thought, column.name, column.missing) for thought in thoughts]
        for column in PLY_COLUMNS
    }
    packed = pack(
        list(actions),
        counts=[len(found) for found in pairs],
        pair_actions=[action for found in pairs for action, _ in found],
        pair_weights=[share for found in pairs for _, share in found],
        **columns,
    )
    outcome, reason = result
    return record_from(
        start,
        packed,
        outcome=outcome,
        end_reason=reason,
        players=(players[0].text, players[1].text),
        nets=nets,
        seed=seed,
        purpose="human",
        source="human",
        opening=opening,
        date=date.today().strftime("%Y.%m.%d"),
    )


def _number(thought: Thought | None, name: str, missing: Any) -> Any:
    value = None if thought is None else getattr(thought, name)
    return missing if value is None else value
