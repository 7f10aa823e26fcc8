"""Games as if played by people with `rulezero play --save`; a rule chooses their moves."""

from collections.abc import Callable
from pathlib import Path

import rulezero as rz
from rulezero.data import Record, Store
from rulezero.play.dialogue import Dialogue

Rule = Callable[[rz.State], int]


def first(state: rz.State) -> int:
    """The first legal action."""
    return state.legal[0]


def emptiest(state: rz.State) -> int:
    """Connect Four: the column with the fewest men, of these the leftmost."""
    cells = state.cells()
    return min(state.legal, key=lambda column: sum(row[column].man != "" for row in cells))


def game(seed: int, rule: Rule = first, against: str = "random", text: str = "connect4") -> Record:
    """A game of a person against a player; the person is in seat 0 if the seed is even."""
    players = rz.player("human"), rz.player(against)
    dialogue = Dialogue(rz.load(text), players if seed % 2 == 0 else players[::-1], seed=seed)
    dialogue.advance()
    while dialogue.is_asking:
        dialogue.choose(rule(dialogue.state))
        dialogue.advance()
    return dialogue.record()


def store(path: Path, games: int, rule: Rule = first, against: str = "random") -> Path:
    """A store of such games."""
    with Store(path) as kept:
        for seed in range(games):
            kept.add(game(seed, rule, against))
    return path
