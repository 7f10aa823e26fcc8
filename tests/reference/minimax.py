"""Exhaustive minimax for small games, with expectations at dice."""

import rulezero as rz


def solve(state: rz.State) -> float:
    """Seat 0's value with best play. The game must be small, and no position may recur.

    Values are cached by text, which does not contain the history of a position. In games where
    positions can recur, the history may matter; such a cycle raises ValueError.
    """
    return _solve(state, {})


def best_actions(state: rz.State, within: float = 0.0) -> set[int]:
    """The mover's actions whose value is at most `within` below the best."""
    known: dict[str, float] = {}
    sign = 1 if state.mover == 0 else -1
    values = {action: sign * _solve(state.apply(action), known) for action in state.legal}
    return {action for action in values if values[action] >= max(values.values()) - within}


def _solve(state: rz.State, known: dict[str, float]) -> float:
    if state.is_over:
        assert state.outcome is not None
        return state.outcome
    if state.times > 1:
        raise ValueError(f"{state.text} has come twice: its past may count")
    if state.text not in known:
        values = [_solve(state.apply(action), known) for action in state.legal]
        if state.mover == rz.CHANCE:
            value = sum(p * v for p, v in zip(state.chances, values, strict=True))
        else:
            value = max(values) if state.mover == 0 else min(values)
        known[state.text] = value
    return known[state.text]
