"""Choices in words, for people."""

from collections.abc import Sequence

import rulezero as rz

_EVENTS = ("damage", "absorbed", "healed", "self_damage")  # events worth a word beside a die


def counted(number: int, noun: str) -> str:
    """1 game, 2 games, 3 plies."""
    plural = "plies" if noun == "ply" else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def say_turn(start: rz.State, actions: Sequence[int]) -> str:
    """Choices one after the other, with dice and what they did: "d1xd4 (die 4, 7 damage)"."""
    words: list[str] = []
    state = start
    for action in actions:
        said = rz.view.say(state, action)
        after = state.apply(action)
        if state.mover == rz.CHANCE:
            events = {name.replace("_", " "): after.events.get(name) for name in _EVENTS}
            done = [f"{number:g} {name}" for name, number in events.items() if number]
            die = f"({', '.join([f'die {said}', *done])})"
            words[-1:] = [f"{words[-1]} {die}"] if words else [die]
        else:
            words.append(said)
        state = after
    return " ".join(words)


def split_turns(movers: Sequence[int]) -> list[list[int]]:
    """The plies of each turn, by who made them; a die belongs to the choice before it."""
    turns: list[list[int]] = []
    chooser = rz.CHANCE
    for ply, mover in enumerate(movers):
        if not turns or mover not in (rz.CHANCE, chooser):
            chooser = mover
            turns.append([])
        turns[-1].append(ply)
    return turns


def turn_number(state: rz.State) -> str:
    """What stands before a turn in notation: "12." or "12..."; nothing without numbers."""
    number = state.move_number
    if number is None:
        return ""
    return f"{number}." if state.mover == 0 else f"{number}..."


def say_line(state: rz.State, line: Sequence[int]) -> str:
    """What a player expects, turn by turn, as far as it is legal: "3... Qxd5 / 4. exd5 d6"."""
    turns: list[list[str]] = []
    mover = rz.CHANCE
    for action in line:
        if action not in state.legal:
            break
        if not turns or state.mover not in (rz.CHANCE, mover):
            mover = state.mover
            number = turn_number(state)
            turns.append([number] if number else [])
        turns[-1].append(rz.view.say(state, action))
        state = state.apply(action)
    return " / ".join(map(" ".join, turns))


def say_proof(proof: rz.endgame.Probe, names: rz.view.Names) -> str:
    """What tables prove: "White wins in 12 turns", "drawn"; the turns are the winner's."""
    if proof.value == 0:
        return "drawn"
    return f"{names[proof.value < 0]} wins in {counted(proof.distance, 'turn')}"


def say_shares(state: rz.State, thought: rz.data.Thought, most: int = 5) -> str:
    """The choice, then what a player thought best besides, with shares: "d4 41 %, e4 22 %"."""
    by_rank = sorted(thought.shares.items(), key=lambda item: (item[0] != thought.action, -item[1]))
    best = by_rank[:most]
    return ", ".join(f"{rz.view.say(state, action)} {100 * share:.0f} %" for action, share in best)
