"""What a position holds beside the men on their squares, in words."""

import re

from rulezero._core import CHANCE, State
from rulezero.games.view import seat_names

Info = list[tuple[str, str]]  # what it is about, and the words

# EXCHANGE's kinds of action by the events that tell of them; what is none of these is a move.
_ABILITIES = {
    "strike": "strikes",
    "combo": "combos",
    "overextend": "Overextend",
    "skirmish": "Skirmish",
    "consecration": "Consecration",
    "decree": "Royal Decree",
}
_TAGS = {  # of a man in EXCHANGE's text
    "u": "charges {}",
    "c": "ability waits {}",
    "a": "Advance waits {}",
    "p": "a promoted pawn",
}
_MAN = re.compile(r"([a-h][1-8])=(\d+)((?::[a-z]\d*)*)")


def info(state: State) -> Info:
    """The position as text, how far the game has come, and what the game itself has to add."""
    plies = len(state.actions)
    told = [("position", state.text), ("plies", str(plies) if plies else "none yet")]
    if state.times > 1:
        told.append(("seen", f"this position for time {state.times}"))
    if state.game.facts.name == "exchange":
        told += _exchange(state)
    return told


def moves_by_kind(state: State) -> dict[str, list[int]]:
    """The legal actions under what they are: "moves", and EXCHANGE's strikes and abilities.

    The kinds are what the events say; a die is given a face for that.
    """
    if state.game.facts.name != "exchange" or state.mover == CHANCE:
        return {"moves": state.legal}
    found: dict[str, list[int]] = {}
    for action in state.legal:
        after = state.apply(action)
        if after.mover == CHANCE:
            after = after.apply(after.legal[0])
        kinds = [words for name, words in _ABILITIES.items() if after.events[name]]
        found.setdefault(kinds[0] if kinds else "moves", []).append(action)
    return found


def _exchange(state: State) -> Info:
    names = seat_names(state.game)
    decrees = state.text.split(" ")[2].split("/")
    told = [
        ("Decree", f"{name} for {left} more actions")
        for name, left in zip(names, decrees, strict=True)
        if left != "0"
    ]
    men = {
        f"{'abcdefgh'[file]}{8 - row}": cell
        for row, cells in enumerate(state.cells())
        for file, cell in enumerate(cells)
    }
    for square, hit_points, tags in _MAN.findall(state.text.split(" ")[5]):
        cell = men[square]
        words = [f"{names[cell.seat]}'s {cell.man.upper()}", f"{hit_points} HP"]
        words += [_TAGS[tag[0]].format(tag[1:]) for tag in tags.split(":")[1:]]
        told.append((square, ", ".join(words)))
    for kind, actions in moves_by_kind(state).items():
        if kind != "moves":
            told.append((kind, " ".join(map(state.say, actions))))
    return told
