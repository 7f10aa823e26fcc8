"""Golden trees: the result of every search on fixed positions, with hash and random evaluators.

`python -m golden.trees` in tests/ (`make golden`) regenerates them. A tree should change only if
the search is meant to behave differently, so changed trees are written only with --force.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import rulezero as rz
from support import samples
from support.evaluators import RandomEvaluator

FOLDER = Path(__file__).parent / "trees"
_POSITIONS = 4  # per game
_SEATS = [
    "puct:eval=hash,sims=100,early_stop=false",
    "puct:eval=hash,sims=64,early_stop=false,noise=0.25,alpha_total=8,forced=2,temperature=1",
    "puct:eval=hash,sims=64,early_stop=false,pass_quiescence=true,draw_value=-0.4,c_growth=1",
    "gumbel:eval=hash,sims=32",
    "gumbel:eval=hash,sims=50,considered=4,gumbel_scale=0,rescale=false",
    "ucb1:eval=hash,sims=64,early_stop=false",
    "ucb1:eval=rollout,sims=32,early_stop=false",
    "oneply:eval=hash",
    "alphabeta:eval=hash,depth=2",
    "puct:eval=hash,sims=100,early_stop=false,forced=2",
    "puct:eval=hash,sims=64,early_stop=false,forced=10,c_puct=0.7,draw_value=0.3",
]
_SEATS_WITH_NETS = [  # with several leaves per batch
    "puct:sims=64,early_stop=false,leaves=4",
    "puct:sims=64,early_stop=false,leaves=16,virtual_loss=1,forced=2,noise=0.25",
    "gumbel:sims=32,leaves=4",
    "ucb1:sims=64,early_stop=false,leaves=4",
]


def path_of(text: str) -> Path:
    """The path of a game's trees."""
    return FOLDER / f"{samples.file_name(text)}.txt"


def write(game: rz.Game) -> str:
    """The trees of a game as text."""
    return "\n".join([f"game: {game.text}", *_trees(game), ""])


def _trees(game: rz.Game) -> Iterator[str]:
    net = RandomEvaluator(game.facts.slots)
    choices = [s for s in samples.played(game.text, 1)[:-1] if s.mover != rz.CHANCE]
    for state in choices[:: max(1, len(choices) // _POSITIONS)][:_POSITIONS]:
        yield ""
        yield f"position: {state.text} after {len(state.actions)} plies"
        for text in _SEATS:
            yield f"{text}: {_told(state, rz.player(text, seed=5).think(state))}"
        for text in _SEATS_WITH_NETS:
            thought = rz.player(text, seed=5, evaluator=net).think(state)
            yield f"{text} with a random net: {_told(state, thought)}"


def _told(state: rz.State, thought: rz.Thought) -> str:
    """The chosen move, the value, and the visits or shares of all moves; also the policy target,
    if it differs from the shares."""
    numbers: dict[int, str] = {a: str(n) for a, n in thought.visits.items()}
    told = _moves(state, numbers or _rounded(thought.shares))
    value = "unknown" if thought.value is None else f"{thought.value:.4f}"
    target = f"; to learn: {_moves(state, _rounded(thought.target))}"
    line = f"{state.say(thought.action)} {value} after {thought.sims}: {told}"
    return line + target if thought.target != thought.shares else line


def _rounded(shares: dict[int, float]) -> dict[int, str]:
    return {action: f"{share:.4f}" for action, share in shares.items()}


def _moves(state: rz.State, numbers: dict[int, str]) -> str:
    return " ".join(f"{state.say(action)}={number}" for action, number in sorted(numbers.items()))


def main() -> None:
    """Writes the trees of every game; changes existing ones only with --force."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--force", action="store_true", help="write what has changed too")
    force = parser.parse_args().force
    FOLDER.mkdir(exist_ok=True)
    refused = False
    for text in samples.GAMES:
        path, trees = path_of(text), write(samples.game(text))
        if path.exists() and path.read_text(encoding="utf-8") != trees and not force:
            print(f"{path.name}: the search behaves differently; if it is meant to, FORCE=1")
            refused = True
            continue
        path.write_text(trees, encoding="utf-8")
    sys.exit(refused)


if __name__ == "__main__":
    main()
