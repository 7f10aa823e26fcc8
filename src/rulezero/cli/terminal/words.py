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


def say_line(state: rz.State, line: Sequence[int]) -> str:
    """What a player expects, as far as it is legal."""
    words = []
    for action in line:
        if action not in state.legal:
            break
        words.append(rz.view.say(state, action))
        state = state.apply(action)
    return " ".join(words)


def say_shares(state: rz.State, thought: rz.data.Thought, most: int = 5) -> str:
    """The choice, then what a player thought best besides, with shares: "d4 41 %, e4 22 %"."""
    by_rank = sorted(thought.shares.items(), key=lambda item: (item[0] != thought.action, -item[1]))
    best = by_rank[:most]
    return ", ".join(f"{rz.view.say(state, action)} {100 * share:.0f} %" for action, share in best)
