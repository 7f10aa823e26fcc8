"""Describes, in words, what a position contains besides the men on the board."""

from rulezero._core import State

Info = list[tuple[str, str]]  # label and text of each row


def info(state: State) -> Info:
    """The position as text, the number of plies, and the rows that the game itself adds."""
    plies = len(state.actions)
    rows = [("position", state.text), ("plies", str(plies) if plies else "none yet")]
    if state.times > 1:
        rows.append(("seen", f"this position has occurred {state.times} times"))
    rows += state.info()
    for kind, actions in moves_by_kind(state).items():
        if kind != "moves":
            rows.append((kind, " ".join(map(state.say, actions))))
    return rows


def moves_by_kind(state: State) -> dict[str, list[int]]:
    """The legal actions by kind: "moves", and other kinds that the game defines."""
    found: dict[str, list[int]] = {}
    for action in state.legal:
        found.setdefault(state.kind(action), []).append(action)
    return found
